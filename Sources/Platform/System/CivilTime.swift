/// A moment as a date and a time of day in UTC (proleptic Gregorian calendar, no leap seconds). It is for texts that people
/// read and for certificates. All code that computes with time uses milliseconds since 1970.
public struct CivilTime: Sendable, Hashable, CustomStringConvertible {
    /// The year 1 BC is 0.
    public let year: Int64
    public let month: Int64
    public let day: Int64
    public let hour: Int64
    public let minute: Int64
    public let second: Int64
    public let millisecond: Int64

    public init(milliseconds: Int64) {
        let days = Self.floorDivision(milliseconds, 86_400_000)
        let rest = milliseconds - days * 86_400_000
        (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
        (second, millisecond) = (rest / 1000 % 60, rest % 1000)
        // Days are counted from 0000-03-01, so that the leap day is the last of its year and a 400-year era has a
        // fixed length of 146,097 days.
        let shifted = days + 719_468
        let era = Self.floorDivision(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Reads a time in RFC 3339: `2026-11-21T01:52:19Z`. The text may have up to nine digits of a fraction (cut to
    /// milliseconds) and an offset such as `+02:00` instead of `Z`. Returns nil for any other text, also for a day that does
    /// not exist.
    public init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2), let fraction = reader.fraction(),
            let offset = reader.offsetMinutes(), reader.isAtEnd,
            let days = Self.days(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second
        self.init(milliseconds: seconds * 1000 + fraction)
    }

    public var milliseconds: Int64 {
        let days = Self.uncheckedDays(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return seconds * 1000 + millisecond
    }

    public var description: String { "\(millisecondDescription.dropLast(5))Z" }

    public var millisecondDescription: String {
        var text = TextBuffer(reservingByteCount: 64)
        text.append(self)
        return text.string
    }

    /// The time in RFC 3339, with milliseconds only when they are not 0.
    public var exactDescription: String { millisecond == 0 ? description : millisecondDescription }

    /// The time as ASN.1 GeneralizedTime in whole seconds (RFC 5280 section 4.1.2.5.2): `20261121015219Z`.
    public var generalizedTime: String {
        String(description.filter { $0 != "-" && $0 != ":" && $0 != "T" })
    }

    @inlinable
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), day >= 1, day <= dayCount(year: year, month: month) else {
            return nil
        }
        return uncheckedDays(year: year, month: month, day: day)
    }

    @inlinable
    static func dayCount(year: Int64, month: Int64) -> Int64 {
        guard month == 2 else { return 30 + (month ^ month >> 3) & 1 }
        // A multiple of 100 is a multiple of 400 when it is a multiple of 16.
        return year & 3 == 0 && (year & 15 == 0 || year % 100 != 0) ? 29 : 28
    }

    @inlinable
    static func uncheckedDays(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let century = floorDivision(shiftedYear, 100)
        let leapDays = shiftedYear >> 2 - century + century >> 2
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shiftedYear * 365 + leapDays + dayOfYear - 719_468
    }

    @inlinable
    static func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }
}

private struct Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else {
            return nil
        }
        position += 1
        return Int64(bytes[position - 1] - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let next = digit() else { return nil }
            value = value * 10 + next
        }
        return value
    }

    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while let next = digit() {
            if count < 3 { value = value * 10 + next }
            count += 1
        }
        guard (1...9).contains(count) else { return nil }
        for _ in count..<max(3, count) { value *= 10 }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
