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
        let year = century * 100 + yearOfCentury
        guard (1...12).contains(month), day >= 1, day <= dayCount(year, month), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
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

    private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1970-01-01. The year is counted from March, so that the leap day is its last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year + 399 : year + 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        // 719,468 days from 0000-03-01 to 1970-01-01, and the 400 years added above.
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }
}
