internal import Loader
internal import System

/// The whole life of a pool as a state machine: events in, actions out, no input or output and no clock.
///
/// Invariants, held by the tests: stopping is never left; at most two generations exist; a refused load leaves
/// every worker of the serving generation alone; every child that was started is waited for before the end.
public struct PoolState: Sendable {
    /// The large phases.
    public enum Phase: Sendable, Hashable {
        /// Before the first generation serves.
        case starting
        /// A generation serves.
        case running
        /// No new requests; never left.
        case stopping
        /// Nothing is left to do.
        case finished
    }

    /// A worker in the books.
    struct Worker: Sendable, Hashable {
        enum Stage: Sendable, Hashable {
            /// Told nothing yet, not ready.
            case starting
            case ready
            /// Ready, and replaced as soon as another one is.
            case recycling
            /// On its way out: told to drain, then sent TERM, then KILL, the next step at `deadline`.
            case leaving
            case terminated
            case killed
        }

        var generation: GenerationID
        var stage: Stage
        var startedAt: Int64
        /// For `starting` when it must be ready, for `leaving` and `terminated` when the next step comes.
        var deadline: Int64
        /// Whether its end says that something is wrong, although it is on its way out.
        var isFailure = false

        var isLeaving: Bool { stage == .leaving || stage == .terminated || stage == .killed }
        var isServing: Bool { stage == .ready || stage == .recycling }
    }

    /// A child that serves nobody.
    struct Helper: Sendable, Hashable {
        enum Role: Sendable, Hashable {
            case loader, keeper(GenerationID), checker
        }

        var role: Role
        var deadline: Int64
        var isKilled = false
    }

    /// A load under way.
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

    /// A generation that serves.
    struct Serving: Sendable, Hashable {
        var generation: GenerationID
        var settings: PoolSettings
    }

    /// Where the pool is in its life.
    public internal(set) var phase = Phase.starting
    var serving: Serving?
    var load: Load?
    var workers: [ChildID: Worker] = [:]
    var helpers: [ChildID: Helper] = [:]
    /// Generations whose descriptors the loop holds.
    var held: Set<GenerationID> = []
    var sequence: GenerationID
    var lastChild: ChildID = 0
    var hints: ChainHints
    /// Hints that are not written yet, and before when they are not.
    var areHintsUnsaved = false
    var earliestHintSave: Int64 = .min / 2
    var isLoadWanted = false
    /// A new set of workers costs tens of milliseconds of processor: a loop of signals must not take them from requests.
    let reloadIntervalMilliseconds: Int64
    /// The next reload begins no sooner.
    var earliestReload: Int64 = .min / 2
    var isUpgradeWanted = false
    var isUpgrading = false
    let isAdopted: Bool
    /// Why the pool came back from a new binary.
    let failedUpgrade: PoolRefusal?
    /// The generation to be stored next, when a store is under way.
    var storeWanted: GenerationID?
    /// For the crash loop: deaths in it, the last of them, and the last start of any worker.
    var earlyDeathCount = 0
    var lastEarlyDeathAt: Int64 = 0
    var lastStartAt: Int64 = .min / 2
    var exitStatus: Int32 = 0
    /// Where the records of each generation go that has or may have workers.
    var decisionLogs: [GenerationID: DecisionLogIdentity] = [:]
    /// The workers taken over that count in the counters of the binary before, when this one counts in others, and where
    /// their records go.
    var formerWorkers: Set<ChildID> = []
    var formerLog: DecisionLogIdentity?
    /// When the next minute is marked in them.
    var nextMark: Int64 = 0
    /// Why what was pushed was not loaded at the start, while the last good generation is tried.
    var pushedRefusal: PoolRefusal?

    /// A pool that has nothing yet. `sequence` is that of the last verdict in `stateDirectory`.
    /// Reloads begin at least `reloadIntervalMilliseconds` apart.
    public init(sequence: GenerationID, hints: [[UInt8]] = [], reloadIntervalMilliseconds: Int64 = 0) {
        self.sequence = Self.sequence(sequence)
        self.reloadIntervalMilliseconds = reloadIntervalMilliseconds
        self.hints = ChainHints(hints)
        isAdopted = false
        failedUpgrade = nil
    }

    /// A pool taken over from the binary that ran before in this process, with its generation and its workers; or
    /// given back by one that could not take it, which is `failedUpgrade`. `areCountersNew` says that those of the binary
    /// before could not be taken over.
    public init(
        adopting generation: GenerationID,
        settings: PoolSettings,
        workers: [(id: ChildID, isReady: Bool)],
        sequence: GenerationID,
        hints: [[UInt8]],
        areCountersNew: Bool = false,
        failedUpgrade: PoolRefusal? = nil,
        reloadIntervalMilliseconds: Int64 = 0,
        at milliseconds: Int64
    ) {
        self.reloadIntervalMilliseconds = reloadIntervalMilliseconds
        self.sequence = Self.sequence(max(sequence, generation))
        self.hints = ChainHints(hints)
        isAdopted = true
        self.failedUpgrade = failedUpgrade
        phase = .running
        serving = Serving(generation: generation, settings: settings)
        held = [generation]
        // The binary before has marked its beginning.
        if let log = settings.decisionLog { decisionLogs = [generation: log] }
        nextMark = milliseconds + PoolLimits.markMilliseconds
        if areCountersNew {
            formerWorkers = Set(workers.map(\.id))
            formerLog = settings.decisionLog
        }
        for (id, isReady) in workers {
            self.workers[id] = Worker(
                generation: generation,
                stage: isReady ? .ready : .starting,
                startedAt: milliseconds,
                deadline: milliseconds + PoolLimits.readyMilliseconds
            )
            lastChild = max(lastChild, id)
        }
    }

    /// The generation that serves and what it says about the pool, nil before the first one does.
    public var servingGeneration: (id: GenerationID, settings: PoolSettings)? {
        serving.map { ($0.generation, $0.settings) }
    }

    /// The workers that a new binary can take over, with whether they are ready; those leaving are not among them.
    public var adoptableWorkers: [(id: ChildID, isReady: Bool)] {
        workers.filter { !$0.value.isLeaving }.map { ($0.key, $0.value.isServing) }.sorted { $0.id < $1.id }
    }

    /// The generations whose descriptors are still needed.
    public var heldGenerations: Set<GenerationID> { held }

    /// The chains kept for new workers, the latest first.
    public var chainHints: [[UInt8]] { hints.list }

    /// The sequence number of the last load.
    public var lastSequence: GenerationID { sequence }

    /// Takes one event.
    ///
    /// - Returns: what has to be done, in this order.
    public mutating func handle(_ event: PoolEvent) -> [PoolAction] {
        guard phase != .finished else { return [] }
        let now = event.milliseconds
        var actions: [PoolAction] = []
        switch event.kind {
        case .start: start(at: now, &actions)
        case .signal(let signal): take(signal, at: now, &actions)
        case .tick: break
        case .loaded(let id, let settings): loaded(id, settings, at: now, &actions)
        case .refused(let id, let refusal): loaderRefused(id, refusal, at: now, &actions)
        case .ready(let id): becomeReady(id, at: now, &actions)
        case .recycle(let id): recycle(id)
        case .chain(let id, let chain): note(chain, from: id, &actions)
        case .ended(let id, let exit): ended(id, exit, at: now, &actions)
        case .notStarted(let id, let refusal): notStarted(id, refusal, at: now, &actions)
        case .upgradeFailed(let refusal):
            isUpgrading = false
            actions.append(.log(.upgradeRefused(refusal)))
        }
        enforceDeadlines(at: now, &actions)
        markMinute(at: now, &actions)
        saveHintsWhenDue(at: now, &actions)
        settle(at: now, &actions)
        return actions
    }

    /// Does what follows from the state alone, whatever event led to it.
    private mutating func settle(at now: Int64, _ actions: inout [PoolAction]) {
        closeFormerLog(&actions)
        releaseUnused(&actions)
        if phase == .stopping {
            guard workers.isEmpty, helpers.isEmpty else { return }
            phase = .finished
            saveHints(at: now, &actions)
            closeLogs(&actions)
            actions += [.log(.stopped), .finish(status: exitStatus)]
            return
        }
        beginWantedLoad(at: now, &actions)
        beginWantedUpgrade(at: now, &actions)
        startMissingWorkers(at: now, &actions)
        retireRecycled(at: now, &actions)
    }

    /// A number as loads count them, 0 for any other.
    private static func sequence(_ number: Int) -> GenerationID {
        (0...PoolLimits.sequenceLimit).contains(number) ? number : 0
    }

    mutating func newChild() -> ChildID {
        lastChild += 1
        return lastChild
    }
}
