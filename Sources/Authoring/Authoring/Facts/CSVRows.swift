internal import System

/// Reads the header and the rows of a table of comma-separated values (RFC 4180). The header row tells whether another
/// character separates them.
struct CSVRows: FactsRowSource {
    private enum Use {
        case key
        case fact(Int)
        case ignored
    }

    private var uses: [Use] = []
    private var parser = CSVParser()
    private var scratch: [UInt8] = []
    private let schema: FactsSchema
    private let optional: Set<String>
    private(set) var ignored: [String] = []

    private static let lineFeed = UInt8(ascii: "\n")

    init(_ schema: FactsSchema, optional: Set<String> = []) {
        self.schema = schema
        self.optional = optional
    }

    /// Returns the end of the header row and its number of lines, or nil when more bytes must be read first.
    mutating func takeHeader(_ bytes: Span<UInt8>, _ place: FactsRowPlace) throws(FactsHeaderFaults)
        -> (end: Int, lineCount: Int)?
    {
        guard let separator = separator(bytes, place) else { return nil }
        parser.separator = separator
        switch parser.parse(bytes, from: place.start, to: place.end, isLast: place.isLast) {
        case .unfinished: return nil
        case .wrong(let reason, let position):
            let fault = FactsRowAssembler.Fault(reason, "the header row is not well-formed")
            throw FactsHeaderFaults(faults: [FactsRowFault(fault: fault, position: position)])
        case .record(let end):
            var names: [String] = []
            for field in parser.fields { names.append(text(of: field, bytes)) }
            let faults = bind(names, place)
            guard faults.isEmpty else { throw FactsHeaderFaults(faults: faults) }
            return (end, parser.innerLineCount + 1)
        }
    }

    /// The one with which the key has a column, or else the one that the header row has most. Nil when more bytes must
    /// be read first.
    private func separator(_ bytes: Span<UInt8>, _ place: FactsRowPlace) -> UInt8? {
        var line: [UInt8] = []
        var isQuoted = false
        var index = place.start
        while index < place.end, isQuoted || bytes[index] != Self.lineFeed {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\r"): break
            default: line.append(bytes[index])
            }
            index += 1
        }
        guard index < place.end || place.isLast else { return nil }
        let separators = Array(",;\t|".utf8)
        let fitting = separators.first { separator in
            line.split(separator: separator).contains { $0.elementsEqual(schema.keyColumn.utf8) }
        }
        return fitting
            ?? separators.max { one, other in line.count { $0 == one } < line.count { $0 == other } }
    }

    /// A repeated column is reported at its second place, a missing one at the start of the header row.
    private mutating func bind(_ names: [String], _ place: FactsRowPlace) -> [FactsRowFault] {
        var faults: [FactsRowFault] = []
        uses = names.map { name in
            if name == schema.keyColumn { return .key }
            return schema.facts.firstIndex { $0.column == name }.map { .fact($0) } ?? .ignored
        }
        for (name, needed) in [("", schema.keyColumn)] + schema.facts.map({ ($0.name, $0.column) }) {
            let places = names.indices.filter { names[$0] == needed }
            if places.count > 1 {
                let fault = FactsRowAssembler.Fault(.repeatedColumn, "\(places.count) columns \"\(needed)\"")
                faults.append(FactsRowFault(fault: fault, position: parser.fields[places[1]].start))
            }
            guard places.isEmpty, !optional.contains(name) else { continue }
            let fault = FactsRowAssembler.Fault(
                .badHeader, "no column \"\(needed)\"",
                hint: FactsCompiler.suggestion(for: needed, among: names))
            faults.append(FactsRowFault(fault: fault, position: place.start))
        }
        for (name, use) in zip(names, uses) {
            if case .ignored = use { ignored.append(name) }
        }
        return faults
    }

    mutating func takeRow(_ bytes: Span<UInt8>, _ place: FactsRowPlace, into rows: inout FactsRowAssembler)
        -> FactsRowOutcome
    {
        switch parser.parse(bytes, from: place.start, to: place.end, isLast: place.isLast) {
        case .unfinished: return .unfinished
        case .wrong(let reason, let position):
            let words = Self.words(reason, lineCount: parser.innerLineCount)
            let fault = FactsRowFault(fault: .init(reason, words), position: position)
            // Only the rest of the line is dropped with the row. When a quotation mark is wrong, the lines that it
            // seems to enclose are other rows.
            var end = place.start
            while end < place.end, bytes[end] != Self.lineFeed { end += 1 }
            guard end < place.end || place.isLast else { return .unfinished }
            return .bad([fault], end: min(end + 1, place.end), lineCount: 1)
        case .record(let end):
            let lineCount = parser.innerLineCount + 1
            let fields = parser.fields
            let count = fields.count
            if count == 1, fields[0].start == fields[0].end, bytes[place.start] != UInt8(ascii: "\"") {
                return .blank(end: end)
            }
            guard count == uses.count else {
                let words = "\(count) fields, the header has \(uses.count)"
                let fault = FactsRowFault(fault: .init(.wrongFieldCount, words), position: place.start)
                return .bad([fault], end: end, lineCount: lineCount)
            }
            let faults = take(fields, bytes, &rows)
            guard faults.isEmpty else { return .bad(faults, end: end, lineCount: lineCount) }
            return .good(end: end, lineCount: lineCount)
        }
    }

    private mutating func take(
        _ fields: [CSVParser.Field], _ bytes: Span<UInt8>, _ rows: inout FactsRowAssembler
    ) -> [FactsRowFault] {
        rows.begin()
        var faults: [FactsRowFault] = []
        for index in uses.indices {
            let field = fields[index]
            do throws(FactsRowAssembler.Fault) {
                switch uses[index] {
                case .ignored: continue
                case .key: try rows.takeKey(bytes.extracting(field.start..<field.end))
                case .fact(let column):
                    guard field.start < field.end else { continue }
                    if field.isDoubled {
                        unescape(field, bytes)
                        try rows.take(scratch.span, column: column)
                    } else {
                        try rows.take(bytes.extracting(field.start..<field.end), column: column)
                    }
                }
            } catch {
                faults.append(FactsRowFault(fault: error, position: field.start))
            }
        }
        return faults
    }

    private mutating func unescape(_ field: CSVParser.Field, _ bytes: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        var position = field.start
        while position < field.end {
            scratch.append(bytes[position])
            position += bytes[position] == UInt8(ascii: "\"") ? 2 : 1
        }
    }

    private mutating func text(of field: CSVParser.Field, _ bytes: Span<UInt8>) -> String {
        unescape(field, bytes)
        return String(decoding: scratch, as: UTF8.self)
    }

    private static func words(_ reason: FactsReason, lineCount: Int) -> String {
        switch reason {
        case .unterminatedQuote: "a quotation mark that is never closed"
        case _ where lineCount == 1: "a quotation mark that the next line closes, with more behind it"
        case _ where lineCount > 1:
            "a quotation mark that is closed \(lineCount) lines further on, with more behind it"
        case .badQuote: "a quotation mark where none may stand"
        default: "a carriage return that does not end a line"
        }
    }
}

/// Finds the fields of one record of comma-separated values (RFC 4180). The bytes may end in the middle of the record.
struct CSVParser {
    /// The range of a field, without its quotation marks. Quotation marks inside the field are still doubled.
    struct Field {
        var start = 0
        var end = 0
        var isDoubled = false
    }

    enum Outcome {
        case record(end: Int)
        case unfinished
        case wrong(FactsReason, at: Int)
    }

    var separator = UInt8(ascii: ",")
    private(set) var fields: [Field] = []
    /// When a quoted field is malformed, only those of that field.
    private(set) var innerLineCount = 0

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Only the bytes before `end` are read; `isLast` says that the table ends there.
    mutating func parse(_ bytes: Span<UInt8>, from start: Int, to end: Int, isLast: Bool) -> Outcome {
        let bytes = bytes.extracting(first: end)
        fields.removeAll(keepingCapacity: true)
        innerLineCount = 0
        var position = start
        while true {
            let (opening, earlierLines) = (position, innerLineCount)
            if position < end, bytes[position] == Self.quote {
                position += 1
                if let outcome = quoted(bytes, &position, isLast) { return outcome }
            } else {
                while position < end, !isSpecial(bytes[position]) { position += 1 }
                guard position < end || isLast else { return .unfinished }
                if position < end, bytes[position] == Self.quote { return .wrong(.badQuote, at: position) }
                fields.append(Field(start: opening, end: position))
            }
            guard let outcome = endField(bytes, &position, isLast) else { continue }
            guard case .wrong(let reason, _) = outcome, innerLineCount > earlierLines else { return outcome }
            // The field was probably never closed, and the mark that seems to close it on a later line belongs to
            // another row.
            innerLineCount -= earlierLines
            return .wrong(reason, at: opening)
        }
    }

    @inline(__always)
    private func isSpecial(_ byte: UInt8) -> Bool {
        byte == separator || byte == Self.lineFeed || byte == Self.quote || byte == Self.carriageReturn
    }

    /// From the byte behind the opening mark to the byte behind the closing one. Nil when the field is complete.
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
            fields.append(Field(start: first, end: position - 1, isDoubled: isDoubled))
            return nil
        }
        return isLast ? .wrong(.unterminatedQuote, at: first - 1) : .unfinished
    }

    private func endField(_ bytes: Span<UInt8>, _ position: inout Int, _ isLast: Bool) -> Outcome? {
        guard position < bytes.count else { return .record(end: position) }
        switch bytes[position] {
        case separator:
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
