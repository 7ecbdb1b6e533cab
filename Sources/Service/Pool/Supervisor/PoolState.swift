internal import Logging
internal import System

/// The life of a pool as a state machine: events in, actions out. It does no input or output and reads no clock.
///
/// Tests hold these invariants: the phase `stopping` is left only for `finished`; at most two generations exist; a
/// refused load does not touch the workers of the serving generation; the pool finishes only after every child that was
/// started has ended.
package struct PoolState: Sendable {
    package enum Phase: Sendable, Hashable {
        case starting
        case running
        /// The pool takes no new requests. It never returns to an earlier phase.
        case stopping
        case finished
    }

    struct Worker: Sendable {
        enum Phase: Sendable {
            case starting
            case ready
            case recycling
            /// The worker is leaving: it is told to drain, then sent TERM (`terminated`), then KILL (`killed`). The
            /// next step comes at `deadline`.
            case leaving
            case terminated
            case killed
        }

        var generation: GenerationID
        var phase: Phase
        var startedAt: Int64
        /// In the phase `starting` the time by which the worker must be ready; in `leaving` and `terminated` the time
        /// of the next step.
        var deadline: Int64
        var isFailure = false
        /// When the pool goes on without a worker that was killed or has closed its control socket.
        var abandonedAt: Int64?

        var isLeaving: Bool { phase == .leaving || phase == .terminated || phase == .killed }
        var isServing: Bool { phase == .ready || phase == .recycling }
    }

    struct Loader: Sendable {
        var deadline: Int64
        var isKilled = false
    }

    struct Load: Sendable {
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

    struct Serving: Sendable {
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
    /// To detect a crash loop: the number of early deaths, the time of the last one, and the time of the last start of
    /// any worker.
    var earlyDeathCount = 0
    var lastEarlyDeathAt: Int64 = 0
    var lastStartAt: Int64 = .min / 2
    var exitStatus: Int32 = 0
    /// Why the pushed files were not loaded at the start, while the last good generation is tried.
    var pushedRefusal: ServiceError?

    /// Makes the state of a new pool without workers. `sequence` is the highest number in `stateDirectory`.
    package init(sequence: GenerationID) {
        self.sequence = Self.sequence(sequence)
    }

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
        case .recycle(let id): if workers[id]?.phase == .ready { workers[id]?.phase = .recycling }
        case .stuck(let id): replaceStuck(id, at: now, &actions)
        case .closed(let id): expectEnd(of: id, at: now)
        case .chain(let id, let chain):
            for other in workers.keys.sorted() where other != id && workers[other]?.isLeaving == false {
                actions.append(.sendHint(other, hint: chain))
            }
        case .ended(let id, let exit): ended(id, exit, at: now, &actions)
        case .notStarted(let id, let refusal): notStarted(id, refusal, at: now, &actions)
        }
        enforceDeadlines(at: now, &actions)
        settle(at: now, &actions)
        return actions
    }

    private mutating func settle(at now: Int64, _ actions: inout [PoolAction]) {
        if phase == .stopping {
            guard workers.isEmpty, loaders.isEmpty else { return }
            phase = .finished
            actions += [.log(PoolNotice(.notice, "stopped")), .finish(status: exitStatus)]
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

    /// The lines that are counted, too.
    static let reloadAccepted = "reload accepted"
    static let reloadRefused = "reload refused"
    static let workerLost = "worker lost"
    static let workerNotReady = "worker not ready"
    static let workerStuck = "worker stuck"

    mutating func newChild() -> ChildID {
        lastChild += 1
        return lastChild
    }
}

extension PoolState {
    mutating func stop(_ signal: Signal, at now: Int64, _ actions: inout [PoolAction]) {
        let isFirst = phase != .stopping
        if isFirst {
            let notice = PoolNotice(.notice, "draining", nil, ["signal": "\(signal)"])
            actions += [.notify(.stopping), .log(notice)]
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

/// Loads: the first load, reloads, and what happens when a load is refused.
extension PoolState {
    mutating func start(at now: Int64, _ actions: inout [PoolAction]) {
        guard load == nil, serving == nil else { return }
        begin(.unchanged, at: now, &actions)
    }

    mutating func take(_ signal: Signal, at now: Int64, _ actions: inout [PoolAction]) {
        switch signal {
        case .hangup: isLoadWanted = phase != .stopping
        case .user1:
            actions.append(.reopenLogs)
            for id in workers.keys.sorted() { actions.append(.signal(id, .user1)) }
        case .quit, .terminate, .interrupt: stop(signal, at: now, &actions)
        case .kill, .child, .proceed, .stop: break
        }
    }

    mutating func begin(_ source: LoadSource, at now: Int64, _ actions: inout [PoolAction]) {
        sequence = sequence < PoolLimits.sequenceLimit ? sequence + 1 : 1
        let id = newChild()
        loaders[id] = Loader(deadline: now + PoolLimits.loaderMilliseconds)
        load = Load(sequence: sequence, source: source, startedAt: now, step: .loading(id))
        if serving != nil { actions.append(.notify(.reloading)) }
        actions.append(.startLoader(id, sequence: sequence, source: source, serving: serving?.generation))
    }

    /// True when a reload is wanted, nothing else is in progress, and no worker of another generation is left. So a loop of HUP
    /// signals cannot take the processor from requests.
    var isReloadDue: Bool {
        isLoadWanted && load == nil && phase == .running
            && workers.values.allSatisfy { $0.generation == serving?.generation }
    }

    mutating func beginWantedLoad(at now: Int64, _ actions: inout [PoolAction]) {
        guard isReloadDue else { return }
        isLoadWanted = false
        begin(.pushed, at: now, &actions)
    }

    mutating func loaded(
        _ id: ChildID, _ settings: PoolSettings, at now: Int64, _ actions: inout [PoolAction]
    ) {
        guard var current = load, current.step == .loading(id), phase != .stopping else { return }
        current.step = .starting(settings)
        load = current
    }

    /// Refuses the load in progress. The serving generation and its workers do not change.
    mutating func refuse(
        _ current: Load, _ refusal: ServiceError, at now: Int64, _ actions: inout [PoolAction]
    ) {
        load = nil
        for (id, worker) in workers where worker.generation == current.sequence && !worker.isLeaving {
            leave(id, within: reloadDrainMilliseconds, at: now, &actions)
        }
        publish(current, refusal, &actions)
        if let serving {
            actions.append(
                .log(PoolNotice(.warning, Self.reloadRefused, generation: current.sequence, refusal)))
            actions.append(
                .notify(.ready("serving generation \(serving.generation); reload refused: \(refusal.code)"))
            )
            return
        }
        switch current.source {
        case .unchanged:
            // Nobody saw this load: its number is free.
            sequence -= 1
            begin(.pushed, at: now, &actions)
        case .pushed:
            actions.append(.log(PoolNotice(.warning, "pushed files refused", refusal)))
            pushedRefusal = refusal
            begin(.lastGood, at: now, &actions)
        case .lastGood:
            actions.append(.log(PoolNotice(.error, "start refused", startRefusal(refusal))))
            exitStatus = 78
            beginStopping(within: 0, at: now, &actions)
        }
    }

    private func publish(_ current: Load, _ refusal: ServiceError?, _ actions: inout [PoolAction]) {
        guard current.source == .pushed else { return }
        actions.append(
            .publish(
                PoolVerdict(
                    sequence: current.sequence, startedMilliseconds: current.startedAt,
                    source: current.source, refusal: refusal, serving: serving?.generation)))
    }

    /// Refuses a load because of its loader: it refused the files, ended before it said its verdict, or could not be started.
    mutating func loaderRefused(
        _ id: ChildID, _ refusal: ServiceError, at now: Int64, _ actions: inout [PoolAction]
    ) {
        guard let current = load, current.step == .loading(id) else { return }
        refuse(current, refusal, at: now, &actions)
    }

    /// Returns the refusal to report when nothing serves. Without a last good generation, the pushed files are what
    /// somebody has to repair, so their refusal is reported.
    private func startRefusal(_ refusal: ServiceError) -> ServiceError {
        guard let pushedRefusal, refusal.code == ServiceError.noLastGood.code else { return refusal }
        let message = "\(pushedRefusal); there is no last good generation to serve instead"
        return ServiceError(code: pushedRefusal.code, message)
    }

    /// Makes the new generation the serving one as soon as all its workers are ready, and tells the old workers to
    /// leave.
    mutating func switchIfComplete(at now: Int64, _ actions: inout [PoolAction]) {
        guard let current = load, case .starting(let settings) = current.step else { return }
        let ready = workers.values.count { $0.generation == current.sequence && $0.isServing }
        guard ready >= settings.workerCount else { return }
        let isFirst = serving == nil
        serving = Serving(generation: current.sequence, settings: settings)
        load = nil
        phase = .running
        actions.append(.makeCurrent(current.sequence))
        for (id, worker) in workers.sorted(by: { $0.key < $1.key })
        where worker.generation != current.sequence && !worker.isLeaving {
            leave(id, within: reloadDrainMilliseconds, at: now, &actions)
        }
        if isFirst, current.source == .lastGood, let pushedRefusal {
            actions.append(.log(PoolNotice(.warning, "serving the last good generation", pushedRefusal)))
        }
        pushedRefusal = nil
        actions.append(
            .log(
                PoolNotice(
                    .notice, isFirst ? "ready" : Self.reloadAccepted, generation: current.sequence, nil,
                    ["source": current.source.rawValue])))
        publish(current, nil, &actions)
        if current.source == .unchanged { isLoadWanted = true }
        let suffix = current.source == .lastGood ? "; pushed files refused" : ""
        actions.append(.notify(.ready("serving generation \(current.sequence)\(suffix)")))
    }
}

/// Workers: how many there are, how they start and how they leave.
extension PoolState {
    var drainMilliseconds: Int64 { serving?.settings.drainMilliseconds ?? 5_000 }

    var reloadDrainMilliseconds: Int64 { max(drainMilliseconds, PoolLimits.reloadDrainMilliseconds) }

    mutating func becomeReady(_ id: ChildID, at now: Int64, _ actions: inout [PoolAction]) {
        guard workers[id]?.phase == .starting else { return }
        workers[id]?.phase = .ready
        switchIfComplete(at: now, &actions)
    }

    /// Sends TERM to a worker whose loop does not turn; the next deadline sends KILL. Another worker takes its place at
    /// once, because a worker in this phase does not count as present.
    mutating func replaceStuck(_ id: ChildID, at now: Int64, _ actions: inout [PoolAction]) {
        guard let worker = workers[id], worker.isServing else { return }
        workers[id]?.phase = .terminated
        workers[id]?.deadline = now + PoolLimits.killMilliseconds
        let silence = ["silent-ms": "\(PoolLimits.stuckMilliseconds)"]
        actions += [
            .log(PoolNotice(.warning, Self.workerStuck, worker: id, nil, silence)), .signal(id, .terminate),
        ]
    }

    mutating func startMissingWorkers(at now: Int64, _ actions: inout [PoolAction]) {
        guard phase != .stopping else { return }
        for (generation, count) in missingWorkers {
            for _ in 0..<count {
                guard now >= earliestStart else { return }
                startWorker(of: generation, at: now, &actions)
            }
        }
    }

    private var missingWorkers: [(generation: GenerationID, count: Int)] {
        var wanted: [(generation: GenerationID, count: Int)] = []
        // First, because in a crash loop one worker a second is started, and the new generation may end the loop.
        if let load, case .starting(let settings) = load.step {
            wanted.append((load.sequence, settings.workerCount))
        }
        if let serving { wanted.append((serving.generation, serving.settings.workerCount)) }
        return wanted.map { generation, count in
            let present = workers.values.count {
                $0.generation == generation && ($0.phase == .starting || $0.phase == .ready)
            }
            return (generation, max(0, count - present))
        }
    }

    private mutating func startWorker(
        of generation: GenerationID, at now: Int64, _ actions: inout [PoolAction]
    ) {
        let id = newChild()
        workers[id] = Worker(
            generation: generation, phase: .starting, startedAt: now,
            deadline: now + PoolLimits.readyMilliseconds)
        lastStartAt = now
        actions.append(.startWorker(id, generation: generation))
    }

    /// True when workers fail as soon as they start. One failure of every worker in the pool is not a crash loop yet.
    package var isCrashLooping: Bool {
        let count = max(serving?.settings.workerCount ?? 1, 1)
        return earlyDeathCount > count
    }

    /// Ends a crash loop in which no worker has died early for a while.
    mutating func forgetEarlyDeaths(at now: Int64) {
        if now - lastEarlyDeathAt >= PoolLimits.crashLoopMemoryMilliseconds { earlyDeathCount = 0 }
    }

    /// The earliest time to start a worker; the smallest number when there is no crash loop.
    var earliestStart: Int64 {
        isCrashLooping ? lastStartAt + PoolLimits.crashLoopMilliseconds : .min
    }

    /// Tells a worker to finish its requests and exit. The supervisor forces it when it has not left in time.
    mutating func leave(
        _ id: ChildID, within milliseconds: Int64, at now: Int64, _ actions: inout [PoolAction]
    ) {
        guard let worker = workers[id], !worker.isLeaving else { return }
        workers[id]?.phase = .leaving
        workers[id]?.deadline = now + milliseconds + PoolLimits.drainMarginMilliseconds
        actions.append(.drain(id, milliseconds: milliseconds))
    }

    mutating func shortenDrain(
        _ id: ChildID, within milliseconds: Int64, at now: Int64, _ actions: inout [PoolAction]
    ) {
        let deadline = now + milliseconds + PoolLimits.drainMarginMilliseconds
        guard let worker = workers[id], worker.phase == .leaving, deadline < worker.deadline else { return }
        workers[id]?.deadline = deadline
        actions.append(.drain(id, milliseconds: milliseconds))
    }

    /// Tells recycled workers to leave once as many others are ready as the pool needs.
    mutating func retireRecycled(at now: Int64, _ actions: inout [PoolAction]) {
        guard let serving else { return }
        let mine = workers.filter { $0.value.generation == serving.generation }
        guard mine.values.count(where: { $0.phase == .ready }) >= serving.settings.workerCount else { return }
        for id in mine.filter({ $0.value.phase == .recycling }).keys.sorted() {
            leave(id, within: reloadDrainMilliseconds, at: now, &actions)
        }
    }

    mutating func ended(_ id: ChildID, _ exit: ChildExit, at now: Int64, _ actions: inout [PoolAction]) {
        if loaders.removeValue(forKey: id) != nil {
            let message = "the loader ended with \(exit) before it answered"
            loaderRefused(id, ServiceError(code: "load-crashed", message), at: now, &actions)
            return
        }
        guard let worker = workers.removeValue(forKey: id) else { return }
        // The supervisor had sent the worker no signal yet, so the worker failed on its way out.
        let hasFailedLeaving = worker.phase == .leaving && !exit.isSuccess
        if hasFailedLeaving || !worker.isLeaving {
            actions.append(
                .log(PoolNotice(.warning, Self.workerLost, worker: id, nil, ["exit": "\(exit)"])))
        }
        guard !worker.isLeaving || worker.isFailure else { return }
        // No worker of this generation can start any more. A load makes another.
        if exit == .exited(PoolLimits.generationGoneStatus), worker.generation == serving?.generation {
            isLoadWanted = phase != .stopping
        }
        if exit == .exited(PoolLimits.generationGoneStatus), serving == nil, let load,
            load.sequence == worker.generation
        {
            let message = "a new worker could not open the generation"
            return refuse(load, ServiceError(code: "workers-failed", message), at: now, &actions)
        }
        lost(worker, reason: "a new worker ended with \(exit) before it was ready", at: now, &actions)
    }

    mutating func notStarted(
        _ id: ChildID, _ refusal: ServiceError, at now: Int64, _ actions: inout [PoolAction]
    ) {
        if loaders.removeValue(forKey: id) != nil {
            loaderRefused(id, refusal, at: now, &actions)
            return
        }
        guard let worker = workers.removeValue(forKey: id) else { return }
        actions.append(.log(PoolNotice(.warning, "worker not started", worker: id, refusal)))
        lost(worker, reason: refusal.description, at: now, &actions)
    }

    /// Handles the unexpected end of a worker: counts it for the crash loop, and may refuse the load whose generation
    /// the worker belongs to.
    mutating func lost(_ worker: Worker, reason: String, at now: Int64, _ actions: inout [PoolAction]) {
        let wasEarly = now - worker.startedAt < PoolLimits.earlyDeathMilliseconds
        // Failures of a new generation's workers must not delay the workers of the serving generation.
        let counts = serving == nil || worker.generation == serving?.generation
        if counts && (wasEarly || worker.phase == .starting || worker.isFailure) {
            let wasLooping = isCrashLooping
            earlyDeathCount += 1
            lastEarlyDeathAt = now
            if isCrashLooping && !wasLooping {
                let deaths = ["deaths": "\(earlyDeathCount)"]
                actions.append(.log(PoolNotice(.error, "workers keep failing", nil, deaths)))
            }
        }
        guard var current = load, current.sequence == worker.generation, serving != nil else { return }
        current.deathCount += 1
        load = current
        if current.deathCount > PoolLimits.reloadDeathCount {
            refuse(current, ServiceError(code: "workers-failed", reason), at: now, &actions)
        }
    }
}

/// Deadlines: what the pool does when a worker or a loader takes too long.
extension PoolState {
    /// The time at which ``PoolEvent/Kind/tick`` is due, in milliseconds of the monotonic clock; nil when nothing waits
    /// for time to pass.
    package var nextDeadline: Int64? {
        guard phase != .finished else { return nil }
        var deadlines = workers.values.compactMap { worker in
            switch worker.phase {
            case .starting, .leaving, .terminated: worker.deadline
            case .ready, .recycling, .killed: nil
            }
        }
        deadlines += workers.values.compactMap(\.abandonedAt)
        deadlines += loaders.values.filter { !$0.isKilled }.map(\.deadline)
        if isCrashLooping {
            deadlines.append(lastEarlyDeathAt + PoolLimits.crashLoopMemoryMilliseconds)
            if phase != .stopping, missingWorkers.contains(where: { $0.count > 0 }) {
                deadlines.append(earliestStart)
            }
        }
        return deadlines.min()
    }

    mutating func enforceDeadlines(at now: Int64, _ actions: inout [PoolAction]) {
        for id in workers.keys.sorted() {
            guard let worker = workers[id] else { continue }
            if let time = worker.abandonedAt, now >= time {
                abandon(id, worker, at: now, &actions)
                continue
            }
            guard now >= worker.deadline else { continue }
            switch worker.phase {
            case .ready, .recycling, .killed: continue
            case .starting: notReady(id, worker, at: now, &actions)
            case .leaving: force(id, .terminate, at: now, &actions)
            case .terminated: force(id, .kill, at: now, &actions)
            }
        }
        for id in loaders.keys.sorted() {
            guard let loader = loaders[id], !loader.isKilled, now >= loader.deadline else { continue }
            kill(loader: id, &actions)
            if let current = load, current.step == .loading(id) {
                let seconds = PoolLimits.loaderMilliseconds / 1000
                let message = "the loader did not answer in \(seconds) s"
                refuse(current, ServiceError(code: "load-timeout", message), at: now, &actions)
            }
        }
    }

    mutating func kill(loader id: ChildID, _ actions: inout [PoolAction]) {
        guard loaders[id]?.isKilled == false else { return }
        loaders[id]?.isKilled = true
        actions.append(.signal(id, .kill))
    }

    private mutating func force(_ id: ChildID, _ signal: Signal, at now: Int64, _ actions: inout [PoolAction])
    {
        workers[id]?.phase = signal == .kill ? .killed : .terminated
        workers[id]?.deadline = now + PoolLimits.killMilliseconds
        if signal == .kill { expectEnd(of: id, at: now) }
        let notice = PoolNotice(
            .warning, "worker forced to leave", worker: id, nil, ["signal": "\(signal)"])
        actions += [.log(notice), .signal(id, signal)]
    }

    /// Kills a worker that has not become ready in time, and refuses the reload that waits for it.
    private mutating func notReady(
        _ id: ChildID, _ worker: Worker, at now: Int64, _ actions: inout [PoolAction]
    ) {
        workers[id]?.phase = .killed
        workers[id]?.isFailure = true
        expectEnd(of: id, at: now)
        actions += [.log(PoolNotice(.warning, Self.workerNotReady, worker: id)), .signal(id, .kill)]
        guard let current = load, current.sequence == worker.generation, serving != nil else { return }
        let seconds = PoolLimits.readyMilliseconds / 1000
        let message = "a new worker was not ready in \(seconds) s"
        refuse(current, ServiceError(code: "workers-not-ready", message), at: now, &actions)
    }

    private mutating func expectEnd(of id: ChildID, at now: Int64) {
        if workers[id]?.abandonedAt == nil { workers[id]?.abandonedAt = now + PoolLimits.abandonMilliseconds }
    }

    private mutating func abandon(
        _ id: ChildID, _ worker: Worker, at now: Int64, _ actions: inout [PoolAction]
    ) {
        workers[id] = nil
        actions += [.log(PoolNotice(.warning, "worker does not end", worker: id)), .abandon(id)]
        guard !worker.isLeaving || worker.isFailure else { return }
        lost(worker, reason: "a new worker did not end", at: now, &actions)
    }
}
