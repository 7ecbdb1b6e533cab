/// A place in an accepted JSON text that can step over tokens; at the end it stays where it is.
struct JSONCursor {
    private let source: [UInt8]
    private(set) var offset = 0

    init(_ source: [UInt8]) {
        self.source = source
    }

    var next: UInt8? { offset < source.count ? source[offset] : nil }

    mutating func skipWhitespace() {
        while let byte = next, JSONPrescan.isWhitespace(byte) { offset += 1 }
    }

    /// From the start of an object to the start of the member's value; returns where its key starts.
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

    /// From the start of an array to the start of one of its elements.
    mutating func enterElement(_ index: Int) -> Bool {
        guard take(UInt8(ascii: "[")), next != UInt8(ascii: "]") else { return false }
        for _ in 0..<max(0, index) {
            skipValue()
            guard take(UInt8(ascii: ",")) else { return false }
        }
        return index >= 0 && next != nil
    }

    /// Steps over `byte` and the whitespace around it.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipWhitespace()
        guard next == byte else { return false }
        offset += 1
        skipWhitespace()
        return true
    }

    /// Steps over one value, however deep, without recursion.
    private mutating func skipValue() {
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

    /// Steps over a string and returns its bytes with escapes resolved.
    private mutating func takeString() -> [UInt8] {
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
