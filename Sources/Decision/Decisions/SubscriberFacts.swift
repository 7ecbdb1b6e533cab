public import DataFiles

/// What is known of the subscriber beside what the request says.
public enum SubscriberFacts: Sendable {
    /// Nothing: there is no facts file (no age), or it has no record of the subscriber.
    case none(ageSeconds: Int64?)
    /// The subscriber's row of a facts file, and which of its columns holds which declared fact.
    case row(FactsFile, FactsRow, FactsBinding, ageSeconds: Int64)
    /// Values by the numbers of the declared facts; nil, and what is not in the list, is missing. For tools and tests.
    case literal([FactValue?], ageSeconds: Int64?)

    /// Whether there is a record of the subscriber.
    public var isFound: Bool {
        switch self {
        case .none: false
        case .row, .literal: true
        }
    }

    /// How old the facts file is, in whole seconds; nil when there is none.
    public var ageSeconds: Int64? {
        switch self {
        case .none(let age), .literal(_, let age): age
        case .row(_, _, _, let age): age
        }
    }
}

extension SubscriberFacts {
    /// A declared fact as the number that stands for it in a file; nil when it is missing, of another kind or a
    /// string.
    func number(ofFact index: Int, _ kind: ValueKind) -> Int64? {
        switch self {
        case .none: return nil
        case .row(let file, let row, let binding, _):
            guard let column = binding.column(ofFact: index) else { return nil }
            switch kind {
            case .string: return nil
            case .date: return file.date(column: column, row: row)
            case .integer: return file.integer(column: column, row: row)
            case .boolean: return file.boolean(column: column, row: row).map { $0 ? 1 : 0 }
            }
        case .literal(let values, _):
            guard index < values.count, let value = values[index], value.kind == kind, kind != .string else {
                return nil
            }
            return value.number
        }
    }

    /// Lends the UTF-8 of a declared fact that is a string.
    ///
    /// - Returns: what `body` returns; nil, without calling it, when the fact is missing or no string.
    func withString<Result>(ofFact index: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
        switch self {
        case .none: return nil
        case .row(let file, let row, let binding, _):
            guard let column = binding.column(ofFact: index) else { return nil }
            return file.withString(column: column, row: row, body)
        case .literal(let values, _):
            guard index < values.count, case .string(let text)? = values[index] else { return nil }
            return body(text.utf8Span.span)
        }
    }

    /// Whether a declared fact has a value.
    func hasValue(ofFact index: Int) -> Bool {
        switch self {
        case .none: false
        case .row(let file, let row, let binding, _):
            binding.column(ofFact: index).map { file.isPresent(column: $0, row: row) } ?? false
        case .literal(let values, _): index < values.count && values[index] != nil
        }
    }
}

extension SubscriberFacts {
    /// What a facts file knows of a subscriber. Allocates nothing.
    ///
    /// - Parameters:
    ///   - originalTransactionId: the subscriber; anything but canonical decimal is in no file.
    ///   - file: the facts.
    ///   - binding: which of its columns holds which fact that the rules declare.
    ///   - ageSeconds: how old the file is.
    public init(
        of originalTransactionId: String,
        in file: FactsFile,
        _ binding: FactsBinding,
        ageSeconds: Int64
    ) {
        guard let row = FactsKey.parse(decimal: originalTransactionId).flatMap({ file.find($0) }) else {
            self = .none(ageSeconds: ageSeconds)
            return
        }
        self = .row(file, row, binding, ageSeconds: ageSeconds)
    }

    /// All declared facts, by the kinds that their declarations have; nil where one is missing. For tools.
    public func values(of kinds: [ValueKind]) -> [FactValue?] {
        kinds.enumerated().map { value(ofFact: $0, $1) }
    }

    /// A declared fact of the kind that its declaration has; nil when it is missing.
    func value(ofFact index: Int, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: withString(ofFact: index) { .string(FactReader.text(of: $0)) }
        case .date: number(ofFact: index, kind).map { .date($0) }
        case .integer: number(ofFact: index, kind).map { .integer($0) }
        case .boolean: number(ofFact: index, kind).map { .boolean($0 != 0) }
        }
    }
}
