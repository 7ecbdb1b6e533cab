/// Kleene's three values: a predicate on a fact that is missing is unknown, and so is what depends on it.
public enum Truth: String, Sendable, Hashable {
    /// False.
    case `false`
    /// Neither: a fact is missing.
    case unknown
    /// True.
    case `true`

    /// The value of a comparison that could be made.
    init(_ value: Bool) {
        self = value ? .true : .false
    }

    /// The opposite; of unknown, unknown.
    var negated: Truth {
        switch self {
        case .false: .true
        case .unknown: .unknown
        case .true: .false
        }
    }
}
