internal import System

/// Finds the fields of one record of comma-separated values (RFC 4180). The bytes may end in the middle of the record.
struct CSVParser {
    /// The range of a field, without its quotation marks. Quotation marks inside the field are still doubled.
    struct Field {
        var start = 0
        var end = 0
        /// True when the field has a doubled quotation mark inside.
        var isDoubled = false
    }

    /// The result of parsing a record.
    enum Outcome {
        /// The record ends before `end`, where the next one begins.
        case record(end: Int)
        /// The end of the record is not in the bytes yet.
        case unfinished
        /// The record is malformed at this byte.
        case wrong(FactsReason, at: Int)
    }

    /// The fields of the last record: the first ``fieldCount`` entries. The array keeps spare entries, so that a record
    /// allocates nothing.
    private(set) var fields = [Field](repeating: Field(), count: 16)
    private(set) var fieldCount = 0
    /// The number of line feeds inside quotation marks. When a quoted field with line feeds is malformed, only those of
    /// that field.
    private(set) var innerLineCount = 0

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Parses the record that begins at `start`. Only the bytes before `end` are read; `isLast` says that the table
    /// ends there.
    mutating func parse(_ bytes: Span<UInt8>, from start: Int, to end: Int, isLast: Bool) -> Outcome {
        let bytes = bytes.extracting(first: end)
        fieldCount = 0
        innerLineCount = 0
        var position = start
        while true {
            if fieldCount == fields.count { fields += [Field](repeating: Field(), count: fields.count) }
            if let outcome = Self.takeFields(bytes, &position, isLast, &fields, &fieldCount) {
                return outcome
            }
            guard fieldCount < fields.count else { continue }
            let (opening, earlierLines) = (position, innerLineCount)
            position += 1
            if let outcome = quoted(bytes, &position, isLast) { return outcome }
            if let outcome = Self.endField(bytes, &position, isLast) {
                guard case .wrong(let reason, _) = outcome, innerLineCount > earlierLines else {
                    return outcome
                }
                // The field was probably never closed, and the mark that seems to close it on a later line belongs to
                // another row.
                innerLineCount -= earlierLines
                return .wrong(reason, at: opening)
            }
        }
    }

    /// Reads unquoted fields. Returns the outcome at the end of the record. Returns nil when `fields` is full or when
    /// the next field begins with a quotation mark.
    @inline(__always)
    private static func takeFields(
        _ bytes: Span<UInt8>, _ position: inout Int, _ isLast: Bool, _ fields: inout [Field],
        _ count: inout Int
    ) -> Outcome? {
        var room = fields.mutableSpan
        var taken = count
        defer { count = taken }
        while taken < room.count {
            let first = position
            let special = bytes.withRawBytes { skipOrdinary(&position, $0) }
            if special == quote { return position == first ? nil : .wrong(.badQuote, at: position) }
            guard special != nil || isLast else { return .unfinished }
            room[taken] = Field(start: first, end: position, isDoubled: false)
            taken &+= 1
            // Most fields end with a comma that is followed by more bytes.
            if special == comma, position < bytes.count &- 1 {
                position &+= 1
            } else if let outcome = endField(bytes, &position, isLast) {
                return outcome
            }
        }
        return nil
    }

    /// Moves `position` to the next byte that is special (comma, line feed, quotation mark or carriage return) and
    /// returns it. Moves `position` to the end and returns nil when there is no such byte.
    @inline(__always)
    private static func skipOrdinary(_ position: inout Int, _ bytes: RawSpan) -> UInt8? {
        // All special bytes are below 0x2D, the character after the comma. `found` has the highest bit set in every
        // byte below 0x2D. This is certain up to the first such byte, and only that byte is used.
        while let word = bytes.uint64(at: position) {
            let found = (word &- 0x2D2D_2D2D_2D2D_2D2D) & ~word & 0x8080_8080_8080_8080
            guard found != 0 else {
                position &+= 8
                continue
            }
            let bitCount = UInt64(truncatingIfNeeded: found.trailingZeroBitCount & 56)
            position &+= Int(truncatingIfNeeded: bitCount >> 3)
            let byte = UInt8(truncatingIfNeeded: word &>> bitCount)
            if isSpecial(byte) { return byte }
            position &+= 1
        }
        while let byte = bytes.uint8(at: position) {
            if isSpecial(byte) { return byte }
            position &+= 1
        }
        return nil
    }

    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte <= comma && (byte == comma || byte == lineFeed || byte == quote || byte == carriageReturn)
    }

    /// Reads a quoted field, from the byte after its opening quotation mark to the byte after its closing mark. Returns
    /// nil when the field is complete.
    private mutating func quoted(_ bytes: Span<UInt8>, _ position: inout Int, _ isLast: Bool) -> Outcome? {
        let first = position
        var isDoubled = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == Self.lineFeed { innerLineCount += 1 }
            guard byte == Self.quote else { continue }
            if position < bytes.count, bytes[position] == Self.quote {
                isDoubled = true
                position += 1
                continue
            }
            guard position < bytes.count || isLast else { return .unfinished }
            fields[fieldCount] = Field(start: first, end: position - 1, isDoubled: isDoubled)
            fieldCount += 1
            return nil
        }
        return isLast ? .wrong(.unterminatedQuote, at: first - 1) : .unfinished
    }

    /// Reads the byte after a field. Returns nil when another field follows.
    @inline(__always)
    private static func endField(_ bytes: Span<UInt8>, _ position: inout Int, _ isLast: Bool) -> Outcome? {
        guard position < bytes.count else { return .record(end: position) }
        switch bytes[position] {
        case Self.comma:
            position += 1
            return position < bytes.count || isLast ? nil : .unfinished
        case Self.lineFeed: return .record(end: position + 1)
        case Self.carriageReturn:
            guard position + 1 < bytes.count else {
                return isLast ? .wrong(.strayReturn, at: position) : .unfinished
            }
            return bytes[position + 1] == Self.lineFeed
                ? .record(end: position + 2) : .wrong(.strayReturn, at: position)
        default: return .wrong(.badQuote, at: position)
        }
    }
}
