/// What a data file holds.
public enum DataFileKind: UInt16, Sendable, Hashable, CaseIterable {
    /// Messages, rules and what belongs to them, of one app in one environment.
    case rules = 1
    /// One record for each subscriber of one app in one environment.
    case facts = 2

    /// The word for people and for JSON.
    public var name: String {
        switch self {
        case .rules: "rules"
        case .facts: "facts"
        }
    }
}
