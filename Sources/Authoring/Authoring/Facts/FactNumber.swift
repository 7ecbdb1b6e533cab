internal import Facts
internal import System

enum FactNumber {
    /// No plus sign, no leading zero. Zeros behind a point are nothing, because a column of floating-point numbers has
    /// `3.0`.
    static func integer(_ text: Span<UInt8>) -> Int64? {
        if let value = digits(text) { return value }
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        guard end > 1, end < text.count, text[end - 1] == UInt8(ascii: ".") else { return nil }
        return digits(text.extracting(first: end - 1))
    }

    @inline(__always)
    private static func digits(_ text: Span<UInt8>) -> Int64? {
        guard text.count > 0 else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // Every number of 19 digits is below 2^64, and every number of 20 digits is above 2^63.
        guard text.count > start, text.count <= start + 19 else { return nil }
        guard text[start] != UInt8(ascii: "0") || text.count == 1 else { return nil }
        var value: UInt64 = 0
        for index in start..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        // The least number, -2^63, has no positive counterpart.
        guard value <= UInt64(Int64.max) + UInt64(start) else { return nil }
        return Int64(bitPattern: isNegative ? 0 &- value : value)
    }

    /// Also `t`, `f`, 1 and 0, whatever the case; nil for any other text.
    @inline(__always)
    static func boolean(_ text: Span<UInt8>) -> Int64? {
        // The constants are the letters as a number, with the first letter in the lowest byte. The bit 0x20 makes
        // letters small.
        let word = text.shortWord
        switch text.count {
        case 4 where word | 0x2020_2020 == 0x6575_7274: return 1
        case 5 where word | 0x20_2020_2020 == 0x65_736C_6166: return 0
        case 1 where word == 0x31 || word | 0x20 == 0x74: return 1
        case 1 where word == 0x30 || word | 0x20 == 0x66: return 0
        default: return nil
        }
    }

    @inline(__always)
    static func isNull(_ text: Span<UInt8>) -> Bool {
        text.count == 4 && text.shortWord | 0x2020_2020 == 0x6C6C_756E
    }
}

/// Reads dates without creating strings, because a table has millions of dates.
enum FactDate {
    /// Returns the milliseconds since 1970 of a date such as `2026-11-21T01:52:19Z`, or of a number of seconds or
    /// milliseconds since 1970. There may be a space for the T, a fraction of up to nine digits, which is cut to
    /// milliseconds, and an offset; a date without one is in UTC. Returns nil for any other text and for a day that does not
    /// exist.
    static func milliseconds(_ text: Span<UInt8>) -> Int64? {
        let count = text.count
        guard count >= 19 else { return epoch(text) }
        if text[count - 1] == UInt8(ascii: "Z"), let time = local(text, end: count - 1) { return time }
        var end = 19
        if count > 19, text[19] == UInt8(ascii: ".") {
            end = 20
            while end < count, text[end] &- UInt8(ascii: "0") <= 9 { end += 1 }
        }
        guard let time = local(text, end: end), let offset = offset(text.extracting(end..<count)),
            DataFileLimits.dateRange.contains(time - offset)
        else { return nil }
        return time - offset
    }

    /// A number below 10^9 may be a day, as 20261121, and one from 10^14 on has microseconds.
    private static func epoch(_ text: Span<UInt8>) -> Int64? {
        guard let number = FactNumber.integer(text) else { return nil }
        return switch number {
        case 1_000_000_000..<100_000_000_000: number * 1000
        case 1_000_000_000_000..<100_000_000_000_000: number
        default: nil
        }
    }

    /// `Z`, `UTC`, `+01:00`, `+0100` or `+01`, perhaps behind a space, or nothing.
    private static func offset(_ text: Span<UInt8>) -> Int64? {
        let text = text.count > 0 && text[0] == UInt8(ascii: " ") ? text.extracting(1..<text.count) : text
        if text.count == 0 { return 0 }
        if text.count == 1 { return text.shortWord | 0x20 == 0x7A ? 0 : nil }
        if text.count == 3, text.shortWord | 0x20_2020 == 0x63_7475 { return 0 }
        let hasColon = text.count == 6 && text[3] == UInt8(ascii: ":")
        let isAhead = text[0] == UInt8(ascii: "+")
        guard isAhead || text[0] == UInt8(ascii: "-"), hasColon || text.count == 3 || text.count == 5,
            let hours = number(text, at: 1), hours < 24,
            let minutes = text.count == 3 ? 0 : number(text, at: hasColon ? 4 : 3), minutes < 60
        else { return nil }
        let milliseconds = (hours * 60 + minutes) * 60_000
        return isAhead ? milliseconds : -milliseconds
    }

    private static func local(_ text: Span<UInt8>, end: Int) -> Int64? {
        let dash = UInt8(ascii: "-")
        let colon = UInt8(ascii: ":")
        guard end >= 19, text[4] == dash, text[7] == dash, text[13] == colon, text[16] == colon,
            text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
            let century = number(text, at: 0), let year = number(text, at: 2),
            let month = number(text, at: 5), let day = number(text, at: 8),
            let hour = number(text, at: 11), let minute = number(text, at: 14),
            let second = number(text, at: 17), hour < 24, minute < 60, second < 60,
            let days = CivilTime.days(year: century * 100 + year, month: month, day: day),
            let fraction = end == 19 ? 0 : fraction(text, end: end)
        else { return nil }
        return (days * 86_400 + hour * 3600 + minute * 60 + second) * 1000 + fraction
    }

    @inline(__always)
    private static func number(_ text: Span<UInt8>, at place: Int) -> Int64? {
        let tens = text[place] &- UInt8(ascii: "0")
        let ones = text[place + 1] &- UInt8(ascii: "0")
        return tens <= 9 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : nil
    }

    private static func fraction(_ text: Span<UInt8>, end: Int) -> Int64? {
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
