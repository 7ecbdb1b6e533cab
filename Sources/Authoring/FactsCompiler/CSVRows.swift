/// Reads the header and the rows of a table of comma-separated values (RFC 4180).
struct CSVRows: FactsRowSource {
    /// What a column is used for.
    private enum Use {
        case key
        case fact(Int)
        case ignored
    }

    private var uses: [Use] = []
    private var parser = CSVParser()
    private var scratch: [UInt8] = []
    /// The names of the facts whose columns may be absent.
    private let optional: Set<String>
    /// The names of the columns that the schema does not have.
    private(set) var ignored: [String] = []

    private static let lineFeed = UInt8(ascii: "\n")

    /// Makes a reader of a table in which the columns of some facts may be absent.
    init(optional: Set<String> = []) { self.optional = optional }

    /// Reads the header row, which names the columns.
    ///
    /// - Returns: the end of the header row and its number of lines, or nil when more bytes must be read first.
    mutating func takeHeader(_ bytes: Span<UInt8>, _ place: FactsRowPlace, _ facts: [FactsSchema.Fact])
        throws(FactsHeaderFaults) -> (end: Int, lineCount: Int)?
    {
        switch parser.parse(bytes, from: place.start, to: place.end, isLast: place.isLast) {
        case .unfinished: return nil
        case .wrong(let reason, let position):
            try checkSeparator(bytes, place)
            let fault = FactsRowAssembler.Fault(reason, "the header row is not well-formed")
            throw FactsHeaderFaults(faults: [FactsRowFault(fault: fault, position: position)])
        case .record(let end):
            var names: [String] = []
            for field in parser.fields[..<parser.fieldCount] { names.append(text(of: field, bytes)) }
            if !names.contains(FactsSchema.keyName) { try checkSeparator(bytes, place) }
            let faults = bind(names, facts, place)
            guard faults.isEmpty else { throw FactsHeaderFaults(faults: faults) }
            return (end, parser.innerLineCount + 1)
        }
    }

    /// Refuses a header row that names the key when another separator than the comma is taken for one.
    private func checkSeparator(_ bytes: Span<UInt8>, _ place: FactsRowPlace) throws(FactsHeaderFaults) {
        var line: [UInt8] = []
        for index in place.start..<place.end where bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] >= 0x20 || bytes[index] == UInt8(ascii: "\t") else { break }
            line.append(bytes[index])
        }
        for (separator, words) in [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")] {
            let names = line.split(separator: Array(separator.utf8)[0])
            guard names.count > 1, names.contains(where: { $0.elementsEqual(FactsSchema.keyName.utf8) })
            else {
                continue
            }
            let fault = FactsRowAssembler.Fault(
                .missingColumn, "\(words) separate the columns, and not commas",
                hint: "choose the comma as separator when you export the table, or give it as NDJSON")
            throw FactsHeaderFaults(faults: [FactsRowFault(fault: fault, position: place.start)])
        }
    }

    /// Assigns a use to each column and returns the faults. A repeated column is reported at its second place, a
    /// missing one at the start of the header row.
    private mutating func bind(_ names: [String], _ facts: [FactsSchema.Fact], _ place: FactsRowPlace)
        -> [FactsRowFault]
    {
        var faults: [FactsRowFault] = []
        uses = names.map { name in
            if name == FactsSchema.keyName { return .key }
            return facts.firstIndex { $0.name == name }.map { .fact($0) } ?? .ignored
        }
        for needed in [FactsSchema.keyName] + facts.map(\.name) {
            let places = names.indices.filter { names[$0] == needed }
            if places.count > 1 {
                let fault = FactsRowAssembler.Fault(.repeatedColumn, "\(places.count) columns \"\(needed)\"")
                faults.append(FactsRowFault(fault: fault, position: parser.fields[places[1]].start))
            }
            guard places.isEmpty, !optional.contains(needed) else { continue }
            let fault = FactsRowAssembler.Fault(
                .missingColumn, "no column \"\(needed)\"",
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
            return .bad(fault, end: min(end + 1, place.end), lineCount: 1)
        case .record(let end):
            let lineCount = parser.innerLineCount + 1
            let fields = parser.fields
            let count = parser.fieldCount
            if count == 1, fields[0].start == fields[0].end, bytes[place.start] != UInt8(ascii: "\"") {
                return .blank(end: end)
            }
            guard count == uses.count else {
                let words = "\(count) fields, the header has \(uses.count)"
                let fault = FactsRowFault(fault: .init(.wrongFieldCount, words), position: place.start)
                return .bad(fault, end: end, lineCount: lineCount)
            }
            if let fault = take(fields, bytes, &rows) { return .bad(fault, end: end, lineCount: lineCount) }
            return .good(end: end, lineCount: lineCount)
        }
    }

    /// Passes the fields of a row to the assembler and returns the first fault. An empty field is a missing value.
    private mutating func take(
        _ fields: [CSVParser.Field], _ bytes: Span<UInt8>, _ rows: inout FactsRowAssembler
    ) -> FactsRowFault? {
        rows.begin()
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
                return FactsRowFault(fault: error, position: field.start)
            }
        }
        return nil
    }

    /// Copies a field into ``scratch`` and replaces each doubled quotation mark by a single one.
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
