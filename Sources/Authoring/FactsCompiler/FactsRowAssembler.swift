internal import DataFiles
internal import System

/// Turns the values of one row into what a facts file keeps, and gives the builder the rows that are good.
struct FactsRowAssembler: ~Copyable {
    /// What is wrong with a value.
    struct Fault: Error {
        let reason: FactsFinding.Reason
        let message: String
        let hint: String?

        init(_ reason: FactsFinding.Reason, _ message: String, hint: String? = nil) {
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
        case enumeration(FactEnumeration)
    }

    let facts: [FactsSchema.Fact]
    private let readings: [Reading]
    private var builder: FactsBuilder
    private var key: UInt64?
    /// Columns that have had a value.
    private(set) var seen: [Bool]
    private var taken: [Bool]

    init(facts: [FactsSchema.Fact]) {
        self.facts = facts
        readings = facts.map { fact in
            switch fact.type {
            case .boolean: .boolean
            case .integer: .integer
            case .date: .date
            case .string: .string
            case .enumeration(let values): .enumeration(FactEnumeration(values))
            }
        }
        builder = FactsBuilder(columns: facts.map { .init(name: $0.name, kind: $0.type.kind) })
        seen = Array(repeating: false, count: facts.count)
        taken = seen
    }

    var rowCount: Int { builder.rowCount }

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
        taken[column] = true
    }

    /// Forgets what was taken of a row.
    mutating func begin() {
        builder.discard()
        key = nil
        for index in taken.indices { taken[index] = false }
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

    /// Takes a value of a column; an empty `text` is one too, for strings.
    mutating func take(_ text: Span<UInt8>, column: Int) throws(Fault) {
        switch readings[column] {
        case .boolean: builder.set(try boolean(text, column) ? 1 : 0, column: column)
        case .integer: builder.set(try integer(text, column), column: column)
        case .date:
            guard let milliseconds = FactDate.milliseconds(text) else {
                throw fault(
                    .badDate,
                    text,
                    column,
                    "is not a date",
                    hint: "RFC 3339 in UTC, as 2026-11-21T00:00:00Z"
                )
            }
            builder.set(milliseconds, column: column)
        case .string:
            try check(text, column)
            try set(text, column)
        case .enumeration(let values):
            guard values.contains(text) else {
                throw fault(
                    .unknownValue,
                    text,
                    column,
                    "is not in the enumeration",
                    hint: enumerated(column)
                )
            }
            try set(text, column)
        }
        taken[column] = true
    }

    /// Ends the row, which stands on this line.
    mutating func commit(line: Int) throws(Fault) {
        guard let key else { throw Fault(.missingKey, "no \(FactsSchema.keyName)") }
        builder.commit(key: key, line: line)
        for index in taken.indices where taken[index] { seen[index] = true }
    }

    private mutating func set(_ text: Span<UInt8>, _ column: Int) throws(Fault) {
        do throws(FactsBuildError) {
            try builder.set(text, column: column)
        } catch {
            throw Fault(.tooMuchText, "the texts of \(facts[column].name) are longer than a file can hold")
        }
    }

    private func boolean(_ text: Span<UInt8>, _ column: Int) throws(Fault) -> Bool {
        if text.isEqual(to: "true".utf8Span.span) { return true }
        if text.isEqual(to: "false".utf8Span.span) { return false }
        throw fault(.badBoolean, text, column, "is neither true nor false")
    }

    /// As JSON writes whole numbers: no plus, no zero in front, no fraction.
    private func integer(_ text: Span<UInt8>, _ column: Int) throws(Fault) -> Int64 {
        let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        var value: Int64 = 0
        var isGood = text.count > start && text.count <= 20
        if isGood, text[start] == UInt8(ascii: "0") { isGood = text.count == 1 }
        var index = start
        while isGood, index < text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            // Below zero all the way, since the least number has no positive counterpart.
            let (sum, carries) =
                isNegative
                ? product.subtractingReportingOverflow(Int64(digit))
                : product.addingReportingOverflow(Int64(digit))
            isGood = digit <= 9 && !overflows && !carries
            value = sum
            index += 1
        }
        guard isGood else {
            throw fault(.badInteger, text, column, "is not a whole number of 64 bits")
        }
        return value
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

    private func enumerated(_ column: Int) -> String? {
        guard case .enumeration(let values) = facts[column].type else { return nil }
        let shown = values.prefix(8).joined(separator: ", ")
        return values.count > 8 ? "\(shown), ..." : shown
    }

    private func fault(
        _ reason: FactsFinding.Reason,
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
