internal import System

/// The life of a pool as a state machine: events in, actions out. It does no input or output and reads no clock.
///
/// Tests hold these invariants: the phase `stopping` is left only for `finished`; at most two generations exist; a
/// refused load does not touch the workers of the serving generation; the pool finishes only after every child that was
/// started has ended, or a second after it was killed.
package struct PoolState: Sendable {
    package enum Phase: Sendable, Hashable {
        case starting
        case running
        /// The pool takes no new requests. It never returns to an earlier phase.
        case stopping
        case finished
    }

    struct Worker: Sendable, Hashable {
        enum Stage: Sendable, Hashable {
            case starting
            case ready
            /// The worker serves until another is ready in its place.
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

    struct Loader: Sendable, Hashable {
        var deadline: Int64
        var isKilled = false
    }

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

    struct Serving: Sendable, Hashable {
        var generation: GenerationID
        var settings: PoolSettings
    }

    package internal(set) var phase = Phase.starting
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
    package init(sequence: GenerationID, reloadIntervalMilliseconds: Int64 = 0) {
        self.sequence = Self.sequence(sequence)
        self.reloadIntervalMilliseconds = reloadIntervalMilliseconds
    }

    /// Handles one event.
    package mutating func handle(_ event: PoolEvent) -> [PoolAction] {
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
        case .recycle(let id): if workers[id]?.stage == .ready { workers[id]?.stage = .recycling }
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

extension PoolState {
    mutating func stop(_ signal: Signal, at now: Int64, _ actions: inout [PoolAction]) {
        let isFirst = phase != .stopping
        if isFirst {
            actions += [.notify(.stopping), .log(.draining(signal))]
        }
        let milliseconds = signal == .quit ? PoolLimits.quitMilliseconds : drainMilliseconds
        beginStopping(within: milliseconds, at: now, &actions)
        guard !isFirst, signal != .quit else { return }
        // TERM after QUIT: from now on workers get less time.
        for id in workers.keys.sorted() { shortenDrain(id, within: milliseconds, at: now, &actions) }
    }

    /// Begins to stop the pool: closes the listener, kills the loader, and tells the workers to leave.
    /// The pool never returns to an earlier phase.
    mutating func beginStopping(within milliseconds: Int64, at now: Int64, _ actions: inout [PoolAction]) {
        guard phase != .stopping else { return }
        phase = .stopping
        isLoadWanted = false
        load = nil
        actions.append(.closeListener)
        for id in loaders.keys.sorted() { kill(loader: id, &actions) }
        for id in workers.keys.sorted() {
            if workers[id]?.isLeaving == true {
                shortenDrain(id, within: milliseconds, at: now, &actions)
            } else {
                leave(id, within: milliseconds, at: now, &actions)
            }
        }
    }
}
