/// Finds the fields of one record of comma-separated values (RFC 4180) in bytes that may end in the middle of it.
struct CSVParser {
    /// Where a field stands: without its quotation marks, but with those inside still doubled.
    struct Field {
        let start: Int
        let end: Int
        /// Whether a quotation mark inside stands twice.
        let isDoubled: Bool
    }

    /// What became of a record.
    enum Outcome {
        /// It ends here; the next one begins.
        case record(end: Int)
        /// Its end is not there yet.
        case unfinished
        /// It is wrong, at this byte.
        case wrong(FactsFinding.Reason, at: Int)
    }

    private(set) var fields: [Field] = []
    /// The line feeds that stand inside quotation marks.
    private(set) var innerLineCount = 0

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Takes the record that begins at `start`, of which `bytes` have what comes before `end`; `isLast` says that
    /// nothing comes behind it.
    mutating func parse(_ bytes: Span<UInt8>, from start: Int, to end: Int, isLast: Bool) -> Outcome {
        fields.removeAll(keepingCapacity: true)
        innerLineCount = 0
        var position = start
        while true {
            guard position < end, bytes[position] == Self.quote else {
                let first = position
                // All that ends a field comes before the comma among the characters.
                while position < end, !Self.isSpecial(bytes[position]) { position += 1 }
                guard position < end || isLast else { return .unfinished }
                if position < end, bytes[position] == Self.quote { return .wrong(.badQuote, at: position) }
                fields.append(Field(start: first, end: position, isDoubled: false))
                if let outcome = endField(bytes, &position, end, isLast) { return outcome }
                continue
            }
            position += 1
            if let outcome = quoted(bytes, &position, end, isLast) { return outcome }
            if let outcome = endField(bytes, &position, end, isLast) { return outcome }
        }
    }

    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte <= comma && (byte == comma || byte == lineFeed || byte == quote || byte == carriageReturn)
    }

    /// From behind the first quotation mark to behind the last one.
    private mutating func quoted(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ end: Int,
        _ isLast: Bool
    ) -> Outcome? {
        let first = position
        var isDoubled = false
        while position < end {
            let byte = bytes[position]
            position += 1
            if byte == Self.lineFeed { innerLineCount += 1 }
            guard byte == Self.quote else { continue }
            if position < end, bytes[position] == Self.quote {
                isDoubled = true
                position += 1
                continue
            }
            guard position < end || isLast else { return .unfinished }
            fields.append(Field(start: first, end: position - 1, isDoubled: isDoubled))
            return nil
        }
        return isLast ? .wrong(.unterminatedQuote, at: first - 1) : .unfinished
    }

    /// Behind a field: nil when another one follows.
    @inline(__always)
    private func endField(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ end: Int,
        _ isLast: Bool
    ) -> Outcome? {
        guard position < end else { return .record(end: end) }
        switch bytes[position] {
        case Self.comma:
            position += 1
            return position < end || isLast ? nil : .unfinished
        case Self.lineFeed: return .record(end: position + 1)
        case Self.carriageReturn:
            guard position + 1 < end else {
                return isLast ? .wrong(.strayReturn, at: position) : .unfinished
            }
            return bytes[position + 1] == Self.lineFeed
                ? .record(end: position + 2) : .wrong(.strayReturn, at: position)
        default: return .wrong(.badQuote, at: position)
        }
    }
}
