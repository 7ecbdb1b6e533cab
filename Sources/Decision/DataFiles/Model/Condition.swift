/// A condition on a request and its subscriber: a tree of groups, segments and predicates.
public indirect enum Condition: Sendable, Hashable {
    /// True when all children are true. Has at least one child.
    case all([Condition])
    /// True when at least one child is true. Has at least one child.
    case any([Condition])
    /// True when the child is false.
    case not(Condition)
    /// The condition of the segment at this place in ``RulesModel/segments``.
    case segment(Int)
    /// A comparison of a fact with operands.
    case predicate(Predicate)

    /// How deep `all`, `any` and `not` nest. 0 for a predicate and for a segment: a segment's own condition is counted
    /// by itself.
    public var depth: Int {
        switch self {
        case .all(let children), .any(let children): 1 + (children.map(\.depth).max() ?? 0)
        case .not(let child): 1 + child.depth
        case .segment, .predicate: 0
        }
    }

    /// The operation of the root.
    public var operation: ConditionOperation {
        switch self {
        case .all: .all
        case .any: .any
        case .not: .not
        case .segment: .segment
        case .predicate(let predicate): predicate.operation
        }
    }

    /// The fact that a predicate compares; nil for groups and segments.
    public var fact: Fact? {
        if case .predicate(let predicate) = self { predicate.fact } else { nil }
    }
}
