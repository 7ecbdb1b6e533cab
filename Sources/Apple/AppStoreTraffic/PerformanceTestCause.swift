/// What stood behind an outcome of a performance test that was no success, where Apple's name for it does not say.
public struct PerformanceTestCause: Sendable, Hashable {
    /// Apple's name.
    public let outcome: SendAttemptResult
    /// The reason, in one line for people: of TLS, of the socket, of a body that is not the answer it should be.
    public let reason: String
    /// How often.
    public let count: Int64

    /// Puts one together.
    public init(outcome: SendAttemptResult, reason: String, count: Int64) {
        self.outcome = outcome
        self.reason = reason
        self.count = count
    }
}
