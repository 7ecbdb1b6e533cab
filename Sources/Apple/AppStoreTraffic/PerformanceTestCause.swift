/// The cause of an unsuccessful outcome in a performance test, in more detail than Apple's name for the outcome.
public struct PerformanceTestCause: Sendable, Hashable {
    /// The outcome, by Apple's name.
    public let outcome: SendAttemptResult
    /// The reason in one line for people: a TLS error, a socket error, or a mistake in the body of the answer.
    public let reason: String
    /// How often this outcome had this reason.
    public let count: Int64

    public init(outcome: SendAttemptResult, reason: String, count: Int64) {
        self.outcome = outcome
        self.reason = reason
        self.count = count
    }
}
