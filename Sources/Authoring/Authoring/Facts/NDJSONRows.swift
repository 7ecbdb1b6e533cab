internal import Facts
internal import JSON
internal import Rules
internal import System

struct NDJSONRows: FactsRowSource {
    private let facts: [FactsSchema.Fact]
    private let names: [String]
    private var ignoredNames: Set<String> = []

    private static let limits = JSONLimits(
        byteCount: FactsCompilerLimits.rowByteCount + 2, depth: FactsCompilerLimits.depth)

    init(_ schema: FactsSchema) {
        facts = schema.facts
        names = schema.facts.map(\.column) + [schema.keyColumn]
    }

    var ignored: [String] { ignoredNames.sorted() }

    mutating func takeRow(_ bytes: Span<UInt8>, _ place: FactsRowPlace, into rows: inout FactsRowAssembler)
        -> FactsRowOutcome
    {
        var lineEnd = place.start
        var isBlank = true
        while lineEnd < place.end, bytes[lineEnd] != UInt8(ascii: "\n") {
            isBlank = isBlank && [0x20, 0x09, 0x0D].contains(bytes[lineEnd])
            lineEnd += 1
        }
        guard lineEnd < place.end || place.isLast else { return .unfinished }
        let end = min(lineEnd + 1, place.end)
        if isBlank { return .blank(end: end) }
        rows.begin()
        var faults: [FactsRowFault] = []
        do throws(JSONError) {
            let root = try JSONDocument(parsing: bytes.extracting(place.start..<lineEnd), limits: Self.limits)
                .root
            if root.kind == .object {
                faults = take(root, &rows).map { FactsRowFault(fault: $0, position: place.start) }
            } else {
                faults = [FactsRowFault(fault: .init(.badJSON, "not a JSON object"), position: place.start)]
            }
        } catch {
            let reason: FactsReason = error.code == "json.duplicate-key" ? .repeatedColumn : .badJSON
            let position = place.start + (error.position?.byteOffset ?? 0)
            faults = [FactsRowFault(fault: .init(reason, error.reason), position: position)]
        }
        return faults.isEmpty ? .good(end: end, lineCount: 1) : .bad(faults, end: end, lineCount: 1)
    }

    private mutating func take(_ root: JSONValue, _ rows: inout FactsRowAssembler)
        -> [FactsRowAssembler.Fault]
    {
        var faults: [FactsRowAssembler.Fault] = []
        var knownCount = 0
        for (column, name) in names.enumerated() {
            guard let value = root.member(named: name) else { continue }
            knownCount += 1
            do throws(FactsRowAssembler.Fault) {
                if column < facts.count {
                    try take(value, column, &rows)
                } else {
                    try takeKey(value, &rows)
                }
            } catch {
                faults.append(error)
            }
        }
        if knownCount < root.count, ignoredNames.count < FactsCompilerLimits.ignoredCount {
            ignoredNames.formUnion(root.members.map(\.name).filter { !names.contains($0) })
        }
        return faults
    }

    private func take(_ value: JSONValue, _ column: Int, _ rows: inout FactsRowAssembler)
        throws(FactsRowAssembler.Fault)
    {
        let fact = facts[column]
        switch value.kind {
        case .null: return
        case .string:
            // An empty string is a missing value, as an empty field is in CSV, so that a table means the same in both forms.
            _ = try value.withUTF8 { text throws(FactsRowAssembler.Fault) in
                if text.count > 0 { try rows.take(text, column: column) }
            }
            return
        case .integer, .real, .boolean:
            guard fact.type.kind != .string, value.kind != .boolean || fact.type.kind == .boolean,
                let text = Self.text(value)
            else { break }
            return try rows.take(text.utf8Span.span, column: column)
        case .array, .object: break
        }
        let wanted =
            switch fact.type {
            case .string, .enumeration: "a string"
            case .integer: "a whole number"
            case .date: "a date"
            case .boolean: "true or false"
            }
        throw .init(
            .badValue, "\(fact.column) is not \(wanted)", hint: "null, or no member, for a missing value",
            column: column)
    }

    private func takeKey(_ value: JSONValue, _ rows: inout FactsRowAssembler) throws(FactsRowAssembler.Fault)
    {
        switch value.kind {
        case .null: return
        case .string:
            _ = try value.withUTF8 { text throws(FactsRowAssembler.Fault) in try rows.takeKey(text) }
        case .integer, .real:
            let text = Self.text(value) ?? ""
            try rows.takeKey(text.utf8Span.span)
        default: throw .init(.badValue, "\(names[facts.count]) is neither a string nor a number")
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        value.int64.map { "\($0)" } ?? value.real.map { "\($0)" } ?? value.boolean.map { "\($0)" }
    }
}
