internal import System

/// Deadlines: what the pool does when a worker or a loader takes too long.
extension PoolState {
    /// The time at which ``PoolEvent/Kind/tick`` is due, in milliseconds of the monotonic clock; nil when nothing waits
    /// for time to pass.
    public var nextDeadline: Int64? {
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
