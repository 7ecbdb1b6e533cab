/// The result of the last load, which the supervisor shares with every worker.
public struct LastReload: Sendable, Hashable {
    /// The time at which the load ended, in milliseconds since 1970.
    public let endedMilliseconds: Int64
    /// The code of the refusal; nil when the generation was loaded.
    public let refusalCode: String?

    /// Makes a result; `refusalCode` is nil when the generation was loaded.
    public init(endedMilliseconds: Int64, refusalCode: String?) {
        self.endedMilliseconds = endedMilliseconds
        self.refusalCode = refusalCode
    }
}
