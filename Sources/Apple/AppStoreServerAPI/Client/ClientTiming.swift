internal import System

/// The clock of a client, its way to wait, and its report of waits. Tests replace all three.
public struct ClientTiming {
    /// Why and until when a client waits.
    public struct Wait: Sendable, Hashable {
        /// The reasons of waits.
        public enum Reason: Sendable, Hashable {
            /// The calls that Apple allows in an hour are used up.
            case budget
            /// Apple's server answered with 429.
            case rateLimit
            /// A call failed and is repeated. The string is the code of the error.
            case retry(code: String)
        }

        /// The operation that waits.
        public let operation: AppStoreServerOperation
        /// Why the client waits.
        public let reason: Reason
        /// The time when the client goes on, milliseconds since 1970.
        public let untilMilliseconds: Int64
        /// The length of the wait.
        public let milliseconds: Int64
    }

    /// Returns the time, milliseconds since 1970.
    public var now: () -> Int64
    /// Waits for that many milliseconds.
    public var sleep: (Int64) -> Void
    /// Called before each wait.
    public var waiting: (Wait) -> Void

    public init(
        now: @escaping () -> Int64,
        sleep: @escaping (Int64) -> Void,
        waiting: @escaping (Wait) -> Void = { _ in }
    ) {
        self.now = now
        self.sleep = sleep
        self.waiting = waiting
    }

    /// Returns the timing of the machine's own clock.
    public static func system(waiting: @escaping (Wait) -> Void = { _ in }) -> ClientTiming {
        ClientTiming(now: Clock.wallMilliseconds, sleep: Clock.sleep, waiting: waiting)
    }
}
