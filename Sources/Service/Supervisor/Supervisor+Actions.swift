internal import Configuration
internal import Control
internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// Performs the actions of ``PoolState``.
extension Supervisor {
    func perform(_ actions: [PoolAction]) {
        for action in actions {
            switch action {
            case .startLoader(let id, let sequence, let source, let current):
                startLoader(id, sequence: sequence, source: source, current: current)
            case .startWorker(let id, let generation, let hints):
                startWorker(id, generation: generation, hints: hints)
            case .startKeeper(let id, let generation): startKeeper(id, generation: generation)
            case .drain(let id, let milliseconds): drain(id, milliseconds: milliseconds)
            case .signal(let id, let signal):
                if let child = children[id] { try? Processes.send(signal, to: child.processID) }
            case .release(let generation): generations[generation] = nil
            case .publish(let verdict): publish(verdict)
            // A worker that cannot receive the hint now verifies the chain when a request presents it.
            case .sendHint(let id, let hint): try? channels[id]?.socket.send(.chainHint(hint))
            case .saveHints(let hints): saveHints(hints)
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
        let files = verdict.serving.flatMap { generations[$0]?.files } ?? []
        write(verdict, files)
        if verdict.refusal == nil, let serving = verdict.serving, let held = generations[serving] {
            logger = setup.makeLogger(held.logLevel, held.logFormat)
            setup.errorLog.use(held.errorLog, elseTelling: logger)
        }
    }

    /// Writes the verdict into `stateDirectory`. When that fails, writes it beside the pid file, so that a waiting
    /// `--reload` learns it at once.
    private func write(_ verdict: PoolVerdict, _ files: [ManifestFile]) {
        let now = Clock.wallMilliseconds()
        let reason: SystemCallError
        do throws(SystemCallError) {
            try verdictFile.write(verdict, files: files, wallMilliseconds: now)
            spareVerdictFile.remove()
            return
        } catch {
            reason = error
            logUnwritten(verdictFile, error)
        }
        do throws(SystemCallError) {
            let why = "\(verdictFile.path): \(reason)"
            try spareVerdictFile.write(verdict, files: files, wallMilliseconds: now, unwritten: why)
        } catch {
            logUnwritten(spareVerdictFile, error)
        }
    }

    private func logUnwritten(_ file: VerdictFile, _ error: SystemCallError) {
        logger.error(
            "verdict not written",
            metadata: ["code": "\(error.code)", "path": "\(file.path)", "reason": "\(error)"])
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

    private func saveHints(_ hints: [[UInt8]]) {
        do throws(SystemCallError) {
            try hintFile.write(hints)
        } catch {
            logger.warning("chain hints not written", metadata: ["code": "\(error.code)"])
        }
    }

    private func closeListener() {
        poolSocket?.removeName()
        poolSocket = nil
    }

    private func finish(_ status: Int32) {
        spareVerdictFile.remove()
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
        case .workerLost(_, let exit):
            counters.add(.workersCrashed)
            counters.add(LostWorker(exit))
        case .workerNotReady:
            counters.add(.workersCrashed)
            counters.add(LostWorker.none)
        case .workerStuck:
            counters.add(.workersCrashed)
            counters.add(.workersStuck)
            counters.add(LostWorker.kill)
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
            metadata["files"] = "\(generations[generation]?.files.count ?? 0)"
        case .reloadRefused(let generation, let refusal), .notStored(let generation, let refusal):
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
            .workerForced, .workerStuck, .workerAbandoned, .notStored:
            .warning
        case .started, .ready, .reloadAccepted, .draining, .logsReopened, .stopped:
            .notice
        }
    }
}
