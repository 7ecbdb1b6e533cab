internal import System

/// Reads the rows of newline-delimited JSON, which has one object on each line.
struct NDJSONRows: FactsRowSource {
    private let names: [[UInt8]]
    private var taken: [Bool]
    /// The index in `names` of the member that probably comes next. Rows usually have their members in the same order.
    private var expected = 0
    private var scratch: [UInt8] = []
    private var nameScratch: [UInt8] = []
    private var ignoredNames: Set<[UInt8]> = []

    private static let lineFeed = UInt8(ascii: "\n")

    /// Creates the reader. `names` holds the facts and, last, the key.
    init(facts: [FactsSchema.Fact]) {
        names = (facts.map(\.name) + [FactsSchema.keyName]).map { Array($0.utf8) }
        taken = Array(repeating: false, count: names.count)
    }

    /// The names of the members that the schema does not have.
    var ignored: [String] {
        ignoredNames.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func takeRow(_ bytes: Span<UInt8>, _ place: FactsRowPlace, into rows: inout FactsRowAssembler)
        -> FactsRowOutcome
    {
        var lineEnd = place.start
        while lineEnd < place.end, bytes[lineEnd] != Self.lineFeed { lineEnd += 1 }
        guard lineEnd < place.end || place.isLast else { return .unfinished }
        let end = min(lineEnd + 1, place.end)
        var scanner = JSONScanner(from: place.start, to: lineEnd)
        guard scanner.next(bytes) != nil else { return .blank(end: end) }
        rows.begin()
        expected = 0
        for index in taken.indices { taken[index] = false }
        do throws(JSONScanner.Fault) {
            try scanner.expect(UInt8(ascii: "{"), bytes)
            if scanner.next(bytes) == UInt8(ascii: "}") {
                try scanner.expect(UInt8(ascii: "}"), bytes)
            } else if let fault = try takeMembers(bytes, &scanner, &rows) {
                return .bad(fault, end: end, lineCount: 1)
            }
            guard scanner.next(bytes) == nil else {
                throw JSONScanner.Fault(message: "something behind the object", position: scanner.position)
            }
        } catch {
            let fault = FactsRowFault(fault: .init(.badJSON, error.message), position: error.position)
            return .bad(fault, end: end, lineCount: 1)
        }
        return .good(end: end, lineCount: 1)
    }

    private mutating func takeMembers(
        _ bytes: Span<UInt8>, _ scanner: inout JSONScanner, _ rows: inout FactsRowAssembler
    ) throws(JSONScanner.Fault) -> FactsRowFault? {
        while true {
            _ = scanner.next(bytes)
            let nameStart = scanner.position
            let name = try scanner.string(bytes)
            try scanner.expect(UInt8(ascii: ":"), bytes)
            _ = scanner.next(bytes)
            let start = scanner.position
            let index = find(name, bytes)
            let token = try scanner.value(bytes)
            if let index {
                do throws(FactsRowAssembler.Fault) {
                    guard !taken[index] else {
                        let text = String(decoding: names[index], as: UTF8.self)
                        let fault = FactsRowAssembler.Fault(.repeatedColumn, "two members \"\(text)\"")
                        return FactsRowFault(fault: fault, position: nameStart)
                    }
                    taken[index] = true
                    try take(token, index, bytes, &rows)
                } catch {
                    return FactsRowFault(fault: error, position: start)
                }
            }
            guard scanner.next(bytes) == UInt8(ascii: ",") else {
                try scanner.expect(UInt8(ascii: "}"), bytes)
                return nil
            }
            try scanner.expect(UInt8(ascii: ","), bytes)
        }
    }

    /// Returns the index of a member in ``names``, or nil for a member that the schema does not have.
    private mutating func find(_ name: JSONScanner.Token, _ bytes: Span<UInt8>) -> Int? {
        guard case .string(let start, let end, let hasEscapes) = name else { return nil }
        if hasEscapes {
            JSONScanner.decode(bytes, start, end, into: &nameScratch)
            let decoded = nameScratch
            return find(decoded.span)
        }
        return find(bytes.extracting(start..<end))
    }

    private mutating func find(_ name: Span<UInt8>) -> Int? {
        for step in names.indices {
            let index = expected + step < names.count ? expected + step : expected + step - names.count
            let wanted = names[index]
            if name.isEqual(to: wanted.span) {
                expected = index + 1 < names.count ? index + 1 : 0
                return index
            }
        }
        if ignoredNames.count < FactsCompilerLimits.ignoredCount {
            ignoredNames.insert(name.copied())
        }
        return nil
    }

    private mutating func take(
        _ token: JSONScanner.Token, _ index: Int, _ bytes: Span<UInt8>, _ rows: inout FactsRowAssembler
    ) throws(FactsRowAssembler.Fault) {
        let isKey = index == names.count - 1
        switch token {
        case .null: return
        case .string(let start, let end, let hasEscapes):
            guard isKey || rows.isText(index) else { throw mistyped(index, rows) }
            // An empty string is a missing value, as an empty field is in CSV, so that a table means the same in both forms.
            guard isKey || start < end else { return }
            if hasEscapes {
                JSONScanner.decode(bytes, start, end, into: &scratch)
                try give(scratch.span, isKey ? nil : index, &rows)
            } else {
                try give(bytes.extracting(start..<end), isKey ? nil : index, &rows)
            }
        case .number(let start, let end):
            guard isKey || rows.isInteger(index) else { throw mistyped(index, rows) }
            try give(bytes.extracting(start..<end), isKey ? nil : index, &rows)
        case .yes, .no:
            guard !isKey, rows.isBoolean(index) else { throw mistyped(index, rows) }
            rows.take(token == .yes, column: index)
        case .nested: throw mistyped(index, rows)
        }
    }

    private func give(_ text: Span<UInt8>, _ column: Int?, _ rows: inout FactsRowAssembler)
        throws(FactsRowAssembler.Fault)
    {
        if let column { try rows.take(text, column: column) } else { try rows.takeKey(text) }
    }

    private func mistyped(_ index: Int, _ rows: borrowing FactsRowAssembler) -> FactsRowAssembler.Fault {
        let name = String(decoding: names[index], as: UTF8.self)
        guard index < names.count - 1 else {
            return .init(.wrongType, "\(name) is neither a string nor a number")
        }
        let wanted =
            if rows.isText(index) {
                "a string"
            } else if rows.isInteger(index) {
                "a whole number"
            } else {
                "true or false"
            }
        return .init(.wrongType, "\(name) is not \(wanted)", hint: "null, or no member, for a missing value")
    }
}
