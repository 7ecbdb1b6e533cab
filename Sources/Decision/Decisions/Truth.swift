/// The values of Kleene's three-valued logic. A predicate on a missing fact is unknown, and so is a condition that
/// depends on it.
public enum Truth: String, Sendable, Hashable {
    /// The condition is false.
    case `false`
    /// The condition is neither true nor false, because a fact is missing.
    case unknown
    /// The condition is true.
    case `true`

    /// Makes true or false, from a comparison whose fact is there.
    init(_ value: Bool) {
        self = value ? .true : .false
    }

    /// The negation; the negation of unknown is unknown.
    var negated: Truth {
        switch self {
        case .false: .true
        case .unknown: .unknown
        case .true: .false
        }
    }
}
