internal import Vocabulary

/// Writes a JSON object member by member, without a tree in between and without the library: for the few objects that
/// are written for each request. The bytes are those that ``JSONNode`` would write.
public struct JSONObjectWriter: Sendable {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    /// An object without members, with room for a text of so many bytes.
    public init(reservingByteCount byteCount: Int = 256) {
        text.reserveCapacity(byteCount)
    }

    /// Adds a string. The name is plain ASCII without quotes and backslashes, and not in the object yet.
    public mutating func add(_ name: StaticString, _ value: String) {
        add(name)
        text.append(UInt8(ascii: "\""))
        let start = text.count
        text.append(contentsOf: value.utf8)
        if !isPlain(from: start) {
            text.removeLast(text.count - start)
            for scalar in value.unicodeScalars { append(escaping: scalar) }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Adds a whole number.
    public mutating func add(_ name: StaticString, _ value: Int64) {
        add(name)
        text.append(contentsOf: String(value).utf8)
    }

    /// Adds an object.
    public mutating func add(_ name: StaticString, _ value: JSONObjectWriter) {
        add(name)
        text.append(contentsOf: value.text)
        text.append(UInt8(ascii: "}"))
    }

    /// The whole object.
    public consuming func finished() -> [UInt8] {
        var text = text
        text.append(UInt8(ascii: "}"))
        return text
    }

    private mutating func add(_ name: StaticString) {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        text.append(UInt8(ascii: "\""))
        unsafe text.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        )
        text.append(UInt8(ascii: "\""))
        text.append(UInt8(ascii: ":"))
    }

    /// Returns true when the text from a place on certainly needs no escape: it is printable ASCII, as most texts are.
    /// Looks at all of it, without a branch.
    private func isPlain(from start: Int) -> Bool {
        unsafe text.withUnsafeBufferPointer { bytes in
            var isPlain = true
            for index in start..<bytes.count {
                let byte = unsafe bytes[index]
                let isFree = byte &- 0x20 < 0x5F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                isPlain = isPlain && isFree
            }
            return isPlain
        }
    }

    /// As ``JSONNode`` writes it: short escapes where there are such, capital digits, nothing else.
    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "\"", "\\": text += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
        case "\u{08}": text += #"\b"#.utf8
        case "\u{0C}": text += #"\f"#.utf8
        case "\n": text += #"\n"#.utf8
        case "\r": text += #"\r"#.utf8
        case "\t": text += #"\t"#.utf8
        case _ where DisplayText.isActive(scalar): JSONEscape.append(scalar, to: &text)
        default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
    }
}
