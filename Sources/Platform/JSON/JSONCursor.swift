/// A position in an accepted JSON text that can step over tokens. At the end of the text it stays where it is.
struct JSONCursor {
    let source: [UInt8]
    private(set) var offset = 0

    init(_ source: [UInt8]) {
        self.source = source
    }

    var next: UInt8? { offset < source.count ? source[offset] : nil }

    mutating func skipWhitespace() {
        while let byte = next, JSONPrescan.isWhitespace(byte) { offset += 1 }
    }

    /// Moves from the start of an object to the value of the member `name`. Returns the offset of the member's key, or nil
    /// when there is no such member.
    mutating func enterMember(_ name: [UInt8]) -> Int? {
        guard take(UInt8(ascii: "{")) else { return nil }
        while next == UInt8(ascii: "\"") {
            let start = offset
            let key = takeString()
            guard take(UInt8(ascii: ":")) else { return nil }
            if key == name { return start }
            skipValue()
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    /// Moves from the start of an array to its element at `index`. Returns false when there is no such element.
    mutating func enterElement(_ index: Int) -> Bool {
        guard take(UInt8(ascii: "[")), next != UInt8(ascii: "]") else { return false }
        for _ in 0..<max(0, index) {
            skipValue()
            guard take(UInt8(ascii: ",")) else { return false }
        }
        return index >= 0 && next != nil
    }

    /// Steps over `byte` and the whitespace around it. Returns false when the next byte is another one.
    mutating func take(_ byte: UInt8) -> Bool {
        skipWhitespace()
        guard next == byte else { return false }
        offset += 1
        skipWhitespace()
        return true
    }

    /// Steps over one value, of any depth, without recursion.
    mutating func skipValue() {
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): _ = takeString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                offset += 1
            case UInt8(ascii: ","):
                if depth == 0 { return }
                offset += 1
            default: offset += 1
            }
        }
    }

    /// Steps over a string and returns its bytes with the escapes decoded.
    mutating func takeString() -> [UInt8] {
        var bytes: [UInt8] = []
        offset += 1
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"):
                var position = offset
                JSONEscape.take(source.span, &position, into: &bytes)
                offset = position
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
