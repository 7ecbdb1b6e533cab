internal import DataFileWriting
internal import DataFiles
internal import System
internal import Vocabulary

/// Turns the values of one row into what a facts file keeps, and gives the builder the rows that are good.
struct FactsRowAssembler: ~Copyable {
    /// What is wrong with a value.
    struct Fault: Error {
        let reason: FactsReason
        let message: String
        let hint: String?

        init(_ reason: FactsReason, _ message: String, hint: String? = nil) {
            self.reason = reason
            self.message = message
            self.hint = hint
        }
    }

    /// How the values of a column are read.
    private enum Reading {
        case boolean
        case integer
        case date
        case string
        case enumeration
    }

    let facts: [FactsSchema.Fact]
    private let readings: [Reading]
    /// The values of each column that is an enumeration.
    private let enumerations: [FactEnumeration?]
    private var builder: FactsBuilder
    private var key: UInt64?
    /// Columns that have had a value, a bit each.
    private var seen: UInt64 = 0

    init(facts: [FactsSchema.Fact], textByteCount: Int = FactsBuilder.textByteCount) {
        self.facts = facts
        readings = facts.map { fact in
            switch fact.type {
            case .boolean: .boolean
            case .integer: .integer
            case .date: .date
            case .string: .string
            case .enumeration: .enumeration
            }
        }
        enumerations = facts.map { fact in
            if case .enumeration(let values) = fact.type { FactEnumeration(values) } else { nil }
        }
        builder = FactsBuilder(
            columns: facts.map { .init(name: $0.name, kind: $0.type.kind) },
            textByteCount: textByteCount
        )
    }

    var rowCount: Int { builder.rowCount }

    /// The facts that have had no value.
    var alwaysMissing: [FactsSchema.Fact] {
        facts.indices.filter { seen >> UInt64($0) & 1 == 0 }.map { facts[$0] }
    }

    /// Gives the builder away with all rows.
    consuming func finish() -> FactsBuilder { builder }

    /// Whether the values of a column are written as texts: strings, enumerations and dates.
    func isText(_ column: Int) -> Bool {
        switch readings[column] {
        case .string, .enumeration, .date: true
        case .boolean, .integer: false
        }
    }

    /// Whether the values of a column are whole numbers.
    func isInteger(_ column: Int) -> Bool {
        if case .integer = readings[column] { true } else { false }
    }

    /// Whether the values of a column are `true` and `false`.
    func isBoolean(_ column: Int) -> Bool {
        if case .boolean = readings[column] { true } else { false }
    }

    /// Takes a truth value of a column that has such.
    mutating func take(_ value: Bool, column: Int) {
        builder.set(value ? 1 : 0, column: column)
    }

    /// Forgets what was taken of a row.
    mutating func begin() {
        builder.discard()
        key = nil
    }

    /// Takes the key of the row.
    mutating func takeKey(_ text: Span<UInt8>) throws(Fault) {
        guard let number = FactsKey.parse(decimal: text) else {
            guard text.count > 0 else { throw Fault(.missingKey, "no \(FactsSchema.keyName)") }
            throw Fault(
                .badKey,
                "\(FactsSchema.keyName) \(Self.quoted(text)) is not a number from 1 to 2^64 - 1",
                hint: "decimal digits alone, no sign, no zero in front"
            )
        }
        key = number
    }

    /// Takes a value of a column.
    @inline(__always)
    mutating func take(_ text: Span<UInt8>, column: Int) throws(Fault) {
        let value: Int64?
        switch readings[column] {
        case .boolean: value = FactNumber.boolean(text)
        case .integer: value = FactNumber.integer(text)
        case .date: value = FactDate.milliseconds(text)
        case .string, .enumeration:
            // What was taken once is good.
            if !builder.setKnown(text, column: column) { try takeNew(text, column) }
            return
        }
        guard let value else { throw noValue(text, column) }
        builder.set(value, column: column)
    }

    /// Ends the row, which stands on this line.
    mutating func commit(line: Int) throws(Fault) {
        guard let key else { throw Fault(.missingKey, "no \(FactsSchema.keyName)") }
        seen |= builder.present
        builder.commit(key: key, line: line)
    }

    /// Takes a text that is new to its column.
    private mutating func takeNew(_ text: Span<UInt8>, _ column: Int) throws(Fault) {
        if let values = enumerations[column] {
            guard values.contains(text) else {
                throw fault(
                    .unknownValue,
                    text,
                    column,
                    "is not in the enumeration",
                    hint: enumerated(column)
                )
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
                .tooLong,
                "\(facts[column].name): a text of \(text.count) bytes, the limit is \(limit)"
            )
        }
        var isASCII = true
        var hasNUL = false
        for index in text.indices where text[index] &- 1 >= 0x7F {
            if text[index] == 0 { hasNUL = true } else { isASCII = false }
        }
        guard isASCII || text.isUTF8 else {
            throw fault(.badUTF8, text, column, "is not UTF-8")
        }
        // What compiles can be dumped and compiled again.
        guard !hasNUL else { throw fault(.containsNUL, text, column, "contains U+0000") }
    }

    /// Why a text is no value of a column that has numbers.
    private func noValue(_ text: Span<UInt8>, _ column: Int) -> Fault {
        switch facts[column].type {
        case .boolean: fault(.badBoolean, text, column, "is neither true nor false")
        case .date:
            fault(
                .badDate,
                text,
                column,
                "is not a date",
                hint: "RFC 3339 in UTC, as 2026-11-21T00:00:00Z"
            )
        default: fault(.badInteger, text, column, "is not a whole number of 64 bits")
        }
    }

    private func enumerated(_ column: Int) -> String? {
        guard case .enumeration(let values) = facts[column].type else { return nil }
        let shown = values.prefix(8).joined(separator: ", ")
        return values.count > 8 ? "\(shown), ..." : shown
    }

    private func fault(
        _ reason: FactsReason,
        _ text: Span<UInt8>,
        _ column: Int,
        _ words: String,
        hint: String? = nil
    ) -> Fault {
        Fault(reason, "\(facts[column].name): \(Self.quoted(text)) \(words)", hint: hint)
    }

    /// The text as far as it fits a line.
    static func quoted(_ text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in 0..<min(text.count, 40) { bytes.append(text[index] < 0x20 ? 0x20 : text[index]) }
        return "\"\(String(decoding: bytes, as: UTF8.self))\(text.count > 40 ? "..." : "")\""
    }
}
