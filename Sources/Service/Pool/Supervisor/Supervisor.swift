package import Configuration
package import Logging
internal import System

/// The process that starts and ends all others, and never serves a request itself. It does not use libfcgi, and
/// parses nothing from a pushed file. ``PoolState`` decides what to do; this class carries it out, in one thread.
package final class Supervisor {
    struct Child {
        let processID: Int32
        /// The worker's row in the shared counters; nil for other children and for a worker without a row.
        var slot: Int?
    }

    /// The control socket to one worker. It is a class because a dictionary cannot hold a noncopyable value.
    final class Channel {
        let socket: MessageSocket
        init(_ socket: consuming MessageSocket) { self.socket = socket }
    }

    /// The process name of a supervisor, as `ps` shows it.
    package static let processName = "retentiond"
    package static let workerName = "retentiond-work"
    package static let loaderName = "retentiond-load"
    let setup: Setup
    let configuration: Configuration
    var logger: Logger
    let signals: SignalDescriptor
    let counters: SharedCounters
    var poolSocket: PoolSocket?
    let pidFile: PidFile
    /// The lock that lets only one pool use a `stateDirectory`: two pools would overwrite each other's generations and verdicts.
    let stateLock: FileLock?
    let serviceManager = ServiceManager()
    let verdictFile: VerdictFile
    let store: GenerationStore
    let chains: ChainDirectory

    var state: PoolState
    var children: [ChildID: Child] = [:]
    var childIDs: [Int32: ChildID] = [:]
    var channels: [ChildID: Channel] = [:]
    var loaderChannels: [ChildID: LoaderReplyReader] = [:]
    var generations: [GenerationID: LoaderReply.Loaded] = [:]
    var exitStatus: Int32?
    var nextFileNameCheck = Supervisor.now + PoolLimits.lookMilliseconds
    var watch = WorkerWatch(limit: PoolLimits.stuckMilliseconds, pause: PoolLimits.lookMilliseconds)
    var clockWatch = ClockWatch()
    private var waiting: [PoolEvent.Kind] = []

    init(
        _ setup: Setup, _ configuration: Configuration, _ counters: SharedCounters,
        signals: consuming SignalDescriptor, socket: consuming PoolSocket, pidFile: consuming PidFile,
        stateLock: consuming FileLock?
    ) {
        self.setup = setup
        self.configuration = configuration
        logger = setup.makeLogger(configuration.log.level, configuration.log.format)
        self.signals = signals
        self.counters = counters
        poolSocket = consume socket
        self.pidFile = pidFile
        self.stateLock = stateLock
        verdictFile = VerdictFile(configuration)
        store = GenerationStore(configuration)
        chains = ChainDirectory(stateDirectory: configuration.stateDirectory)
        state = PoolState(sequence: store.lastNumber)
    }

    package static func run(_ setup: Setup) throws(ServiceError) -> Int32 { try make(setup).loop() }

    private func loop() -> Int32 {
        logger.notice(
            "started",
            metadata: [
                "version": "\(ProductVersion.text)", "configuration": "\(setup.configurationPath)",
                "listen": "\(configuration.listen)",
            ])
        take(.start)
        while true {
            if let exitStatus { return exitStatus }
            turn()
        }
    }

    static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }

    /// Passes an event to the state and performs the actions that the state returns. Events that occur meanwhile are
    /// handled after this one, in their order.
    func take(_ kind: PoolEvent.Kind) {
        waiting.append(kind)
        guard waiting.count == 1 else { return }
        while let next = waiting.first {
            perform(state.handle(PoolEvent(at: Self.now, next)))
            counters.set(.crashLoop, to: state.isCrashLooping ? 1 : 0)
            waiting.removeFirst()
        }
    }

    private func turn() {
        let talking = channels.keys.sorted()
        let loading = loaderChannels.keys.sorted()
        let numbers =
            [signals.descriptor.number] + talking.compactMap { channels[$0]?.socket.descriptor.number }
            + loading.compactMap { loaderChannels[$0]?.output.number }
        let ready = (try? Readiness.wait(for: numbers, timeoutMilliseconds: timeoutMilliseconds)) ?? []
        checkFileNames()
        watchWorkers()
        if ready.isEmpty { return take(.tick) }
        for index in ready where index > 0 {
            if index <= talking.count {
                listen(to: talking[index - 1])
            } else {
                receiveLoaderReply(loading[index - 1 - talking.count])
            }
        }
        if ready.contains(0) { takeSignals() }
    }

    private var timeoutMilliseconds: Int32 {
        let deadline = min(state.nextDeadline ?? .max, nextFileNameCheck, watch.nextLook)
        return Int32(clamping: max(0, deadline - Self.now))
    }

    /// Handles the messages of a worker, at most 64 in a turn.
    func listen(to id: ChildID) {
        for _ in 0..<64 {
            guard let channel = channels[id] else { return }
            switch try? channel.socket.receiveControl() {
            case .message(.ready): take(.ready(id))
            case .message(.recycle): take(.recycle(id))
            case .message(.chainHint(let chain)): store(chain, from: id)
            case .message(.drain), .unknown: continue
            case .nothing: return
            case .closed, nil:
                channels[id] = nil
                take(.closed(id))
                return
            }
        }
    }

    func receiveLoaderReply(_ id: ChildID) {
        guard let channel = loaderChannels[id], let reply = channel.read() else {
            if children[id] == nil { loaderChannels[id] = nil }
            return
        }
        loaderChannels[id] = nil
        switch reply {
        case .refused(let error): take(.refused(id, error))
        case .loaded(let loaded):
            for warning in loaded.warnings { logger.warning("load warning", metadata: warning.metadata) }
            generations[channel.sequence] = loaded
            take(
                .loaded(
                    id,
                    PoolSettings(
                        workerCount: loaded.workerCount, drainMilliseconds: loaded.drainMilliseconds)))
        }
    }
}

extension Supervisor {
    package struct Setup {
        let configurationPath: String
        let allowsRoot: Bool
        /// The place to which the supervisor's loggers write. The supervisor opens the file of `errorLog`.
        let errorLog: ErrorLog
        let makeLogger: (LogLevel, LogFormat) -> Logger

        package init(
            configurationPath: String, allowsRoot: Bool, errorLog: ErrorLog,
            makeLogger: @escaping (LogLevel, LogFormat) -> Logger
        ) {
            self.configurationPath = configurationPath
            self.allowsRoot = allowsRoot
            self.errorLog = errorLog
            self.makeLogger = makeLogger
        }
    }
}

extension Supervisor {
    /// Checks the socket and the clock, every ``PoolLimits/lookMilliseconds``.
    func checkFileNames() {
        guard Self.now >= nextFileNameCheck else { return }
        nextFileNameCheck = Self.now + PoolLimits.lookMilliseconds
        guard state.phase == .running else { return }
        watchSocket()
        watchClock()
    }

    /// Logs when the socket's name, by which nginx finds the pool, is gone and when it is back. A name that is gone cannot be
    /// restored: the workers still listen on the socket, but no client can find it.
    private func watchSocket() {
        guard let isThere = poolSocket?.hasName() else { return }
        let wasThere = counters.highest(.socketGone) % 2 == 0
        guard isThere != wasThere else { return }
        counters.raise(.socketGone, to: counters.highest(.socketGone) + 1)
        var metadata: Logger.Metadata = ["listen": "\(configuration.listen)"]
        guard !isThere else {
            logger.notice("the socket has its name again", metadata: metadata)
            return
        }
        metadata["code"] = "socket-gone"
        metadata["reason"] =
            "its file was removed or replaced: no new connection reaches the pool; restart it"
        logger.error("the socket is gone", metadata: metadata)
        serviceManager.notify(["STATUS=the socket \(configuration.listen) is gone; restart"])
    }

    private func watchClock() {
        let boot = Int64(Clock.bootNanoseconds() / 1_000_000)
        guard let jump = clockWatch.jump(wall: Clock.wallMilliseconds(), boot: boot) else { return }
        counters.add(.clockJumps)
        logger.warning(
            "the wall clock jumped", metadata: ["code": "clock-jumped", "milliseconds": "\(jump)"])
    }

    /// Looks at the last turns of all workers when the next look is due, and passes stuck workers to the state. A worker
    /// without a row in the counters is not watched.
    func watchWorkers() {
        let now = Self.now
        guard now >= watch.nextLook else { return }
        var turns: [ChildID: UInt64] = [:]
        for (id, child) in children {
            if let slot = child.slot { turns[id] = counters.lastTurn(ofWorker: slot) }
        }
        for id in watch.look(at: now, turns) { take(.stuck(id)) }
    }

    func takeSignals() {
        while let signal = try? signals.next() {
            if signal == .child { reap() } else { take(.signal(signal)) }
        }
    }

    private func reap() {
        while let (processID, exit) = Processes.reapAny() {
            guard let id = childIDs.removeValue(forKey: processID) else { continue }
            // The supervisor handles the child's last messages before the child's end.
            if channels[id] != nil { listen(to: id) }
            if loaderChannels[id] != nil { receiveLoaderReply(id) }
            if let slot = children[id]?.slot { counters.releaseWorker(slot) }
            channels[id] = nil
            loaderChannels[id] = nil
            take(.ended(id, exit))
            // Only now, because the log line about the end has the process's number.
            children[id] = nil
        }
    }
}

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
            case .abandon(let id): abandon(id)
            case .closeListener: closeListener()
            case .reopenLogs: reopenLogs()
            case .notify(let notification): notify(notification)
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
        counters.set(.loadMilliseconds, to: UInt64(max(0, Self.now - verdict.startedMilliseconds)))
        if verdict.refusal == nil { counters.set(.loadedAt, to: UInt64(max(0, Clock.wallMilliseconds()))) }
        write(verdict)
        if verdict.refusal == nil, let serving = verdict.serving, let loaded = generations[serving] {
            logger = setup.makeLogger(loaded.logLevel, loaded.logFormat)
            setup.errorLog.use(loaded.errorLog, elseLoggingTo: logger)
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

    private func reopenLogs() {
        do throws(SystemCallError) {
            try setup.errorLog.reopen()
            logger.notice("logs reopened")
        } catch {
            let path = setup.errorLog.path ?? ""
            logger.error(
                "logs not reopened",
                metadata: ["code": "error-log-unwritable", "path": "\(path)", "reason": "\(error)"])
        }
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
    private func store(_ chain: [UInt8], from id: ChildID) {
        do throws(SystemCallError) {
            guard try chains.add(chain) else { return }
        } catch {
            logger.warning("chain not stored", metadata: ["code": "\(error.code)"])
        }
        take(.chain(id, chain))
    }

    /// Its process may still be reaped later.
    private func abandon(_ id: ChildID) {
        guard let child = children.removeValue(forKey: id) else { return }
        childIDs[child.processID] = nil
        channels[id] = nil
        if let slot = child.slot { counters.releaseWorker(slot) }
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
        switch notice.text {
        case PoolState.reloadAccepted: counters.add(.reloadsLoaded)
        case PoolState.reloadRefused: counters.add(.reloadsRefused)
        case PoolState.workerLost, PoolState.workerNotReady: counters.add(.workersCrashed)
        case PoolState.workerStuck:
            counters.add(.workersCrashed)
            counters.add(.workersStuck)
        default: break
        }
    }

    private func write(_ notice: PoolNotice) {
        var metadata = notice.refusal?.metadata ?? [:]
        for (key, value) in notice.fields { metadata[key] = "\(value)" }
        if let generation = notice.generation {
            metadata["generation"] = "\(generation)"
            if notice.refusal == nil { metadata["files"] = "\(generations[generation]?.fileCount ?? 0)" }
        }
        if let id = notice.worker {
            metadata["worker.id"] = "\(id)"
            if let child = children[id] { metadata["worker.pid"] = "\(child.processID)" }
        }
        logger.log(level: notice.level, "\(notice.text)", metadata: metadata)
    }
}

extension ServiceError {
    package var metadata: Logger.Metadata { ["code": "\(code)", "reason": "\(description)"] }
}
