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
        let socket: ControlSocket
        init(_ socket: consuming ControlSocket) { self.socket = socket }
    }

    /// The standard output of one loader, with the sequence number that its generation will get.
    final class LoaderChannel {
        var output: LoaderReplyReader
        let sequence: GenerationID
        init(_ output: consuming LoaderReplyReader, sequence: GenerationID) {
            self.output = output
            self.sequence = sequence
        }
    }

    /// The process name of a supervisor, as `ps` shows it.
    package static let processName = "retentiond"
    package static let workerName = "retentiond-work"
    package static let loaderName = "retentiond-load"
    static let childNames = [workerName, loaderName]

    let setup: Setup
    let configuration: Configuration
    var logger: Logger
    let signals: SignalDescriptor
    let counters: SharedCounters
    var poolSocket: PoolSocket?
    let pidFile: PidFile
    let stateLock: StateLock
    let serviceManager = ServiceManager()
    let verdictFile: VerdictFile
    let store: GenerationStore
    let chains: ChainDirectory

    var state: PoolState
    var children: [ChildID: Child] = [:]
    var childIDs: [Int32: ChildID] = [:]
    var channels: [ChildID: Channel] = [:]
    var loaderChannels: [ChildID: LoaderChannel] = [:]
    /// What the loaders said of the generations that serve or are about to.
    var generations: [GenerationID: LoaderReply.Loaded] = [:]
    var exitStatus: Int32?
    var nextFileNameCheck = Supervisor.now + PoolLimits.placesMilliseconds
    var watch: WorkerWatch?
    var certificateWatch = CertificateWatch()
    var clockWatch = ClockWatch()
    private var waiting: [PoolEvent.Kind] = []

    init(setup: Setup, configuration: Configuration, parts: consuming Parts, state: PoolState) {
        self.setup = setup
        self.configuration = configuration
        logger = setup.makeLogger(configuration.log.level, configuration.log.format)
        signals = parts.signals
        counters = parts.counters
        poolSocket = consume parts.socket
        pidFile = parts.pidFile
        stateLock = parts.stateLock
        verdictFile = VerdictFile(configuration)
        store = GenerationStore(configuration)
        chains = ChainDirectory(stateDirectory: configuration.stateDirectory)
        watch = Self.makeWatch(configuration)
        self.state = state
    }

    struct Parts: ~Copyable {
        let signals: SignalDescriptor
        let counters: SharedCounters
        let socket: PoolSocket
        let pidFile: PidFile
        let stateLock: StateLock
    }

    /// Runs the pool until it has ended.
    package static func run(_ setup: Setup) throws(SupervisorError) -> Int32 { try make(setup).loop() }

    private func loop() -> Int32 {
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
            [signals.descriptor.number] + talking.compactMap { channels[$0]?.socket.descriptorNumber }
            + loading.compactMap { loaderChannels[$0]?.output.descriptorNumber }
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
        let deadline = min(state.nextDeadline ?? .max, nextFileNameCheck, watch?.nextLook ?? .max)
        return Int32(clamping: max(0, deadline - Self.now))
    }

    /// Handles the messages of a worker, at most 64 in a turn.
    func listen(to id: ChildID) {
        for _ in 0..<64 {
            guard let channel = channels[id] else { return }
            switch try? channel.socket.receive() {
            case .message(.ready): take(.ready(id))
            case .message(.recycle): take(.recycle(id))
            case .message(.chainHint(let chain)): keep(chain, from: id)
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
        guard let channel = loaderChannels[id], let reply = channel.output.read() else {
            if children[id] == nil { loaderChannels[id] = nil }
            return
        }
        loaderChannels[id] = nil
        switch reply {
        case .refused(let code, let message):
            take(.refused(id, PoolRefusal(code: code, message: message)))
        case .loaded(let loaded):
            for warning in loaded.warnings {
                let metadata: Logger.Metadata = [
                    "code": "\(warning.code)", "reason": "\(warning.message)",
                ]
                logger.warning("load warning", metadata: metadata)
            }
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
        package var configurationPath: String
        package var allowsRoot: Bool
        package var version: String
        package var counterCodes: [String]
        /// The place to which the supervisor's loggers write. The supervisor opens the file of `errorLog`.
        package var errorLog: ErrorLog
        package var makeLogger: (LogLevel, LogFormat) -> Logger

        package init(
            configurationPath: String, allowsRoot: Bool, version: String, counterCodes: [String],
            errorLog: ErrorLog, makeLogger: @escaping (LogLevel, LogFormat) -> Logger
        ) {
            self.configurationPath = configurationPath
            self.allowsRoot = allowsRoot
            self.version = version
            self.counterCodes = counterCodes
            self.errorLog = errorLog
            self.makeLogger = makeLogger
        }
    }
}

/// Watches the socket's file name, by which nginx finds the pool. Somebody may remove it while the pool runs.
extension Supervisor {
    /// Checks the socket, the certificates and the clock, every
    /// ``PoolLimits/placesMilliseconds``.
    func checkFileNames() {
        guard Self.now >= nextFileNameCheck else { return }
        nextFileNameCheck = Self.now + PoolLimits.placesMilliseconds
        guard state.phase == .running else { return }
        watchSocket()
        watchCertificates()
        watchClock()
    }

    /// Logs when the socket's name is gone and when it is back. A name that is gone cannot be restored: the workers
    /// still listen on the socket, but no client can find it.
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
}

/// Watches what makes an endpoint die silently: certificates that end, and a wrong clock.
extension Supervisor {
    func watchCertificates() {
        certificateWatch.look(at: Clock.wallMilliseconds(), counters.certificateEnds, logger)
    }

    func watchClock() {
        let boot = Int64(Clock.bootNanoseconds() / 1_000_000)
        let warnings = clockWatch.look(
            wall: Clock.wallMilliseconds(), boot: boot, offset: counters.clockOffset(atMilliseconds: boot))
        for warning in warnings {
            warning.write(to: logger)
            guard case .jumped = warning else { continue }
            counters.add(.clockJumps)
            counters.forgetClockOffsets()
        }
    }
}

extension Supervisor {
    static func makeWatch(_ configuration: Configuration) -> WorkerWatch? {
        configuration.turnMilliseconds.map { pause in
            WorkerWatch(limit: configuration.stuckMilliseconds, pause: pause)
        }
    }

    /// Looks at the last turns of all workers when the next look is due, and passes stuck workers to the state. A worker
    /// without a row in the counters is not watched.
    func watchWorkers() {
        let now = Self.now
        guard let due = watch?.nextLook, now >= due else { return }
        var turns: [ChildID: UInt64] = [:]
        for (id, child) in children {
            if let slot = child.slot { turns[id] = counters.lastTurn(ofWorker: slot) }
        }
        for id in watch?.look(at: now, turns) ?? [] { take(.stuck(id)) }
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
