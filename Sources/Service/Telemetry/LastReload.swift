/// How the last load ended, as the supervisor tells it to every worker.
public struct LastReload: Sendable, Hashable {
    /// When it ended, milliseconds since 1970.
    public let endedMilliseconds: Int64
    /// Why it was refused; nil when it was loaded.
    public let refusalCode: String?

    /// Both.
    public init(endedMilliseconds: Int64, refusalCode: String?) {
        self.endedMilliseconds = endedMilliseconds
        self.refusalCode = refusalCode
    }
}
