package import Logging
package import System

/// The number of a child process within one pool: never reused, unlike a process number.
package typealias ChildID = Int

/// The number of a generation: the sequence number of the load that made the generation.
package typealias GenerationID = Int

package struct PoolSettings: Sendable, Hashable {
    let workerCount: Int
    let drainMilliseconds: Int64

    /// A `workerCount` below 1 counts as 1.
    package init(workerCount: Int, drainMilliseconds: Int64) {
        self.workerCount = max(1, workerCount)
        self.drainMilliseconds = drainMilliseconds
    }
}

package struct PoolEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case start
        case signal(Signal)
        case tick
        case loaded(ChildID, PoolSettings)
        case refused(ChildID, ServiceError)
        case ready(ChildID)
        case recycle(ChildID)
        case stuck(ChildID)
        /// The worker has closed its control socket, which it does last.
        case closed(ChildID)
        case chain(ChildID, [UInt8])
        case ended(ChildID, ChildExit)
        case notStarted(ChildID, ServiceError)
    }

    let milliseconds: Int64
    let kind: Kind

    package init(at milliseconds: Int64, _ kind: Kind) {
        self.milliseconds = milliseconds
        self.kind = kind
    }
}

/// Something that the supervisor has to do. When a start fails, the supervisor reports it with
/// ``PoolEvent/Kind/notStarted(_:_:)``.
package enum PoolAction: Sendable, Hashable {
    case startLoader(ChildID, sequence: GenerationID, source: LoadSource, serving: GenerationID?)
    case startWorker(ChildID, generation: GenerationID)
    case makeCurrent(GenerationID)
    case drain(ChildID, milliseconds: Int64)
    case signal(ChildID, Signal)
    case publish(PoolVerdict)
    case sendHint(ChildID, hint: [UInt8])
    /// Goes on without a worker that a disk keeps from ending.
    case abandon(ChildID)
    case closeListener
    case reopenLogs
    case notify(PoolNotification)
    case log(PoolNotice)
    case finish(status: Int32)
}

package enum PoolNotification: Sendable, Hashable {
    case ready(String)
    case reloading
    case stopping
    case status(String)
}

package struct PoolVerdict: Sendable, Hashable {
    /// The sequence number of the load. It never goes back while `stateDirectory` is kept.
    let sequence: GenerationID
    /// The time at which the load began, in milliseconds of the monotonic clock. The load has seen every file pushed
    /// before that time.
    let startedMilliseconds: Int64
    let source: LoadSource
    package let refusal: ServiceError?
    let serving: GenerationID?

    package init(
        sequence: GenerationID, startedMilliseconds: Int64, source: LoadSource, refusal: ServiceError?,
        serving: GenerationID?
    ) {
        self.sequence = sequence
        self.startedMilliseconds = startedMilliseconds
        self.source = source
        self.refusal = refusal
        self.serving = serving
    }
}

/// A line of the supervisor's log. The texts are part of the interface: tests and alerts search for them. `error`: a person must act.
/// `warning`: the pool serves, but something is degraded.
package struct PoolNotice: Sendable, Hashable {
    let level: Logger.Level
    let text: String
    var worker: ChildID?
    var generation: GenerationID?
    var refusal: ServiceError?
    var fields: [String: String]

    package init(
        _ level: Logger.Level, _ text: String, worker: ChildID? = nil, generation: GenerationID? = nil,
        _ refusal: ServiceError? = nil, _ fields: [String: String] = [:]
    ) {
        self.level = level
        self.text = text
        self.worker = worker
        self.generation = generation
        self.refusal = refusal
        self.fields = fields
    }
}

/// The times and counts of the supervisor. Times are in milliseconds.
package enum PoolLimits {
    /// The supervisor kills a loader that has not answered by then: a hostile file must not block reloads for ever.
    package static let loaderMilliseconds: Int64 = 60_000
    /// The time for a worker to become ready. It maps its files and verifies a few hints: normally milliseconds, at
    /// worst seconds.
    package static let readyMilliseconds: Int64 = 20_000
    package static let quitMilliseconds: Int64 = 60_000
    /// A reload or the replacement of a recycled worker waits at least this long for requests in progress, even when
    /// `drainMilliseconds` is smaller: that setting is for TERM, and a reload must not drop a request. The time is
    /// longer than a request's own deadline, and longer than a connection counts as fresh.
    package static let reloadDrainMilliseconds: Int64 = 1_000
    /// A worker leaves by itself when its time is over. The supervisor sends TERM to a worker that is still there this
    /// much later.
    package static let drainMarginMilliseconds: Int64 = 250
    /// The time from TERM to KILL for a worker that does not leave.
    package static let killMilliseconds: Int64 = 1_000
    package static let abandonMilliseconds: Int64 = 1_000
    package static let earlyDeathMilliseconds: Int64 = 500
    package static let crashLoopMilliseconds: Int64 = 1_000
    /// A crash loop is over after this time without an early death.
    package static let crashLoopMemoryMilliseconds: Int64 = 10_000
    /// When new workers end before they are ready, the supervisor starts others this many times, then refuses the
    /// reload.
    package static let reloadDeathCount = 3
    /// The exit status of a worker that cannot open its generation: somebody removed or damaged the directory.
    package static let generationGoneStatus: Int32 = 66
    /// The highest sequence number of a load; the next load is 1 again. JSON readers with floating-point numbers
    /// represent integers exactly up to this one. No supervisor writes a higher number into a verdict.
    package static let sequenceLimit = 1 << 53
    /// The time between two looks at the socket's file name and at the workers, and the longest time between two turns of
    /// a worker's loop.
    package static let lookMilliseconds: Int64 = 2_000

    /// A worker whose loop has not turned for so long is replaced. One that waits for a processor for some tenths of a second is
    /// not stuck.
    static let stuckMilliseconds: Int64 = 10_000
}
