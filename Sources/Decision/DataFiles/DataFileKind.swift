/// The kind of a data file: what it holds.
public enum DataFileKind: UInt16, Sendable, Hashable, CaseIterable {
    /// The messages and rules of one app in one environment, with all that belongs to them.
    case rules = 1
    /// One record for each subscriber of one app in one environment.
    case facts = 2

    /// The kind as a word, for people and for JSON.
    public var name: String {
        switch self {
        case .rules: "rules"
        case .facts: "facts"
        }
    }
}
