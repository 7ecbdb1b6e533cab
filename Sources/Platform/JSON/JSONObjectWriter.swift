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
            for byte in value.utf8 { append(escaping: byte) }
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

    /// Whether what was written from a place on needs no escape. Looks at all of it, without a branch: most texts do not.
    private func isPlain(from start: Int) -> Bool {
        unsafe text.withUnsafeBufferPointer { bytes in
            var isPlain = true
            for index in start..<bytes.count {
                let byte = unsafe bytes[index]
                let isFree = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                isPlain = isPlain && isFree
            }
            return isPlain
        }
    }

    /// As jansson writes it: short escapes where there are such, capital digits, nothing else.
    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
        case 0x08: text += #"\b"#.utf8
        case 0x0C: text += #"\f"#.utf8
        case 0x0A: text += #"\n"#.utf8
        case 0x0D: text += #"\r"#.utf8
        case 0x09: text += #"\t"#.utf8
        case 0..<0x20:
            let digits = String(byte, radix: 16, uppercase: true)
            text += (byte < 16 ? #"\u000\#(digits)"# : #"\u00\#(digits)"#).utf8
        default: text.append(byte)
        }
    }
}
