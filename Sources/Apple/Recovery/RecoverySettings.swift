public import Vocabulary

/// The lengths of time that a recovery goes by.
public struct RecoverySettings: Sendable, Hashable {
    /// The length of the windows in which a range is read. Each window that is finished is recorded.
    public var windowMilliseconds: Int64 = 86_400_000
    /// How far the request for a window reaches beyond its ends. Apple does not say which of a notification's times decides
    /// whether it belongs to a range, so windows overlap.
    public var overlapMilliseconds: Int64 = 3_600_000
    /// How long ago a moment must be to count as covered. A notification that is being sent is not in the history yet.
    public var settlingMilliseconds: Int64 = 900_000

    /// Makes settings with the defaults above.
    public init() {}

    /// How far back Apple's history reaches, less a margin for the time that a call takes and for clocks that differ.
    ///
    /// Source: Apple, Get Notification History: 180 days in Production, 30 in Sandbox.
    public static func reachMilliseconds(in environment: Environment) -> Int64 {
        (environment == .production ? 180 : 30) * 86_400_000 - 300_000
    }
}
