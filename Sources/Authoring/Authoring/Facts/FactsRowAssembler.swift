internal import Facts
internal import Rules
internal import System

struct FactsRowAssembler: ~Copyable {
    struct Fault: Error {
        let reason: FactsReason
        let message: String
        let hint: String?
        let column: Int?

        init(_ reason: FactsReason, _ message: String, hint: String? = nil, column: Int? = nil) {
            self.reason = reason
            self.column = column
            self.message = message
            self.hint = hint
        }
    }

    let facts: [FactsSchema.Fact]
    private let kinds: [ValueKind]
    private let enumerations: [Set<[UInt8]>?]
    private var builder: FactsBuilder
    private var key: UInt64?
    private var seen: UInt64 = 0
    /// The number of keys with 16 digits or more, and how many of them end in 0.
    private var (longKeyCount, roundKeyCount) = (0, 0)

    init(facts: [FactsSchema.Fact], duplicates: FactsBuilder.Duplicates) {
        self.facts = facts
        kinds = facts.map(\.type.kind)
        enumerations = facts.map { fact in
            fact.type.values.map { values in Set(values.map { Array($0.utf8) }) }
        }
        builder = FactsBuilder(columns: facts.map { .init(name: $0.name, kind: $0.type.kind) })
        builder.duplicates = duplicates
    }

    var rowCount: Int { builder.rowCount }

    var alwaysMissing: [FactsSchema.Fact] {
        facts.indices.filter { seen >> UInt64($0) & 1 == 0 }.map { facts[$0] }
    }

    consuming func finish() -> FactsBuilder { builder }

    mutating func begin() {
        builder.discard()
        key = nil
    }

    mutating func takeKey(_ text: Span<UInt8>) throws(Fault) {
        guard let number = FactsKey.parse(decimal: text) else {
            guard text.count > 0 else { throw Fault(.badKey, "no \(FactsSchema.keyName)") }
            throw Fault(
                .badKey, "\(FactsSchema.keyName) \(Self.quoted(text)) is not a number from 1 to 2^64 - 1",
                hint: "decimal digits alone; if a spreadsheet has rounded it, export the column as text")
        }
        key = number
    }

    @inline(__always)
    mutating func take(_ text: Span<UInt8>, column: Int) throws(Fault) {
        let value: Int64?
        switch kinds[column] {
        case .boolean: value = FactNumber.boolean(text)
        case .integer: value = FactNumber.integer(text)
        case .date: value = FactDate.milliseconds(text)
        case .string:
            if FactNumber.isNull(text) { return }
            // A text that the column has accepted before needs no second check.
            if !builder.setKnown(text, column: column) { try takeNew(text, column) }
            return
        }
        guard let value else {
            if FactNumber.isNull(text) { return }
            throw noValue(text, column)
        }
        builder.set(value, column: column)
    }

    mutating func commit(line: Int) throws(Fault) {
        guard let key else { throw Fault(.badKey, "no \(FactsSchema.keyName)") }
        seen |= builder.present
        if key >= 1_000_000_000_000_000 {
            longKeyCount += 1
            if key % 10 == 0 { roundKeyCount += 1 }
        }
        builder.commit(key: key, line: line)
    }

    /// A spreadsheet keeps 15 digits of a number and writes 0 for the others. One in ten ends in 0 by chance.
    var roundedKeys: Finding? {
        guard longKeyCount >= 5, roundKeyCount * 10 >= longKeyCount * 9 else { return nil }
        return Finding(
            .badKey,
            "\(roundKeyCount) of \(longKeyCount) numbers of 16 digits in \(FactsSchema.keyName) end in 0",
            hint: "a spreadsheet has rounded the identifiers: export the table anew, with this column as text"
        )
    }

    private mutating func takeNew(_ text: Span<UInt8>, _ column: Int) throws(Fault) {
        if let values = enumerations[column] {
            guard values.contains(text.copied()) else {
                throw fault(
                    .badValue, text, column, "is not in the enumeration", hint: enumerated(column))
            }
        } else {
            try check(text, column)
        }
        try FactsBuildError.mapped(
            to: { _ in
                Fault(.tooMuchText, "the texts of \(facts[column].name) are longer than a file can hold")
            },
            try builder.set(text, column: column)
        )
    }

    private func check(_ text: Span<UInt8>, _ column: Int) throws(Fault) {
        guard text.count <= FactsCompilerLimits.stringByteCount else {
            let limit = FactsCompilerLimits.stringByteCount
            throw Fault(
                .badValue, "\(facts[column].name): a text of \(text.count) bytes, the limit is \(limit)",
                column: column)
        }
        var isASCII = true
        var hasNUL = false
        for index in text.indices where text[index] &- 1 >= 0x7F {
            if text[index] == 0 { hasNUL = true } else { isASCII = false }
        }
        guard isASCII || text.isUTF8 else {
            throw fault(.badValue, text, column, "is not UTF-8")
        }
        // A dump of the file must compile again, and the JSON reader refuses U+0000.
        guard !hasNUL else { throw fault(.badValue, text, column, "contains U+0000") }
    }

    private func noValue(_ text: Span<UInt8>, _ column: Int) -> Fault {
        switch facts[column].type {
        case .boolean:
            fault(
                .badValue, text, column, "is neither true nor false", hint: "true, t or 1; false, f or 0")
        case .date:
            fault(
                .badValue, text, column, "is not a date",
                hint: "RFC 3339, as 2026-11-21T00:00:00Z, or seconds or milliseconds since 1970")
        default: fault(.badValue, text, column, "is not a whole number of 64 bits")
        }
    }

    private func enumerated(_ column: Int) -> String? {
        guard let values = facts[column].type.values else { return nil }
        let shown = values.prefix(8).joined(separator: ", ")
        return values.count > 8 ? "\(shown), ..." : shown
    }

    private func fault(
        _ reason: FactsReason, _ text: Span<UInt8>, _ column: Int, _ words: String, hint: String? = nil
    ) -> Fault {
        Fault(reason, "\(facts[column].name): \(Self.quoted(text)) \(words)", hint: hint, column: column)
    }

    /// Returns the first 40 bytes of the text in quotation marks, with control characters replaced by spaces, for a message.
    static func quoted(_ text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in 0..<min(text.count, 40) { bytes.append(text[index] < 0x20 ? 0x20 : text[index]) }
        return "\"\(String(decoding: bytes, as: UTF8.self))\(text.count > 40 ? "..." : "")\""
    }
}
