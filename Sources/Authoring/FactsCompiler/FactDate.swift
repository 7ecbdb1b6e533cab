internal import System
internal import Vocabulary

/// Reads dates in RFC 3339 form, in UTC, without creating strings, because a table has millions of dates.
enum FactDate {
    /// Returns the milliseconds since 1970 of a date such as `2026-11-21T01:52:19Z`. The date may have a fraction of up
    /// to nine digits, which is cut to milliseconds. Returns nil for any other text and for a day that does not exist.
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
                year: pair(date, 0) * 100 + pair(date, 2), month: pair(date, 5), day: day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return seconds * 1000 + fraction
    }

    /// The texts `0000-00-` and `00:00:00` as 64-bit words, with the first character in the lowest byte.
    private static let datePattern: UInt64 = 0x2D30_302D_3030_3030
    private static let timePattern: UInt64 = 0x3030_3A30_303A_3030
    /// The words added to the exclusive or of text and pattern. Adding 6 gives more than 15 for every byte that is not
    /// a digit; adding 15 gives more than 15 for every byte that is not 0, so it checks the separators.
    private static let dateAddend: UInt64 = 0x0F06_060F_0606_0606
    private static let timeAddend: UInt64 = 0x0606_0F06_060F_0606

    /// Returns a word whose bytes each hold ten times the digit at that place plus the next digit. Returns nil when the
    /// eight characters do not match the pattern, in which `0` stands for any digit.
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

    /// Returns the milliseconds of the fraction between the seconds and the final `Z`, or nil when the fraction is malformed.
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
