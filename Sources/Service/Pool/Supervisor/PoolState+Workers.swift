internal import System

/// Workers: how many there are, how they start and how they leave.
extension PoolState {
    var drainMilliseconds: Int64 { serving?.settings.drainMilliseconds ?? 5_000 }

    var reloadDrainMilliseconds: Int64 { max(drainMilliseconds, PoolLimits.reloadDrainMilliseconds) }

    mutating func becomeReady(_ id: ChildID, at now: Int64, _ actions: inout [PoolAction]) {
        guard workers[id]?.stage == .starting else { return }
        workers[id]?.stage = .ready
        switchIfComplete(at: now, &actions)
    }

    /// Sends TERM to a worker whose loop does not turn; the next deadline sends KILL. Another worker takes its place at
    /// once, because a worker in this stage does not count as present.
    mutating func replaceStuck(_ id: ChildID, at now: Int64, _ actions: inout [PoolAction]) {
        guard let worker = workers[id], worker.isServing else { return }
        workers[id]?.stage = .terminated
        workers[id]?.deadline = now + PoolLimits.killMilliseconds
        actions += [.log(.workerStuck(id)), .signal(id, .terminate)]
    }

    mutating func startMissingWorkers(at now: Int64, _ actions: inout [PoolAction]) {
        guard phase != .stopping else { return }
        var wanted: [(generation: GenerationID, count: Int)] = []
        // First, because in a crash loop one worker a second is started, and the new generation may end the loop.
        if let load, case .starting(let settings) = load.step {
            wanted.append((load.sequence, settings.workerCount))
        }
        if let serving { wanted.append((serving.generation, serving.settings.workerCount)) }
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
        of generation: GenerationID, at now: Int64, _ actions: inout [PoolAction]
    ) {
        let id = newChild()
        workers[id] = Worker(
            generation: generation, stage: .starting, startedAt: now,
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
        workers[id]?.stage = .leaving
        workers[id]?.deadline = now + milliseconds + PoolLimits.drainMarginMilliseconds
        actions.append(.drain(id, milliseconds: milliseconds))
    }

    /// Gives a leaving worker less time. Never gives it more.
    mutating func shortenDrain(
        _ id: ChildID, within milliseconds: Int64, at now: Int64, _ actions: inout [PoolAction]
    ) {
        let deadline = now + milliseconds + PoolLimits.drainMarginMilliseconds
        guard let worker = workers[id], worker.stage == .leaving, deadline < worker.deadline else { return }
        workers[id]?.deadline = deadline
        actions.append(.drain(id, milliseconds: milliseconds))
    }

    /// Tells recycled workers to leave once as many others are ready as the pool needs.
    mutating func retireRecycled(at now: Int64, _ actions: inout [PoolAction]) {
        guard let serving else { return }
        let mine = workers.filter { $0.value.generation == serving.generation }
        guard mine.values.count(where: { $0.stage == .ready }) >= serving.settings.workerCount else { return }
        for id in mine.filter({ $0.value.stage == .recycling }).keys.sorted() {
            leave(id, within: reloadDrainMilliseconds, at: now, &actions)
        }
    }

    mutating func ended(_ id: ChildID, _ exit: ChildExit, at now: Int64, _ actions: inout [PoolAction]) {
        if loaders.removeValue(forKey: id) != nil {
            let message = "the loader ended with \(exit) before it answered"
            loaderRefused(id, PoolRefusal(code: "load-crashed", message: message), at: now, &actions)
            return
        }
        guard let worker = workers.removeValue(forKey: id) else { return }
        // The supervisor had sent the worker no signal yet, so the worker failed on its way out.
        if worker.stage == .leaving && !exit.isSuccess { actions.append(.log(.workerLost(id, exit))) }
        guard !worker.isLeaving || worker.isFailure else { return }
        if !worker.isLeaving { actions.append(.log(.workerLost(id, exit))) }
        // No worker of this generation can start any more. A load makes another.
        if exit == .exited(PoolLimits.generationGoneStatus), worker.generation == serving?.generation {
            isLoadWanted = phase != .stopping
        }
        if exit == .exited(PoolLimits.generationGoneStatus), serving == nil, let load,
            load.sequence == worker.generation
        {
            let message = "a new worker could not open the generation"
            return refuse(load, PoolRefusal(code: "workers-failed", message: message), at: now, &actions)
        }
        lost(worker, reason: "a new worker ended with \(exit) before it was ready", at: now, &actions)
    }

    mutating func notStarted(
        _ id: ChildID, _ refusal: PoolRefusal, at now: Int64, _ actions: inout [PoolAction]
    ) {
        if loaders.removeValue(forKey: id) != nil {
            loaderRefused(id, refusal, at: now, &actions)
            return
        }
        guard let worker = workers.removeValue(forKey: id) else { return }
        actions.append(.log(.workerNotStarted(id, refusal)))
        lost(worker, reason: refusal.message, at: now, &actions)
    }

    /// Handles the unexpected end of a worker: counts it for the crash loop, and may refuse the load whose generation
    /// the worker belongs to.
    mutating func lost(_ worker: Worker, reason: String, at now: Int64, _ actions: inout [PoolAction]) {
        let wasEarly = now - worker.startedAt < PoolLimits.earlyDeathMilliseconds
        // Failures of a new generation's workers must not delay the workers of the serving generation.
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

/// Deadlines: what the pool does when a worker or a loader takes too long.
extension PoolState {
    /// The time at which ``PoolEvent/Kind/tick`` is due, in milliseconds of the monotonic clock; nil when nothing waits
    /// for time to pass.
    package var nextDeadline: Int64? {
        guard phase != .finished else { return nil }
        var deadlines = workers.values.compactMap { worker in
            switch worker.stage {
            case .starting, .leaving, .terminated: worker.deadline
            case .ready, .recycling, .killed: nil
            }
        }
        deadlines += loaders.values.filter { !$0.isKilled }.map(\.deadline)
        if isCrashLooping {
            deadlines.append(lastEarlyDeathAt + PoolLimits.crashLoopMemoryMilliseconds)
            if phase != .stopping && isWorkerMissing { deadlines.append(earliestStart) }
        }
        deadlines += workers.values.compactMap(\.abandonedAt)
        if isReloadDue { deadlines.append(earliestReload) }
        return deadlines.min()
    }

    private var isWorkerMissing: Bool {
        func isMissing(_ generation: GenerationID, _ count: Int) -> Bool {
            workers.values.count {
                $0.generation == generation && ($0.stage == .starting || $0.stage == .ready)
            } < count
        }
        if let serving, isMissing(serving.generation, serving.settings.workerCount) { return true }
        guard let load, case .starting(let settings) = load.step else { return false }
        return isMissing(load.sequence, settings.workerCount)
    }

    mutating func enforceDeadlines(at now: Int64, _ actions: inout [PoolAction]) {
        for id in workers.keys.sorted() {
            guard let worker = workers[id] else { continue }
            if let time = worker.abandonedAt, now >= time {
                abandon(id, worker, at: now, &actions)
                continue
            }
            guard now >= worker.deadline else { continue }
            switch worker.stage {
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
                refuse(current, PoolRefusal(code: "load-timeout", message: message), at: now, &actions)
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
        workers[id]?.stage = signal == .kill ? .killed : .terminated
        workers[id]?.deadline = now + PoolLimits.killMilliseconds
        if signal == .kill { expectEnd(of: id, at: now) }
        actions += [.log(.workerForced(id, signal)), .signal(id, signal)]
    }

    /// Kills a worker that has not become ready in time, and refuses the reload that waits for it.
    private mutating func notReady(
        _ id: ChildID, _ worker: Worker, at now: Int64, _ actions: inout [PoolAction]
    ) {
        workers[id]?.stage = .killed
        workers[id]?.isFailure = true
        expectEnd(of: id, at: now)
        actions += [.log(.workerNotReady(id)), .signal(id, .kill)]
        guard let current = load, current.sequence == worker.generation, serving != nil else { return }
        let seconds = PoolLimits.readyMilliseconds / 1000
        let message = "a new worker was not ready in \(seconds) s"
        refuse(current, PoolRefusal(code: "workers-not-ready", message: message), at: now, &actions)
    }

    /// Gives a worker that was killed, or that has closed its control socket, a second to end.
    mutating func expectEnd(of id: ChildID, at now: Int64) {
        if workers[id]?.abandonedAt == nil { workers[id]?.abandonedAt = now + PoolLimits.abandonMilliseconds }
    }

    private mutating func abandon(
        _ id: ChildID, _ worker: Worker, at now: Int64, _ actions: inout [PoolAction]
    ) {
        workers[id] = nil
        actions += [.log(.workerAbandoned(id)), .abandon(id)]
        guard !worker.isLeaving || worker.isFailure else { return }
        lost(worker, reason: "a new worker did not end", at: now, &actions)
    }
}
