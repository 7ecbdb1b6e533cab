/// The texts of identifiers and times, in words of eight bytes. The first character is the lowest byte of a word.
extension TextBuffer {
    /// Appends an identifier in its 36-character form, in lower case.
    public mutating func append(_ identifier: UUID) {
        let (high, low) = (identifier.high, identifier.low)
        let groups = (
            HexadecimalDigits.eight(UInt32(truncatingIfNeeded: high)),
            HexadecimalDigits.eight(UInt32(truncatingIfNeeded: low >> 32))
        )
        append(word: HexadecimalDigits.eight(UInt32(truncatingIfNeeded: high >> 32)))
        // `-c097-41`, `8e-9dd5-`, and the two groups behind them without the ten digits that are there already.
        append(word: Self.dash | groups.0 << 8 & 0xFF_FFFF_FF00 | Self.dash << 40 | (groups.0 >> 32) << 48)
        append(
            word: groups.0 >> 48 | Self.dash << 16 | groups.1 << 24 & 0xFF_FFFF_FF00_0000 | Self.dash << 56
        )
        append(half: UInt32(truncatingIfNeeded: groups.1 >> 32))
        append(word: HexadecimalDigits.eight(UInt32(truncatingIfNeeded: low)))
    }

    /// Appends a time in RFC 3339 with milliseconds: `2026-11-21T01:52:19.123Z`.
    public mutating func append(_ time: CivilTime) {
        if (0...9999).contains(time.year) {
            append(
                half: UInt32(
                    truncatingIfNeeded: Self.pair(time.year / 100) | Self.pair(time.year % 100) << 16
                )
            )
        } else {
            append(decimal: time.year)
        }
        append(half: UInt32(truncatingIfNeeded: Self.dash | Self.pair(time.month) << 8 | Self.dash << 24))
        append(
            word: Self.pair(time.day) | Self.character("T") << 16 | Self.pair(time.hour) << 24
                | Self.character(":") << 40 | Self.pair(time.minute) << 48
        )
        append(
            word: Self.character(":") | Self.pair(time.second) << 8 | Self.character(".") << 24
                | Self.pair(time.millisecond / 10) << 32 | (Self.pair(time.millisecond % 10) >> 8) << 48
                | Self.character("Z") << 56
        )
    }

    private static let dash = character("-")

    private static func character(_ scalar: Unicode.Scalar) -> UInt64 { UInt64(scalar.value) }

    /// Returns two decimal digits.
    private static func pair(_ number: Int64) -> UInt64 {
        let number = UInt64(bitPattern: number)
        return 0x3030 + number / 10 + (number % 10) << 8
    }
}
