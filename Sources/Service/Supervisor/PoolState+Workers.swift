internal import System

/// Workers: how many there are, how one comes, how one leaves.
extension PoolState {
    /// How long TERM lets a worker take to leave, by the generation that serves.
    var drainMilliseconds: Int64 { serving?.settings.drainMilliseconds ?? 5_000 }

    /// How long a worker may take that leaves because others take its place.
    var reloadDrainMilliseconds: Int64 { max(drainMilliseconds, PoolLimits.reloadDrainMilliseconds) }

    mutating func becomeReady(_ id: ChildID, at now: Int64, _ actions: inout [PoolAction]) {
        guard workers[id]?.stage == .starting else { return }
        workers[id]?.stage = .ready
        switchIfComplete(at: now, &actions)
    }

    mutating func recycle(_ id: ChildID) {
        guard workers[id]?.stage == .ready else { return }
        workers[id]?.stage = .recycling
    }

    /// Starts what is missing in the generation that serves and in the one that comes.
    mutating func startMissingWorkers(at now: Int64, _ actions: inout [PoolAction]) {
        guard phase != .stopping else { return }
        var wanted: [(generation: GenerationID, count: Int)] = []
        if let serving { wanted.append((serving.generation, serving.settings.workerCount)) }
        if let load, case .starting(let settings) = load.step {
            wanted.append((load.sequence, settings.workerCount))
        }
        for (generation, count) in wanted {
            let present = workers.values.count {
                $0.generation == generation && ($0.stage == .starting || $0.stage == .ready)
            }
            for _ in 0..<max(0, count - present) {
                guard now >= earliestStart else { return }
                startWorker(of: generation, at: now, &actions)
            }
        }
    }

    private mutating func startWorker(
        of generation: GenerationID,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        let id = newChild()
        workers[id] = Worker(
            generation: generation,
            stage: .starting,
            startedAt: now,
            deadline: now + PoolLimits.readyMilliseconds
        )
        lastStartAt = now
        actions.append(.startWorker(id, generation: generation, hints: hints.list))
    }

    /// Whether workers fail as soon as they are started; a whole pool that fails once is not yet a loop.
    var isCrashLooping: Bool {
        let count = max(serving?.settings.workerCount ?? 1, 1)
        return earlyDeathCount > count
    }

    /// No worker is started before this; long ago when there is no crash loop.
    var earliestStart: Int64 {
        isCrashLooping ? lastStartAt + PoolLimits.crashLoopMilliseconds : .min
    }

    /// Tells a worker to finish; it is forced when it has not left in time.
    mutating func leave(
        _ id: ChildID,
        within milliseconds: Int64,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        guard let worker = workers[id], !worker.isLeaving else { return }
        workers[id]?.stage = .leaving
        workers[id]?.deadline = now + milliseconds + PoolLimits.drainMarginMilliseconds
        actions.append(.drain(id, milliseconds: milliseconds))
    }

    /// Less patience with a worker that is leaving; none is ever added.
    mutating func hurry(
        _ id: ChildID,
        within milliseconds: Int64,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        let deadline = now + milliseconds + PoolLimits.drainMarginMilliseconds
        guard let worker = workers[id], worker.stage == .leaving, deadline < worker.deadline else { return }
        workers[id]?.deadline = deadline
        actions.append(.drain(id, milliseconds: milliseconds))
    }

    /// Workers that have answered enough leave once the pool is whole without them.
    mutating func retireRecycled(at now: Int64, _ actions: inout [PoolAction]) {
        guard let serving else { return }
        let mine = workers.filter { $0.value.generation == serving.generation }
        let recycling = mine.filter { $0.value.stage == .recycling }.keys.sorted()
        guard !recycling.isEmpty,
            mine.values.count(where: { $0.stage == .ready }) >= serving.settings.workerCount
        else { return }
        for id in recycling { leave(id, within: reloadDrainMilliseconds, at: now, &actions) }
    }

    mutating func ended(_ id: ChildID, _ exit: ChildExit, at now: Int64, _ actions: inout [PoolAction]) {
        if let helper = helpers.removeValue(forKey: id) {
            helperEnded(id, helper, exit, at: now, &actions)
            return
        }
        guard let worker = workers.removeValue(forKey: id) else { return }
        // Nobody had sent it a signal yet: it failed on its way out.
        if worker.stage == .leaving && !exit.isSuccess { actions.append(.log(.workerLost(id, exit))) }
        guard !worker.isLeaving || worker.isFailure else { return }
        if !worker.isLeaving { actions.append(.log(.workerLost(id, exit))) }
        lost(worker, reason: "a new worker ended with \(exit) before it was ready", at: now, &actions)
    }

    mutating func notStarted(
        _ id: ChildID,
        _ refusal: PoolRefusal,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        if let helper = helpers.removeValue(forKey: id) {
            helperNotStarted(id, helper, refusal, at: now, &actions)
            return
        }
        guard let worker = workers.removeValue(forKey: id) else { return }
        actions.append(.log(.workerNotStarted(id, refusal)))
        lost(worker, reason: refusal.message, at: now, &actions)
    }

    /// A worker is gone that should not be: the crash loop is counted, and a load that hangs on it may be refused.
    private mutating func lost(
        _ worker: Worker,
        reason: String,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        if now - lastEarlyDeathAt >= PoolLimits.crashLoopMemoryMilliseconds { earlyDeathCount = 0 }
        let wasEarly = now - worker.startedAt < PoolLimits.earlyDeathMilliseconds
        // What a new generation does to its workers must not slow down those of the one that serves.
        let counts = serving == nil || worker.generation == serving?.generation
        if counts && (wasEarly || worker.stage == .starting || worker.isFailure) {
            let wasLooping = isCrashLooping
            earlyDeathCount += 1
            lastEarlyDeathAt = now
            if isCrashLooping && !wasLooping { actions.append(.log(.crashLoop(deathCount: earlyDeathCount))) }
        }
        guard var current = load, current.sequence == worker.generation, serving != nil else { return }
        current.deathCount += 1
        load = current
        if current.deathCount > PoolLimits.reloadDeathCount {
            refuse(current, PoolRefusal(code: "workers-failed", message: reason), at: now, &actions)
        }
    }
}
