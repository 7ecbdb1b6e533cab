/// What became of the signed payloads that Apple returned.
public struct RecoveryCounts: Sendable, Hashable {
    public internal(set) var callCount = 0
    /// The payloads that are new in the store.
    public internal(set) var newCount = 0
    /// The payloads that were in the store already.
    public internal(set) var knownCount = 0
    /// The payloads of subscribers who were erased. They were dropped.
    public internal(set) var erasedCount = 0
    /// The payloads that were not stored because they failed a check, by the code of the check.
    public internal(set) var refused: [String: Int] = [:]
    /// The payloads that the database refused, by the code of the error.
    public internal(set) var unstorable: [String: Int] = [:]

    public init() {}

    /// The payloads that Apple returned and that are not in the store although they should be.
    public var lostCount: Int {
        refused.values.reduce(0, +) + unstorable.values.reduce(0, +)
    }

    /// Adds the counts of another part of the work.
    mutating func add(_ other: RecoveryCounts) {
        callCount += other.callCount
        newCount += other.newCount
        knownCount += other.knownCount
        erasedCount += other.erasedCount
        refused.merge(other.refused, uniquingKeysWith: +)
        unstorable.merge(other.unstorable, uniquingKeysWith: +)
    }
}
