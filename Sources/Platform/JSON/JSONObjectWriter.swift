internal import System

/// Writes a JSON object member by member, without building a tree and without jansson. It is for the few objects that are
/// written for each request. The bytes are the same as those of ``JSONNode``.
public struct JSONObjectWriter: Sendable {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    public init(reservingByteCount byteCount: Int = 256) {
        text.reserveCapacity(byteCount)
    }

    /// Adds a string. The name must be plain ASCII without quotes and backslashes, and must not be in the object yet.
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

    public mutating func add(_ name: StaticString, _ value: Int64) {
        add(name)
        text.append(contentsOf: String(value).utf8)
    }

    public mutating func add(_ name: StaticString, _ value: JSONObjectWriter) {
        add(name)
        text.append(contentsOf: value.text)
        text.append(UInt8(ascii: "}"))
    }

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

    /// Returns true when the text from `start` on certainly needs no escape: it is printable ASCII, as most texts are, without
    /// quotes and backslashes. The loop looks at every byte and has no branch.
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
