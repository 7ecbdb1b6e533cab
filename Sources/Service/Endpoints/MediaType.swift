/// The check of `Content-Type` (RFC 9110 section 8.3).
enum MediaType {
    /// Returns true when `value` is `application/json`, in capital or small letters, with or without parameters. An
    /// empty value is accepted too, because Apple does not document what it sends.
    static func isJSON(_ value: Span<UInt8>) -> Bool {
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
        var start = 0
        while start < end, isSpace(value[start]) { start += 1 }
        while end > start, isSpace(value[end - 1]) { end -= 1 }
        guard start < end else { return end == value.count }
        let wanted = "application/json".utf8
        guard end - start == wanted.count else { return false }
        var index = start
        for byte in wanted {
            let found = value[index]
            let lower = found >= UInt8(ascii: "A") && found <= UInt8(ascii: "Z") ? found | 0x20 : found
            guard lower == byte else { return false }
            index += 1
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
