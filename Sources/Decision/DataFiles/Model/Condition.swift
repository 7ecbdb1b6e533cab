/// What must be true of a request and its subscriber.
public indirect enum Condition: Sendable, Hashable {
    /// All of them; at least one.
    case all([Condition])
    /// Some of them; at least one.
    case any([Condition])
    /// The opposite.
    case not(Condition)
    /// The condition of the segment at this place in ``RulesModel/segments``.
    case segment(Int)
    /// A fact compared with something.
    case predicate(Predicate)

    /// How deep `all`, `any` and `not` nest; 0 for a predicate and for a segment, whose own depth counts by itself.
    public var depth: Int {
        switch self {
        case .all(let children), .any(let children): 1 + (children.map(\.depth).max() ?? 0)
        case .not(let child): 1 + child.depth
        case .segment, .predicate: 0
        }
    }

    /// The operation of its root.
    public var operation: ConditionOperation {
        switch self {
        case .all: .all
        case .any: .any
        case .not: .not
        case .segment: .segment
        case .predicate(let predicate): predicate.operation
        }
    }

    /// The fact of a predicate; nil for groups and segments.
    public var fact: Fact? {
        if case .predicate(let predicate) = self { predicate.fact } else { nil }
    }
}
