public import Configuration
internal import Control
internal import Loader
public import Logging
internal import System
internal import Telemetry

/// The process that never serves: it starts and ends the others. One thread, no libfcgi, nothing parsed that was
/// pushed; what to do is decided by ``PoolState``, this only does it.
public final class Supervisor {
    /// What the command knows and the supervisor does not.
    public struct Setup {
        /// The configuration file, an absolute path.
        public var configurationPath: String
        /// Whether the pool may run as root.
        public var allowsRoot: Bool
        /// The version of this binary, for the log.
        public var version: String
        /// The codes the shared counters count one by one.
        public var counterCodes: [String]
        /// A log for these settings.
        public var makeLogger: (LogLevel, LogFormat) -> Logger

        /// All of it.
        public init(
            configurationPath: String,
            allowsRoot: Bool,
            version: String,
            counterCodes: [String],
            makeLogger: @escaping (LogLevel, LogFormat) -> Logger
        ) {
            self.configurationPath = configurationPath
            self.allowsRoot = allowsRoot
            self.version = version
            self.counterCodes = counterCodes
            self.makeLogger = makeLogger
        }

        /// What stands behind the name on the command line of a supervisor with this setup.
        var words: [String] { ["--config", configurationPath] + (allowsRoot ? ["--allow-root"] : []) }
    }

    /// A child process in the books.
    struct Child {
        let processID: Int32
        /// The row in the shared counters, for a worker.
        var slot: Int?
        /// When it is to come forward from the background.
        var foregroundAt: Int64?
    }

    /// A worker's end of the conversation; a class because dictionaries hold no owners.
    final class Channel {
        let socket: ControlSocket
        init(_ socket: consuming ControlSocket) { self.socket = socket }
    }

    /// A loader's, with what its answer will be called.
    final class Conversation {
        var socket: LoaderConversation
        let sequence: GenerationID
        init(_ socket: consuming LoaderConversation, sequence: GenerationID) {
            self.socket = socket
            self.sequence = sequence
        }
    }

    /// What a supervisor calls itself for `ps`.
    public static let processName = "retentiond"
    /// The name that a worker gives itself.
    public static let workerName = "retentiond-work"
    /// The name that a loader gives itself.
    public static let loaderName = "retentiond-load"
    static let childNames = [workerName, loaderName]

    let setup: Setup
    let configuration: Configuration
    let executablePath: String
    /// Whether a worker may start in the background and come forward again.
    let canReturn: Bool
    var logger: Logger
    let signals: SignalDescriptor
    let counters: SharedCounters
    /// Of the binary before, when it counted other things: workers taken over from it number their records by them.
    var formerCounters: FormerCounters?
    var poolSocket: PoolSocket?
    let pidFile: PidFile
    let stateLock: StateLock
    let serviceManager = ServiceManager()
    let verdictFile: VerdictFile
    let spareVerdictFile: VerdictFile
    let hintFile: HintFile
    let decisionMarks = DecisionMarks()

    var state: PoolState
    var children: [ChildID: Child] = [:]
    var childIDs: [Int32: ChildID] = [:]
    var channels: [ChildID: Channel] = [:]
    var conversations: [ChildID: Conversation] = [:]
    var generations: [GenerationID: HeldGeneration] = [:]
    var exitStatus: Int32?
    /// When ``watchPlaces()`` looks again, and whether it has said that the pid file cannot be written.
    var nextPlaceCheck = Supervisor.now + PoolLimits.placesMilliseconds
    var isPidFileLost = false
    private var waiting: [PoolEvent.Kind] = []

    init(
        setup: Setup,
        configuration: Configuration,
        parts: consuming Parts,
        state: PoolState
    ) {
        self.setup = setup
        self.configuration = configuration
        executablePath = parts.executablePath
        canReturn = BackgroundWork.allowReturn()
        logger = setup.makeLogger(configuration.log.level, configuration.log.format)
        signals = parts.signals
        counters = parts.counters
        poolSocket = consume parts.socket
        pidFile = parts.pidFile
        stateLock = parts.stateLock
        verdictFile = VerdictFile(configuration)
        spareVerdictFile = VerdictFile(spareOf: configuration)
        hintFile = HintFile(stateDirectory: configuration.stateDirectory)
        self.state = state
    }

    /// What a supervisor owns from its start.
    struct Parts: ~Copyable {
        let executablePath: String
        let signals: SignalDescriptor
        let counters: SharedCounters
        let socket: PoolSocket
        let pidFile: PidFile
        let stateLock: StateLock
    }

    /// Runs the pool until it has ended.
    ///
    /// - Returns: the exit status.
    /// - Throws: why it did not start.
    public static func run(_ setup: Setup) throws(SupervisorError) -> Int32 {
        let supervisor =
            if let text = ProcessEnvironment.value(of: HandOver.variable) {
                try adopt(setup, handOver: text)
            } else {
                try make(setup)
            }
        return supervisor.loop()
    }

    private func loop() -> Int32 {
        take(.start)
        while true {
            if let exitStatus { return exitStatus }
            turn()
        }
    }

    static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }

    /// Hands an event to the state and does what it says. What happens while that is done comes after it.
    func take(_ kind: PoolEvent.Kind) {
        waiting.append(kind)
        guard waiting.count == 1 else { return }
        while let next = waiting.first {
            perform(state.handle(PoolEvent(at: Self.now, next)))
            waiting.removeFirst()
        }
    }

    /// Waits for the next thing to happen and deals with it.
    private func turn() {
        let talking = channels.keys.sorted()
        let loading = conversations.keys.sorted()
        let numbers =
            [signals.descriptor.number] + talking.compactMap { channels[$0]?.socket.descriptorNumber }
            + loading.compactMap { conversations[$0]?.socket.descriptorNumber }
        let ready = (try? Readiness.wait(for: numbers, timeoutMilliseconds: timeoutMilliseconds)) ?? []
        bringForward()
        watchPlaces()
        if ready.isEmpty { return take(.tick) }
        for index in ready where index > 0 {
            if index <= talking.count {
                listen(to: talking[index - 1])
            } else {
                hear(loading[index - 1 - talking.count])
            }
        }
        if ready.contains(0) { takeSignals() }
    }

    private var timeoutMilliseconds: Int32 {
        let politeness = children.values.compactMap(\.foregroundAt).min() ?? .max
        let deadline = min(politeness, state.nextDeadline ?? .max, nextPlaceCheck)
        return Int32(clamping: max(0, deadline - Self.now))
    }

    /// Ends the politeness of children that have had time enough.
    private func bringForward() {
        let now = Self.now
        for (id, child) in children {
            guard let moment = child.foregroundAt, moment <= now else { continue }
            BackgroundWork.set(false, of: child.processID)
            children[id]?.foregroundAt = nil
        }
    }

    private func takeSignals() {
        while let signal = try? signals.next() {
            if signal == .child { reap() } else { take(.signal(signal)) }
        }
    }

    private func reap() {
        while let (processID, exit) = Processes.reapAny() {
            guard let id = childIDs.removeValue(forKey: processID) else { continue }
            // What it said last counts before its end does.
            if channels[id] != nil { listen(to: id) }
            if conversations[id] != nil { hear(id) }
            if let slot = children.removeValue(forKey: id)?.slot { counters.releaseWorker(slot) }
            channels[id] = nil
            conversations[id] = nil
            take(.ended(id, exit))
        }
    }

    /// Takes what a worker says, a bounded number of messages a turn.
    private func listen(to id: ChildID) {
        for _ in 0..<64 {
            guard let channel = channels[id] else { return }
            switch try? channel.socket.receive() {
            case .message(.ready): take(.ready(id))
            case .message(.recycle): take(.recycle(id))
            case .message(.chainHint(let chain)): take(.chain(id, chain))
            case .message(.drain), .message(.hintsEnd), .unknown: continue
            case .nothing: return
            case .closed, nil:
                channels[id] = nil
                return
            }
        }
    }

    /// Takes what a loader says.
    private func hear(_ id: ChildID) {
        guard let conversation = conversations[id], let reply = conversation.socket.receive() else {
            if children[id] == nil { conversations[id] = nil }
            return
        }
        let sent = conversation.socket.descriptors
        switch reply {
        case .refused(let code, let message):
            take(.refused(id, PoolRefusal(code: code, message: message)))
        case .loaded(let loaded):
            do throws(UnusableReply) {
                let present = state.servingGeneration.flatMap { generations[$0.id] }
                let held = try HeldGeneration(
                    loaded,
                    sent: sent,
                    present: present,
                    marks: conversation.socket.marks
                )
                for warning in loaded.warnings {
                    let metadata: Logger.Metadata = [
                        "code": "\(warning.code)", "reason": "\(warning.message)",
                    ]
                    logger.warning("load warning", metadata: metadata)
                }
                generations[conversation.sequence] = held
                let settings = PoolSettings(
                    workerCount: loaded.workerCount,
                    drainMilliseconds: loaded.drainMilliseconds,
                    decisionLog: loaded.decisionLog
                )
                take(.loaded(id, settings))
                // A loader that was given up in the meantime delivers for nobody.
                if !state.heldGenerations.contains(conversation.sequence) {
                    generations[conversation.sequence] = nil
                }
            } catch {
                take(.refused(id, error.refusal))
            }
        }
        conversations[id] = nil
    }
}
