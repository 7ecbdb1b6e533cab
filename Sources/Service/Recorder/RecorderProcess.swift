internal import Configuration
internal import FastCGI
package import Logging
internal import NotificationStore
package import Pool
internal import SignedPayloads
package import System

/// The life of the recorder: one thread answers, another commits.
package final class RecorderProcess {
    private var configuration: RecorderConfiguration
    private let path: String
    let server: FastCGIServer
    private let mailbox: StoreMailbox
    let recorder: Recorder
    private let signals: SignalDescriptor
    private let logger: Logger
    private let errorLog: ErrorLog
    private let verdicts: VerdictFile
    private var sequence: Int
    private var leavesAt: UInt64?

    private static let quitMilliseconds: UInt64 = 60_000
    /// The most notifications that are committed together.
    private static let batchCount = 256
    /// The most bytes of notifications that wait for their commit.
    private static let waitingBytes = 64 << 20

    /// The longest time between two turns: the recorder watches its certificates also when no notification comes.
    private static let turnMilliseconds: Int32 = 2_000

    /// Each of the notifications that wait for their commit, at most `waitingCount`, holds a connection of nginx.
    package init(
        _ configuration: RecorderConfiguration, path: String, listener: consuming ListeningSocket,
        signals: consuming SignalDescriptor, logger: Logger, errorLog: ErrorLog = ErrorLog(),
        waitingCount: Int = 1024, open: StoreOpening? = nil, timing: RecorderTiming = .system
    ) throws {
        let settings = configuration.settings
        let mailbox = try StoreMailbox(
            countLimit: waitingCount, byteCountLimit: Self.waitingBytes)
        recorder = try Recorder(
            configuration.trust, settings, mailbox: mailbox, logger: logger, timing: timing)
        var fastCGI = FastCGISettings()
        fastCGI.connectionCountLimit = waitingCount + 256
        fastCGI.parkedCountLimit = waitingCount
        fastCGI.parkedByteCountLimit = Self.waitingBytes
        fastCGI.bodyByteCount = ConfigurationLimits.notificationBodyBytes
        let server = try FastCGIServer(listener: listener, settings: fastCGI)
        try server.watch(signals.descriptor.number, as: .signals)
        try server.watch(mailbox.completions.descriptor.number, as: .completions)
        self.server = server
        recorder.connectionCounts = { [unowned server] in server.counts }
        self.configuration = configuration
        self.path = path
        self.mailbox = mailbox
        self.signals = signals
        self.logger = logger
        self.errorLog = errorLog
        verdicts = VerdictFile(configuration.asPool)
        sequence = verdicts.read()?.sequence ?? 0
        let committer = Committer(
            mailbox: mailbox, open: open ?? Self.opening(configuration.store),
            batchCount: Self.batchCount)
        try ServiceThread.start { committer.run() }
    }

    deinit { mailbox.stop() }

    private static func opening(_ address: StoreAddress) -> StoreOpening {
        { () throws(NotificationStoreError) in
            var options = StoreOptions(access: .create)
            options.program = ProductVersion.text
            return try NotificationStore(address, options)
        }
    }

    private static let closeMilliseconds: UInt64 = 5_000

    /// Serves until the recorder is told to leave, and leaves. Returns true when every request was answered.
    package func run() throws -> Bool {
        defer { mailbox.stopAndWait(milliseconds: Self.closeMilliseconds) }
        notifyManager(["READY=1", "STATUS=taking notifications"])
        logger.notice("ready", metadata: ["store": "\(configuration.settings.store)"])
        while true {
            try turn(timeoutMilliseconds: Self.turnMilliseconds)
            guard let leavesAt else { continue }
            if server.connectionCount == 0 {
                logger.notice("drained", metadata: ["requests": "\(server.counts.answeredCount)"])
                return true
            }
            guard Clock.monotonicNanoseconds() < leavesAt else {
                logger.warning(
                    "left with open connections", metadata: ["connections": "\(server.connectionCount)"])
                return false
            }
        }
    }

    func turn(timeoutMilliseconds: Int32?) throws(FastCGIError) {
        var timeout = timeoutMilliseconds
        if let limit = recorder.turnLimitMilliseconds { timeout = min(timeout ?? limit, limit) }
        let sources = try server.turn(timeoutMilliseconds: timeout) { recorder.answer(&$0) }
        mailbox.handOver()
        if sources.contains(.completions) { recorder.answerFinished(on: server) }
        recorder.answerLate(on: server)
        recorder.watch()
        if sources.contains(.signals), let signal = try? signals.next() { act(on: signal) }
    }

    private func act(on signal: Signal) {
        switch signal {
        case .hangup: reload()
        case .quit: leave(within: Self.quitMilliseconds, why: "QUIT")
        case .terminate, .interrupt:
            let drain = configuration.trust.configuration.drainMilliseconds
            leave(within: UInt64(max(0, drain)), why: "TERM")
        case .user1: reopenLog()
        default: break
        }
    }

    func reopenLog() {
        guard let path = errorLog.path else {
            logger.notice("log lines go to standard error, so there is no file to reopen")
            return
        }
        do throws(SystemCallError) {
            try errorLog.reopen()
            logger.notice("logs reopened")
        } catch {
            logger.error(
                "logs not reopened",
                metadata: ["code": "error-log-unwritable", "path": "\(path)", "reason": "\(error)"])
        }
    }

    /// Begins to leave, within `milliseconds`. A later call can only shorten the time.
    func leave(within milliseconds: UInt64, why: String) {
        let deadline = Clock.monotonicNanoseconds() + milliseconds * 1_000_000
        if let leavesAt {
            self.leavesAt = min(leavesAt, deadline)
            return
        }
        leavesAt = deadline
        notifyManager(["STOPPING=1"])
        logger.notice("draining", metadata: ["why": "\(why)", "waiting": "\(recorder.waitingCount)"])
        server.drain { recorder.answer(&$0) }
        mailbox.handOver()
        // What is durable is answered also when there is no more time.
        recorder.answerFinished(on: server)
    }

    // MARK: - Reloading

    func reload() {
        let started = Int64(Clock.monotonicNanoseconds() / 1_000_000)
        sequence += 1
        notifyManager(["RELOADING=1", "MONOTONIC_USEC=\(Clock.monotonicNanoseconds() / 1000)"])
        var refusal: ServiceError?
        do {
            try applyFile()
            logger.notice("reloaded", metadata: ["sequence": "\(sequence)"])
        } catch {
            let error = ServiceError(error)
            refusal = error
            logger.error(
                "reload refused; the old configuration goes on",
                metadata: ["code": "\(error.code)", "reason": "\(error)", "sequence": "\(sequence)"])
        }
        let verdict = PoolVerdict(
            sequence: sequence, startedMilliseconds: started, source: .pushed, refusal: refusal, serving: nil)
        do throws(SystemCallError) {
            try verdicts.write(verdict, wallMilliseconds: Clock.wallMilliseconds())
        } catch {
            logger.error(
                "the verdict cannot be written", metadata: ["code": "\(error.code)", "reason": "\(error)"])
        }
        notifyManager(["READY=1"])
    }

    private func applyFile() throws {
        let new = try RecorderConfiguration(path: path)
        let keys = new.restartKeys(changedFrom: configuration)
        guard keys.isEmpty else { throw ServiceError.needsRestart(keys) }
        let target = try new.openLog(errorLog, after: configuration)
        try recorder.apply(new.trust, new.settings)
        configuration = new
        if let target { errorLog.use(target) }
        for warning in new.trust.warnings {
            logger.warning("\(warning)", metadata: ["code": "\(warning.code)"])
        }
    }

    private func notifyManager(_ lines: [String]) { ServiceManager().notify(lines) }
}
