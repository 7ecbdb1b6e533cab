/// Checks a text before jansson parses it: its nesting, NUL, and control characters in strings. It walks over tokens as
/// jansson's lexer does until the text is not well formed, so no text makes jansson nest deeper than counted here.
enum JSONPrescan {
    static func check(_ text: Span<UInt8>, depthLimit: Int) throws(JSONError) {
        var depth = 0
        var inString = false
        var index = 0
        let count = text.count
        while index < count {
            let byte = text[index]
            if inString {
                switch byte {
                case UInt8(ascii: "\""):
                    inString = false
                case UInt8(ascii: "\\"):
                    if escapesNUL(text, at: index) { throw .containsNUL(position(index, text)) }
                    index += 1
                case 0:
                    throw .containsNUL(position(index, text))
                case 1..<0x20:
                    throw .syntax(position(index, text), "a control character inside a string")
                default: break
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""):
                    inString = true
                    index = plainEnd(text, from: index + 1)
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    if depth > depthLimit { throw .tooDeep(position(index, text)) }
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                case 0:
                    throw .containsNUL(position(index, text))
                default: break
                }
            }
            index += 1
        }
    }

    /// Returns an offset at or after `start` before which no byte is a quote, a backslash or a control character. Looks at
    /// eight bytes at a time.
    private static func plainEnd(_ text: Span<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let bytes = unsafe text.bytes
        var index = start
        while index + 8 <= bytes.byteCount {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ ones &* 0x22
            let slashes = word ^ ones &* 0x5C
            // The upper bit of a byte of a word is set where the byte is zero, or less than 0x20. A borrow can set it in the
            // bytes above such a byte, too.
            let isQuote = (quotes &- ones) & ~quotes
            let isSlash = (slashes &- ones) & ~slashes
            let isControl = (word &- ones &* 0x20) & ~word
            guard (isQuote | isSlash | isControl) & ones << 7 == 0 else { break }
            index += 8
        }
        return index
    }

    static func firstNonWhitespace(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < text.count {
            if !isWhitespace(text[index]) { return index }
            index += 1
        }
        return nil
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns the offset where the token that ends before `end` starts. jansson reports only where it stopped reading.
    static func tokenStart(_ text: Span<UInt8>, before end: Int) -> Int {
        guard end > 0, end <= text.count else { return max(0, min(end, text.count)) }
        var index = end - 1
        if text[index] == UInt8(ascii: "\"") { return openingQuote(text, closingAt: index) }
        while index > 0, text[index] & 0xC0 == 0x80 { index -= 1 }
        while index > 0, isWord(text[index]), isWord(text[index - 1]) { index -= 1 }
        return index
    }

    /// Returns the offset of the quote that opens the string closed at `end`. Inside a string every quote is escaped, so the
    /// opening quote is the nearest quote that does not follow an odd number of backslashes.
    private static func openingQuote(_ text: Span<UInt8>, closingAt end: Int) -> Int {
        var index = end - 1
        while index >= 0 {
            if text[index] == UInt8(ascii: "\"") {
                var backslashes = 0
                while index - backslashes > 0, text[index - backslashes - 1] == UInt8(ascii: "\\") {
                    backslashes += 1
                }
                if backslashes % 2 == 0 { return index }
            }
            index -= 1
        }
        return end
    }

    private static func escapesNUL(_ text: Span<UInt8>, at backslash: Int) -> Bool {
        guard text.count - backslash >= 6, text[backslash + 1] == UInt8(ascii: "u") else { return false }
        for index in backslash + 2..<backslash + 6 where text[index] != UInt8(ascii: "0") { return false }
        return true
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func position(_ index: Int, _ text: Span<UInt8>) -> JSONPosition {
        JSONPosition(byteOffset: index, in: text)
    }
}
