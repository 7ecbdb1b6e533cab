internal import Cryptography
internal import Logging
internal import Synchronization
internal import System
internal import Telemetry
internal import Vocabulary

/// The file to which a worker appends its decision records. Records wait in a list of bounded size. One thread makes their lines
/// and writes them, so no answer waits for a disk. A record for which the list has no room, or that cannot be written at once, is
/// dropped and counted in ``Counter/decisionsDropped``.
final class DecisionLog: Sendable {
    /// The name of the thread, as `ps -L` shows it.
    static let threadName = "retentiond-log"
    /// The records that wait, at most: about 3 MB.
    static let recordCountLimit = 4096
    /// How long the thread lets records gather: one write for many lines costs less than many writes.
    private static let gatherMilliseconds: Int32 = 20
    /// A path that cannot be opened is tried at this interval: soon enough after a repair, and only one failed open(2) a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000
    /// A full disk drops every record for hours. One log line a minute is visible and does not fill the log.
    private static let dropWarningMilliseconds: UInt64 = 60_000

    private struct Waiting: Sendable {
        var records: [DecisionRecord] = []
        /// The number of records that the thread is writing.
        var takenCount = 0
        var mustReopen = false
        /// The line behind all records; nil before the end.
        var lastLine: String?
    }

    private let path: String
    private let instance: String
    private let counters: SharedCounters
    private let logger: Logger
    private let waiting = Mutex(Waiting())
    private let isWanted: WakeUp
    private let hasEnded: WakeUp

    /// Starts the thread, which opens the file and makes it, with mode 0640, when it does not exist.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - instance: the name of the worker in its records.
    ///   - firstLines: what stands before all records.
    ///   - key: makes the subscribers' pseudonyms.
    ///   - counters: those that the processes of the pool share.
    ///   - logger: gets the errors of the file.
    /// - Throws: the error of the system call that failed.
    init(
        path: String, instance: String, firstLines: [String], key: IdentifierKey, counters: SharedCounters,
        logger: Logger
    ) throws(SystemCallError) {
        self.path = path
        self.instance = instance
        self.counters = counters
        self.logger = logger
        isWanted = try WakeUp()
        hasEnded = try WakeUp()
        isWanted.announce()
        try ServiceThread.start { [self] in serve(firstLines, key) }
    }

    /// Adds records to those that wait, and empties `records`.
    func add(_ records: inout [DecisionRecord]) {
        let room = waiting.withLock { waiting in
            let room = Self.recordCountLimit - waiting.records.count
            waiting.records += records.prefix(room)
            return room
        }
        if room == Self.recordCountLimit { isWanted.announce() }
        drop(records.count - room)
        records.removeAll(keepingCapacity: true)
    }

    /// Has the file opened again, after a log rotation has renamed it (USR1). Records that wait go into the old file.
    func reopen() {
        waiting.withLock { $0.mustReopen = true }
        isWanted.announce()
    }

    /// Has everything written, then `lastLine`, and ends the thread.
    ///
    /// - Returns: false when that takes longer than `milliseconds`. What is not written by then counts as dropped.
    func finish(_ lastLine: String, withinMilliseconds milliseconds: Int32) -> Bool {
        waiting.withLock { $0.lastLine = lastLine }
        isWanted.announce()
        let ended = try? Readiness.wait(for: [hasEnded.descriptor.number], timeoutMilliseconds: milliseconds)
        if ended?.isEmpty == false { return true }
        drop(waiting.withLock { $0.records.count + $0.takenCount })
        return false
    }

    private func drop(_ count: Int) {
        guard count > 0 else { return }
        counters.add(.decisionsDropped, UInt64(count))
        let now = Clock.monotonicNanoseconds() / 1_000_000
        guard counters.claim(.dropsLoggedAt, at: now, apart: Self.dropWarningMilliseconds) else { return }
        logger.error(
            "decision records are dropped",
            metadata: ["code": "decisions-dropped", "dropped": "\(counters.value(.decisionsDropped))"])
    }

    // MARK: - The thread

    private struct OpenFile {
        var output: SharedLineOutput?
        /// True when `output` is not the file at the path.
        var isStale = true
        var hasFailed = false
        var nextAttempt: UInt64 = 0
    }

    private func serve(_ firstLines: [String], _ key: IdentifierKey) {
        Processes.setName(Self.threadName)
        let pseudonyms = try? key.pseudonyms()
        var file = OpenFile()
        var firstLines = firstLines
        var records: [DecisionRecord] = []
        while true {
            _ = try? Readiness.wait(for: [isWanted.descriptor.number], timeoutMilliseconds: -1)
            if waiting.withLock({ $0.lastLine == nil }) {
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: Self.gatherMilliseconds)
            }
            isWanted.clear()
            let (mustReopen, lastLine) = waiting.withLock { waiting in
                swap(&records, &waiting.records)
                waiting.takenCount = records.count
                defer { waiting.mustReopen = false }
                return (waiting.mustReopen, waiting.lastLine)
            }
            if file.isStale, Clock.monotonicNanoseconds() >= file.nextAttempt { open(&file) }
            if let output = file.output, !firstLines.isEmpty {
                write(firstLines, to: output)
                firstLines = []
            }
            write(records, pseudonyms, to: file.output)
            records.removeAll(keepingCapacity: true)
            waiting.withLock { $0.takenCount = 0 }
            if mustReopen { open(&file) }
            guard let lastLine else { continue }
            if let output = file.output { write([lastLine], to: output) }
            return hasEnded.announce()
        }
    }

    private func write(_ lines: [String], to output: SharedLineOutput) {
        for line in lines { _ = output.write(line.utf8Span.span, ends: [line.utf8.count]) }
    }

    private func write(
        _ records: [DecisionRecord], _ pseudonyms: SubscriberPseudonyms?, to output: SharedLineOutput?
    ) {
        guard !records.isEmpty else { return }
        var lines = TextBuffer()
        var ends: [Int] = []
        for record in records {
            record.append(instance: instance, pseudonyms, to: &lines)
            ends.append(lines.count)
        }
        let written = lines.withSpan { output?.write($0, ends: ends) ?? 0 }
        if written > 0 { counters.add(.decisionsWritten, UInt64(written)) }
        drop(records.count - written)
    }

    /// Opens the file at the path. When that fails, lines go on into the file that was open, and the next ones try again.
    private func open(_ file: inout OpenFile) {
        do throws(SystemCallError) {
            file = OpenFile(
                output: try SharedLineOutput(appendingTo: path, counters: counters), isStale: false)
        } catch {
            file.isStale = true
            file.nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
            if !file.hasFailed {
                logger.error(
                    "decision records cannot be written",
                    metadata: ["code": "decisions-unwritable", "path": "\(path)", "reason": "\(error)"])
            }
            file.hasFailed = true
        }
    }
}
