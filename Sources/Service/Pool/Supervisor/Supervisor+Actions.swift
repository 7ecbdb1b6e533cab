internal import Configuration
internal import Logging
internal import System

extension Supervisor {
    func perform(_ actions: [PoolAction]) {
        for action in actions {
            switch action {
            case .startLoader(let id, let sequence, let source, let serving):
                startLoader(id, sequence: sequence, source: source, serving: serving)
            case .startWorker(let id, let generation): startWorker(id, generation: generation)
            case .makeCurrent(let generation): makeCurrent(generation)
            case .drain(let id, let milliseconds): drain(id, milliseconds: milliseconds)
            case .signal(let id, let signal):
                if let child = children[id] { try? Processes.send(signal, to: child.processID) }
            case .publish(let verdict): publish(verdict)
            // A worker that cannot receive the hint now verifies the chain when a request presents it.
            case .sendHint(let id, let hint): try? channels[id]?.socket.send(.chainHint(hint))
            case .closeListener: closeListener()
            case .reopenLogs: reopenLogs()
            case .abandon(let id): abandon(id)
            case .notify(let notification): notify(notification)
            case .log(.logsReopened) where setup.errorLog.isStale: break
            case .log(let notice):
                count(notice)
                write(notice)
            case .finish(let status): finish(status)
            }
        }
    }

    private func drain(_ id: ChildID, milliseconds: Int64) {
        // A worker that cannot receive the message is forced to leave when its time is over.
        try? channels[id]?.socket.send(.drain(milliseconds: UInt32(clamping: milliseconds)))
        if let slot = children[id]?.slot { counters.setWorker(slot, .draining) }
    }

    private func publish(_ verdict: PoolVerdict) {
        counters.setLastReload(
            LastReload(endedMilliseconds: Clock.wallMilliseconds(), refusalCode: verdict.refusal?.code)
        )
        counters.set(.loadMilliseconds, to: UInt64(max(0, Self.now - verdict.startedMilliseconds)))
        if verdict.refusal == nil { counters.set(.loadedAt, to: UInt64(max(0, Clock.wallMilliseconds()))) }
        write(verdict)
        if verdict.refusal == nil, let serving = verdict.serving, let loaded = generations[serving] {
            logger = setup.makeLogger(loaded.logLevel, loaded.logFormat)
            setup.errorLog.use(loaded.errorLog, elseTelling: logger)
        }
    }

    private func write(_ verdict: PoolVerdict) {
        do throws(SystemCallError) {
            try verdictFile.write(verdict, wallMilliseconds: Clock.wallMilliseconds())
        } catch {
            logger.error(
                "verdict not written",
                metadata: ["code": "\(error.code)", "path": "\(verdictFile.path)", "reason": "\(error)"])
        }
    }

    /// Opens the error log again. The workers open theirs and the decision log themselves.
    private func reopenLogs() {
        do throws(SystemCallError) {
            try setup.errorLog.reopen()
        } catch {
            let path = setup.errorLog.path ?? ""
            logger.error(
                "logs not reopened",
                metadata: ["code": "error-log-unwritable", "path": "\(path)", "reason": "\(error)"])
        }
    }

    /// Forgets a worker that does not end. Its process may still be reaped later.
    private func abandon(_ id: ChildID) {
        guard let child = children.removeValue(forKey: id) else { return }
        childIDs[child.processID] = nil
        channels[id] = nil
        if let slot = child.slot { counters.releaseWorker(slot) }
    }

    /// Lets the next start serve a generation. When that fails, this pool serves it all the same, and the loaders are told so.
    private func makeCurrent(_ generation: GenerationID) {
        generations = generations.filter { $0.key == generation }
        if generations[generation]?.isUnwritten == true { return }
        do throws(SystemCallError) {
            try store.makeCurrent(generation)
        } catch {
            logger.error(
                "the next start will not serve this generation",
                metadata: ["generation": "\(generation)", "code": "\(error.code)", "reason": "\(error)"])
        }
    }

    /// Stores a chain that a worker has verified, and sends it to the others unless they know it.
    func keep(_ chain: [UInt8], from id: ChildID) {
        do throws(SystemCallError) {
            guard try chains.add(chain) else { return }
        } catch {
            logger.warning("chain not stored", metadata: ["code": "\(error.code)"])
        }
        take(.chain(id, chain))
    }

    private func closeListener() {
        poolSocket?.removeName()
        poolSocket = nil
    }

    private func finish(_ status: Int32) {
        verdictFile.remove()
        try? pidFile.remove()
        exitStatus = status
    }

    private func notify(_ notification: PoolNotification) {
        switch notification {
        case .ready(let text):
            serviceManager.notify(["READY=1", "MAINPID=\(Processes.current)", "STATUS=\(text)"])
        case .status(let text): serviceManager.notify(["STATUS=\(text)"])
        case .stopping: serviceManager.notify(["STOPPING=1", "STATUS=draining"])
        case .reloading:
            let microseconds = Clock.monotonicNanoseconds() / 1000
            serviceManager.notify(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)", "STATUS=reloading"])
        }
    }

    private func count(_ notice: PoolNotice) {
        switch notice {
        case .reloadAccepted: counters.add(.reloadsLoaded)
        case .reloadRefused: counters.add(.reloadsRefused)
        case .workerLost, .workerNotReady: counters.add(.workersCrashed)
        case .workerStuck:
            counters.add(.workersCrashed)
            counters.add(.workersStuck)
        default: break
        }
    }

    /// Logs a notice: fixed text, fixed level, and the details as metadata.
    private func write(_ notice: PoolNotice) {
        var metadata: Logger.Metadata = [:]
        func refuse(_ refusal: PoolRefusal) {
            metadata["code"] = "\(refusal.code)"
            metadata["reason"] = "\(refusal.message)"
        }
        func worker(_ id: ChildID) {
            metadata["worker.id"] = "\(id)"
            if let child = children[id] { metadata["worker.pid"] = "\(child.processID)" }
        }
        switch notice {
        case .started:
            metadata["version"] = "\(setup.version)"
            metadata["configuration"] = "\(setup.configurationPath)"
            metadata["listen"] = "\(configuration.listen)"
        case .logsReopened, .stopped: break
        case .ready(let generation, let source), .reloadAccepted(let generation, let source):
            metadata["generation"] = "\(generation)"
            metadata["source"] = "\(source.rawValue)"
            metadata["files"] = "\(generations[generation]?.fileCount ?? 0)"
        case .reloadRefused(let generation, let refusal):
            metadata["generation"] = "\(generation)"
            refuse(refusal)
        case .pushedRefused(let refusal), .fallingBack(let refusal), .startRefused(let refusal):
            refuse(refusal)
        case .draining(let signal): metadata["signal"] = "\(signal)"
        case .workerLost(let id, let exit):
            worker(id)
            metadata["exit"] = "\(exit)"
        case .workerNotStarted(let id, let refusal):
            worker(id)
            refuse(refusal)
        case .workerNotReady(let id), .workerAbandoned(let id): worker(id)
        case .workerStuck(let id):
            worker(id)
            metadata["silent-ms"] = "\(configuration.stuckMilliseconds)"
        case .workerForced(let id, let signal):
            worker(id)
            metadata["signal"] = "\(signal)"
        case .crashLoop(let count): metadata["deaths"] = "\(count)"
        }
        logger.log(level: notice.level, "\(notice.text)", metadata: metadata)
    }
}

extension PoolNotice {
    /// The severity of the notice. `error`: a person must act. `warning`: the pool serves, but something is degraded.
    /// `notice`: a normal event in the pool's life.
    var level: Logger.Level {
        switch self {
        case .startRefused, .crashLoop: .error
        case .reloadRefused, .pushedRefused, .fallingBack, .workerLost, .workerNotStarted, .workerNotReady,
            .workerForced, .workerStuck, .workerAbandoned:
            .warning
        case .started, .ready, .reloadAccepted, .draining, .logsReopened, .stopped:
            .notice
        }
    }
}
