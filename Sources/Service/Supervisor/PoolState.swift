internal import Loader
internal import System

/// The life of a pool as a state machine: events in, actions out. It does no input or output and reads no clock.
///
/// Tests hold these invariants: the phase `stopping` is left only for `finished`; at most two generations exist; a
/// refused load does not touch the workers of the serving generation; the pool finishes only after every child that was
/// started has ended, or a second after it was killed.
public struct PoolState: Sendable {
    /// The phases in the life of a pool.
    public enum Phase: Sendable, Hashable {
        /// No generation serves yet.
        case starting
        /// A generation serves.
        case running
        /// The pool takes no new requests. It never returns to an earlier phase.
        case stopping
        /// All children have ended, and nothing is left to do.
        case finished
    }

    /// A worker that was started and has not ended.
    struct Worker: Sendable, Hashable {
        enum Stage: Sendable, Hashable {
            /// The worker was started and is not ready yet.
            case starting
            case ready
            /// The worker serves on, but has answered enough requests. It leaves when the pool has enough ready workers
            /// without it.
            case recycling
            /// The worker is leaving: it is told to drain, then sent TERM (`terminated`), then KILL (`killed`). The
            /// next step comes at `deadline`.
            case leaving
            case terminated
            case killed
        }

        var generation: GenerationID
        var stage: Stage
        var startedAt: Int64
        /// In the stage `starting` the time by which the worker must be ready; in `leaving` and `terminated` the time
        /// of the next step.
        var deadline: Int64
        /// True when the worker's end counts as a failure although it is leaving.
        var isFailure = false
        /// When the supervisor goes on without the worker, which was killed or has closed its control socket.
        var abandonedAt: Int64?

        var isLeaving: Bool { stage == .leaving || stage == .terminated || stage == .killed }
        var isServing: Bool { stage == .ready || stage == .recycling }
    }

    /// A loader that was started and has not ended.
    struct Loader: Sendable, Hashable {
        var deadline: Int64
        var isKilled = false
    }

    /// A load that is in progress.
    struct Load: Sendable, Hashable {
        enum Step: Sendable, Hashable {
            case loading(ChildID)
            case starting(PoolSettings)
        }

        var sequence: GenerationID
        var source: LoadSource
        var startedAt: Int64
        var step: Step
        var deathCount = 0
    }

    /// The generation that serves, with its settings.
    struct Serving: Sendable, Hashable {
        var generation: GenerationID
        var settings: PoolSettings
    }

    /// The phase of the pool's life.
    public internal(set) var phase = Phase.starting
    var serving: Serving?
    var load: Load?
    var workers: [ChildID: Worker] = [:]
    var loaders: [ChildID: Loader] = [:]
    var sequence: GenerationID
    var lastChild: ChildID = 0
    var isLoadWanted = false
    /// The shortest time between two reloads. A new set of workers costs tens of milliseconds of processor time, and a
    /// loop of HUP signals must not take that time from requests.
    let reloadIntervalMilliseconds: Int64
    /// The earliest time at which the next reload may begin.
    var earliestReload: Int64 = .min / 2
    /// To detect a crash loop: the number of early deaths, the time of the last one, and the time of the last start of
    /// any worker.
    var earlyDeathCount = 0
    var lastEarlyDeathAt: Int64 = 0
    var lastStartAt: Int64 = .min / 2
    var exitStatus: Int32 = 0
    /// Why the pushed files were not loaded at the start, while the last good generation is tried.
    var pushedRefusal: PoolRefusal?

    /// Makes the state of a new pool without workers. `sequence` is the highest number in `stateDirectory`.
    /// Reloads begin at least `reloadIntervalMilliseconds` apart.
    public init(sequence: GenerationID, reloadIntervalMilliseconds: Int64 = 0) {
        self.sequence = Self.sequence(sequence)
        self.reloadIntervalMilliseconds = reloadIntervalMilliseconds
    }

    /// Handles one event.
    ///
    /// - Returns: the actions to perform, in this order.
    public mutating func handle(_ event: PoolEvent) -> [PoolAction] {
        guard phase != .finished else { return [] }
        let now = event.milliseconds
        var actions: [PoolAction] = []
        forgetEarlyDeaths(at: now)
        switch event.kind {
        case .start: start(at: now, &actions)
        case .signal(let signal): take(signal, at: now, &actions)
        case .tick: break
        case .loaded(let id, let settings): loaded(id, settings, at: now, &actions)
        case .refused(let id, let refusal): loaderRefused(id, refusal, at: now, &actions)
        case .ready(let id): becomeReady(id, at: now, &actions)
        case .recycle(let id): recycle(id)
        case .stuck(let id): replaceStuck(id, at: now, &actions)
        case .chain(let id, let chain):
            for other in workers.keys.sorted() where other != id && workers[other]?.isLeaving == false {
                actions.append(.sendHint(other, hint: chain))
            }
        case .ended(let id, let exit): ended(id, exit, at: now, &actions)
        case .notStarted(let id, let refusal): notStarted(id, refusal, at: now, &actions)
        case .closed(let id): expectEnd(of: id, at: now)
        }
        enforceDeadlines(at: now, &actions)
        settle(at: now, &actions)
        return actions
    }

    /// Adds the actions that follow from the state alone, whatever event led to it.
    private mutating func settle(at now: Int64, _ actions: inout [PoolAction]) {
        if phase == .stopping {
            guard workers.isEmpty, loaders.isEmpty else { return }
            phase = .finished
            actions += [.log(.stopped), .finish(status: exitStatus)]
            return
        }
        beginWantedLoad(at: now, &actions)
        startMissingWorkers(at: now, &actions)
        retireRecycled(at: now, &actions)
    }

    /// Returns the number when it is a valid sequence number of a load, else 0.
    private static func sequence(_ number: Int) -> GenerationID {
        (0...PoolLimits.sequenceLimit).contains(number) ? number : 0
    }

    mutating func newChild() -> ChildID {
        lastChild += 1
        return lastChild
    }
}
