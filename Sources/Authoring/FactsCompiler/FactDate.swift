internal import Vocabulary

/// Reads RFC 3339 in UTC without making strings: a table has millions of dates.
enum FactDate {
    /// Milliseconds since 1970 of `2026-11-21T01:52:19Z`, with up to nine digits of a fraction, which are cut to
    /// milliseconds. Nil for anything else, days that do not exist included.
    static func milliseconds(_ text: Span<UInt8>) -> Int64? {
        let count = text.count
        guard count >= 20, text[count - 1] == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"),
            let century = pair(text, 0), let yearOfCentury = pair(text, 2), let month = pair(text, 5),
            let day = pair(text, 8), let hour = pair(text, 11), let minute = pair(text, 14),
            let second = pair(text, 17), let fraction = fraction(text)
        else { return nil }
        guard let days = CivilTime.days(year: century * 100 + yearOfCentury, month: month, day: day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return seconds * 1000 + fraction
    }

    @inline(__always)
    private static func pair(_ text: Span<UInt8>, _ index: Int) -> Int64? {
        let tens = text[index] &- UInt8(ascii: "0")
        let ones = text[index + 1] &- UInt8(ascii: "0")
        return tens <= 9 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : nil
    }

    /// What stands between the seconds and the last byte.
    private static func fraction(_ text: Span<UInt8>) -> Int64? {
        let end = text.count - 1
        guard end > 19 else { return 0 }
        guard text[19] == UInt8(ascii: "."), (21...29).contains(end) else { return nil }
        var value: Int64 = 0
        for index in 20..<end {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            if index < 23 { value = value * 10 + Int64(digit) }
        }
        for _ in end..<max(23, end) { value *= 10 }
        return value
    }
}
