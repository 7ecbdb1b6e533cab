/// What must be true of a request.
public indirect enum Condition: Sendable, Hashable {
    /// All of them; at least one.
    case all([Condition])
    /// Some of them; at least one.
    case any([Condition])
    /// The opposite.
    case not(Condition)
    /// A fact compared with a value.
    case equal(Fact, FactValue)
    /// True when ``equal(_:_:)`` is false.
    case notEqual(Fact, FactValue)
    /// A fact looked up in a list of at least one value.
    case isIn(Fact, [FactValue])
    /// True when ``isIn(_:_:)`` is false.
    case isNotIn(Fact, [FactValue])
    /// The beginning of a string fact.
    case prefix(Fact, String)

    /// How deep `all`, `any` and `not` nest; 0 for a predicate.
    public var depth: Int {
        switch self {
        case .all(let children), .any(let children): 1 + (children.map(\.depth).max() ?? 0)
        case .not(let child): 1 + child.depth
        default: 0
        }
    }
}

/// A value that a fact is compared with; of the fact's kind.
public enum FactValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// Milliseconds since 1970.
    case date(Int64)
}
