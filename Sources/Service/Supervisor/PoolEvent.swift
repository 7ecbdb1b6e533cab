public import System

/// The number of a child process within one pool: never reused, unlike a process number.
public typealias ChildID = Int

/// The number of a generation: the sequence number of the load that made the generation.
public typealias GenerationID = Int

/// The settings of the pool that come with a generation.
public struct PoolSettings: Sendable, Hashable {
    /// The number of workers, at least 1.
    public var workerCount: Int
    /// The time that workers have to finish their requests after TERM, in milliseconds.
    public var drainMilliseconds: Int64

    /// Makes settings. A `workerCount` below 1 counts as 1.
    public init(workerCount: Int, drainMilliseconds: Int64) {
        self.workerCount = max(1, workerCount)
        self.drainMilliseconds = drainMilliseconds
    }
}

/// The reason of a refusal: a stable code, and a sentence for a person.
public struct PoolRefusal: Sendable, Hashable {
    /// The stable code.
    public var code: String
    /// A sentence that says what is wrong and where.
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// Something that happened to the pool, and the time at which it happened.
public struct PoolEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The supervisor is set up. This is the first event.
        case start
        /// The supervisor received a signal.
        case signal(Signal)
        /// The deadline ``PoolState/nextDeadline`` may have passed.
        case tick
        /// A loader made a generation, whose number is the loader's sequence number.
        case loaded(ChildID, PoolSettings)
        /// A loader refused the files.
        case refused(ChildID, PoolRefusal)
        /// A worker accepts connections from now on.
        case ready(ChildID)
        /// A worker has answered as many requests as it should. It serves on until it is replaced.
        case recycle(ChildID)
        /// The loop of a worker has not turned for `stuckMilliseconds`.
        case stuck(ChildID)
        /// In this worker a certificate chain led to a valid payload that no other worker knows. The bytes are opaque to the
        /// supervisor.
        case chain(ChildID, [UInt8])
        /// A child process has ended, and the supervisor has reaped it.
        case ended(ChildID, ChildExit)
        /// A child process could not be started.
        case notStarted(ChildID, PoolRefusal)
        /// A worker has closed its control socket, so it has ended or is about to.
        case closed(ChildID)
    }

    /// The time of the event, in milliseconds of the monotonic clock.
    public var milliseconds: Int64
    public var kind: Kind

    /// Makes an event from its time, in milliseconds of the monotonic clock, and its kind.
    public init(at milliseconds: Int64, _ kind: Kind) {
        self.milliseconds = milliseconds
        self.kind = kind
    }
}
