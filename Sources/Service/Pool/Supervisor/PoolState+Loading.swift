internal import System

/// Loads: the first load, reloads, and what happens when a load is refused.
extension PoolState {
    mutating func start(at now: Int64, _ actions: inout [PoolAction]) {
        guard load == nil, serving == nil else { return }
        actions.append(.log(.started))
        begin(.unchanged, at: now, &actions)
    }

    mutating func take(_ signal: Signal, at now: Int64, _ actions: inout [PoolAction]) {
        switch signal {
        case .hangup: isLoadWanted = phase != .stopping
        case .user1:
            actions += [.reopenLogs, .log(.logsReopened)]
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

    /// True when a wanted reload waits only for its earliest time: nothing else is in progress, and no worker of another
    /// generation is left.
    var isReloadDue: Bool {
        isLoadWanted && load == nil && phase == .running
            && workers.values.allSatisfy { $0.generation == serving?.generation }
    }

    mutating func beginWantedLoad(at now: Int64, _ actions: inout [PoolAction]) {
        guard isReloadDue, now >= earliestReload else { return }
        isLoadWanted = false
        earliestReload = now + reloadIntervalMilliseconds
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
        _ current: Load, _ refusal: PoolRefusal, at now: Int64, _ actions: inout [PoolAction]
    ) {
        load = nil
        for (id, worker) in workers where worker.generation == current.sequence && !worker.isLeaving {
            leave(id, within: reloadDrainMilliseconds, at: now, &actions)
        }
        if current.source == .pushed {
            actions.append(
                .publish(
                    PoolVerdict(
                        sequence: current.sequence, startedMilliseconds: current.startedAt,
                        source: current.source, refusal: refusal, serving: serving?.generation)
                )
            )
        }
        if let serving {
            actions.append(.log(.reloadRefused(current.sequence, refusal)))
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
            actions.append(.log(.pushedRefused(refusal)))
            pushedRefusal = refusal
            begin(.lastGood, at: now, &actions)
        case .lastGood:
            actions.append(.log(.startRefused(startRefusal(refusal))))
            exitStatus = 78
            beginStopping(within: 0, at: now, &actions)
        }
    }

    /// Refuses a load because of its loader: it refused the files, ended before it said its verdict, or could not be started.
    mutating func loaderRefused(
        _ id: ChildID, _ refusal: PoolRefusal, at now: Int64, _ actions: inout [PoolAction]
    ) {
        guard let current = load, current.step == .loading(id) else { return }
        refuse(current, refusal, at: now, &actions)
    }

    /// Returns the refusal to report when nothing serves. Without a last good generation, the pushed files are what
    /// somebody has to repair, so their refusal is reported.
    private func startRefusal(_ refusal: PoolRefusal) -> PoolRefusal {
        guard let pushedRefusal, refusal.code == LoadError.noLastGood.code else { return refusal }
        let message = "\(pushedRefusal.message); there is no last good generation to serve instead"
        return PoolRefusal(code: pushedRefusal.code, message: message)
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
        let notice: PoolNotice =
            isFirst
            ? .ready(current.sequence, source: current.source)
            : .reloadAccepted(current.sequence, source: current.source)
        if isFirst, current.source == .lastGood, let pushedRefusal {
            actions.append(.log(.fallingBack(pushedRefusal)))
        }
        pushedRefusal = nil
        actions.append(.log(notice))
        if current.source == .pushed {
            actions.append(
                .publish(
                    PoolVerdict(
                        sequence: current.sequence, startedMilliseconds: current.startedAt,
                        source: current.source, refusal: nil, serving: current.sequence)
                )
            )
        }
        if current.source == .unchanged { isLoadWanted = true }
        let suffix = current.source == .lastGood ? "; pushed files refused" : ""
        actions.append(.notify(.ready("serving generation \(current.sequence)\(suffix)")))
    }
}
