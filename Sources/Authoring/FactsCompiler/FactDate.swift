internal import System
internal import Vocabulary

/// Reads RFC 3339 in UTC without making strings: a table has millions of dates.
enum FactDate {
    /// Milliseconds since 1970 of `2026-11-21T01:52:19Z`, with up to nine digits of a fraction, which are cut to
    /// milliseconds. Nil for anything else, days that do not exist included.
    static func milliseconds(_ text: Span<UInt8>) -> Int64? {
        let count = text.count
        guard count >= 20, text[count - 1] == UInt8(ascii: "Z"), text[10] | 0x20 == UInt8(ascii: "t"),
            let date = text.withRawBytes({ pairs($0.uint64(at: 0), datePattern, dateAddend) }),
            let day = day(text),
            let time = text.withRawBytes({ pairs($0.uint64(at: 11), timePattern, timeAddend) }),
            let fraction = count == 20 ? 0 : fraction(text)
        else { return nil }
        let (hour, minute, second) = (pair(time, 0), pair(time, 3), pair(time, 6))
        guard
            let days = CivilTime.days(
                year: pair(date, 0) * 100 + pair(date, 2),
                month: pair(date, 5),
                day: day
            ),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return seconds * 1000 + fraction
    }

    /// `0000-00-` and `00:00:00` as words, the first character lowest.
    private static let datePattern: UInt64 = 0x2D30_302D_3030_3030
    private static let timePattern: UInt64 = 0x3030_3A30_303A_3030
    /// What is added to the exclusive or with a pattern: 6 makes more than 15 of all but digits, 15 of all but 0.
    private static let dateAddend: UInt64 = 0x0F06_060F_0606_0606
    private static let timeAddend: UInt64 = 0x0606_0F06_060F_0606

    /// Eight characters that are like a pattern, with any digits where it has a nought: in each byte ten times its digit
    /// and the next one. Nil for others.
    @inline(__always)
    private static func pairs(_ word: UInt64?, _ pattern: UInt64, _ addend: UInt64) -> UInt64? {
        guard let word else { return nil }
        let digits = word ^ pattern
        guard (digits | digits &+ addend) & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
        return digits &* 10 &+ digits >> 8
    }

    @inline(__always)
    private static func pair(_ pairs: UInt64, _ index: UInt64) -> Int64 {
        Int64(pairs >> (index * 8) & 0xFF)
    }

    @inline(__always)
    private static func day(_ text: Span<UInt8>) -> Int64? {
        let tens = text[8] &- UInt8(ascii: "0")
        let ones = text[9] &- UInt8(ascii: "0")
        return tens <= 9 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : nil
    }

    /// What stands between the seconds and the last byte, if anything does.
    private static func fraction(_ text: Span<UInt8>) -> Int64? {
        let end = text.count - 1
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
