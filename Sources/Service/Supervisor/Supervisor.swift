internal import Configuration
internal import Control
internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// The process that starts and ends all others, and never serves a request itself. It does not use libfcgi, and
/// parses nothing from a pushed file. ``PoolState`` decides what to do; this class carries it out, in one thread.
///
///     let setup = Supervisor.Setup(
///         configurationPath: "/etc/retentiond/retentiond.json", allowsRoot: false, version: "1.0",
///         counterCodes: ["endpoint-unknown"], errorLog: ErrorLog(),
///         makeLogger: { _, _ in Logger(label: "supervisor") }
///     )
///     let exitStatus = try Supervisor.run(setup)  // returns when the pool has ended
public final class Supervisor {
    /// A child process that the supervisor has started and not yet reaped.
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
    public static let processName = "retentiond"
    /// The process name that a worker gives itself.
    public static let workerName = "retentiond-work"
    /// The process name that a loader gives itself.
    public static let loaderName = "retentiond-load"
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
    let spareVerdictFile: VerdictFile
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
    /// The time of the next check in ``checkFileNames()``, and whether the log says that the pid file cannot be written.
    var nextFileNameCheck = Supervisor.now + PoolLimits.placesMilliseconds
    var isPidFileLost = false
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
        spareVerdictFile = VerdictFile(spareOf: configuration)
        store = GenerationStore(configuration)
        chains = ChainDirectory(stateDirectory: configuration.stateDirectory)
        watch = Self.makeWatch(configuration)
        self.state = state
    }

    /// The resources that a supervisor owns from its start.
    struct Parts: ~Copyable {
        let signals: SignalDescriptor
        let counters: SharedCounters
        let socket: PoolSocket
        let pidFile: PidFile
        let stateLock: StateLock
    }

    /// Runs the pool until it has ended.
    ///
    /// - Returns: the exit status.
    /// - Throws: the reason why the supervisor did not start.
    public static func run(_ setup: Setup) throws(SupervisorError) -> Int32 { try make(setup).loop() }

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

    /// Waits for a message, a signal or a deadline and handles it.
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

    /// Passes the reply of a loader to the state.
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
