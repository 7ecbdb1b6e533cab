/// What a pushed file holds.
public enum DataFileKind: String, Sendable, Hashable, CaseIterable {
    /// The messages and rules of one app in one environment, with all that belongs to them.
    case rules
    /// One record for each subscriber of one app in one environment.
    case facts

    /// The kind as a word, for people and for JSON.
    public var name: String { rawValue }
}
