internal import System

/// Finds the fields of one record of comma-separated values (RFC 4180) in bytes that may end in the middle of it.
struct CSVParser {
    /// Where a field stands: without its quotation marks, but with those inside still doubled.
    struct Field {
        var start = 0
        var end = 0
        /// Whether a quotation mark inside stands twice.
        var isDoubled = false
    }

    /// What became of a record.
    enum Outcome {
        /// It ends here; the next one begins.
        case record(end: Int)
        /// Its end is not there yet.
        case unfinished
        /// It is wrong, at this byte.
        case wrong(FactsReason, at: Int)
    }

    /// The fields of the record: the first ``fieldCount``. There is room for more, so that none is allocated.
    private(set) var fields = [Field](repeating: Field(), count: 16)
    private(set) var fieldCount = 0
    /// The line feeds that stand inside quotation marks; of what is wrong, those of the field alone.
    private(set) var innerLineCount = 0

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Takes the record that begins at `start`, of which `bytes` have what comes before `end`; `isLast` says that
    /// nothing comes behind it.
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
                // Lines further on most likely another row's mark was taken for the closing one.
                innerLineCount -= earlierLines
                return .wrong(reason, at: opening)
            }
        }
    }

    /// Takes fields up to the record's end, the room's end, or a quotation mark that begins a field: nil for these two.
    @inline(__always)
    private static func takeFields(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ isLast: Bool,
        _ fields: inout [Field],
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
            // Most fields end with a comma that more comes behind.
            if special == comma, position < bytes.count &- 1 {
                position &+= 1
            } else if let outcome = endField(bytes, &position, isLast) {
                return outcome
            }
        }
        return nil
    }

    /// Moves a place to the first byte from there on that is none of a field's, or to the end; that byte.
    @inline(__always)
    private static func skipOrdinary(_ position: inout Int, _ bytes: RawSpan) -> UInt8? {
        // All of them come before the character behind the comma. The highest bit of every byte that does is set, at
        // least up to the first of them.
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

    /// From behind the first quotation mark to behind the last one.
    private mutating func quoted(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ isLast: Bool
    ) -> Outcome? {
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

    /// Behind a field: nil when another one follows.
    @inline(__always)
    private static func endField(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ isLast: Bool
    ) -> Outcome? {
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
