public import Facts
internal import System

/// The facts about the subscriber that the request itself does not have.
public enum SubscriberFacts: Sendable {
    /// No facts: there is no facts file (`ageSeconds` is nil), or the file has no record of the subscriber.
    case none(ageSeconds: Int64?)
    /// The subscriber's row of a facts file, and which of its columns holds which declared fact.
    case row(FactsFile, FactsRow, FactsBinding, ageSeconds: Int64)
    /// Values by the index of the declared fact, for tools and tests. A fact is missing when its value is nil or the
    /// list is too short for it.
    case literal([FactValue?], ageSeconds: Int64?)

    public var isFound: Bool {
        switch self {
        case .none: false
        case .row, .literal: true
        }
    }

    public var ageSeconds: Int64? {
        switch self {
        case .none(let age), .literal(_, let age): age
        case .row(_, _, _, let age): age
        }
    }
}

extension SubscriberFacts {
    /// Returns a declared fact as the number that a file has for it; nil when the fact is missing, of another kind, or
    /// a string.
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

    /// Lends the UTF-8 of a declared string fact to `body`.
    ///
    /// - Returns: what `body` returns; nil, without calling `body`, when the fact is missing or not a string.
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
    /// Looks a subscriber up in a facts file. Allocates nothing.
    public init(
        of originalTransactionId: String, in file: FactsFile, _ binding: FactsBinding, ageSeconds: Int64
    ) {
        guard let row = FactsKey.parse(decimal: originalTransactionId).flatMap({ file.find($0) }) else {
            self = .none(ageSeconds: ageSeconds)
            return
        }
        self = .row(file, row, binding, ageSeconds: ageSeconds)
    }

    /// Returns all declared facts, for tools. `kinds` are the kinds of the declarations, in their order; a value is nil
    /// where the fact is missing.
    public func values(of kinds: [ValueKind]) -> [FactValue?] {
        kinds.enumerated().map { value(ofFact: $0, $1) }
    }

    /// Returns a declared fact, read as the kind of its declaration; nil when the fact is missing.
    func value(ofFact index: Int, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: withString(ofFact: index) { .string(String(decoding: $0.copied(), as: UTF8.self)) }
        case .date: number(ofFact: index, kind).map { .date($0) }
        case .integer: number(ofFact: index, kind).map { .integer($0) }
        case .boolean: number(ofFact: index, kind).map { .boolean($0 != 0) }
        }
    }
}
