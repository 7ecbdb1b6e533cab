public import Loader
public import System

/// The number of a child process within one pool: never reused, unlike a process number.
public typealias ChildID = Int

/// The number of a generation: the sequence number of the load that made it.
public typealias GenerationID = Int

/// What a generation says about the pool that serves it.
public struct PoolSettings: Sendable, Hashable {
    /// How many workers; at least 1.
    public var workerCount: Int
    /// How long TERM lets workers finish what they have.
    public var drainMilliseconds: Int64
    /// Where decision records go; nil when none are written.
    public var decisionLog: DecisionLogIdentity?

    /// All of it.
    public init(workerCount: Int, drainMilliseconds: Int64, decisionLog: DecisionLogIdentity? = nil) {
        self.workerCount = max(1, workerCount)
        self.drainMilliseconds = drainMilliseconds
        self.decisionLog = decisionLog
    }
}

/// Why something was refused: a stable code and a sentence for people.
public struct PoolRefusal: Sendable, Hashable {
    /// The stable code.
    public var code: String
    /// What is wrong and where.
    public var message: String

    /// Both.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// Something that happened to the pool, and when.
public struct PoolEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The supervisor is set up: the first event.
        case start
        /// A signal came.
        case signal(Signal)
        /// A deadline of ``PoolState/nextDeadline`` has passed, or may have.
        case tick
        /// A loader delivered a generation, which the loop now holds under the loader's sequence number.
        case loaded(ChildID, PoolSettings)
        /// A loader said no.
        case refused(ChildID, PoolRefusal)
        /// A worker accepts connections from now on.
        case ready(ChildID)
        /// A worker has answered as many requests as it should and serves on until it is replaced.
        case recycle(ChildID)
        /// In this worker a chain vouched for a payload: opaque bytes.
        case chain(ChildID, [UInt8])
        /// A child process has ended and was collected.
        case ended(ChildID, ChildExit)
        /// A child process could not be started.
        case notStarted(ChildID, PoolRefusal)
        /// The new binary could not be executed.
        case upgradeFailed(PoolRefusal)
    }

    /// The monotonic clock in milliseconds.
    public var milliseconds: Int64
    /// What happened.
    public var kind: Kind

    /// What happened, and when.
    public init(at milliseconds: Int64, _ kind: Kind) {
        self.milliseconds = milliseconds
        self.kind = kind
    }
}
