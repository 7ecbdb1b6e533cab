internal import Cryptography
internal import Logging
internal import Synchronization
internal import System

/// The file to which a worker appends its decision records. Records wait in a list of bounded size. One thread makes their lines
/// and writes them, so no answer waits for a disk. A record for which the list has no room, or that cannot be written at once, is
/// dropped and counted in ``Counter/decisionsDropped``.
final class DecisionLog: Sendable {
    static let threadName = "retentiond-log"
    /// The records that wait, at most: about 3 MB.
    static let recordCountLimit = 4096
    /// How long the thread lets records gather: one write for many lines costs less than many writes.
    private static let gatherMilliseconds: Int32 = 20

    private struct Waiting: Sendable {
        var records: [DecisionRecord] = []
        /// The number of records that the thread is writing; 0 when they have been given up.
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
        DecisionFile.drop(records.count - room, counters, logger)
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
        let lost = waiting.withLock { waiting in
            defer { (waiting.records, waiting.takenCount) = ([], 0) }
            return waiting.records.count + waiting.takenCount
        }
        DecisionFile.drop(lost, counters, logger)
        return false
    }

    // MARK: - The thread

    private func serve(_ firstLines: [String], _ key: IdentifierKey) {
        Processes.setName(Self.threadName)
        var file = DecisionFile(
            path: path, instance: instance, pseudonyms: try? key.pseudonyms(), counters: counters,
            logger: logger)
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
            file.openIfStale()
            // Those that a full disk refuses are tried again with the next records.
            firstLines.removeFirst(file.write(firstLines))
            let written = file.write(records)
            let isCounted = waiting.withLock { waiting in
                defer { waiting.takenCount = 0 }
                return waiting.takenCount > 0
            }
            if isCounted { DecisionFile.drop(records.count - written, counters, logger) }
            records.removeAll(keepingCapacity: true)
            if mustReopen { file.open() }
            guard let lastLine else { continue }
            if !lastLine.isEmpty { _ = file.write([lastLine]) }
            return hasEnded.announce()
        }
    }
}

/// The open file of decision records. Belongs to one thread.
struct DecisionFile {
    /// A path that cannot be opened is tried at this interval: soon enough after a repair, and only one failed open(2) a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000

    /// A full disk drops every record for hours. One log line a minute is visible and does not fill the log.
    private static let dropWarningMilliseconds: UInt64 = 60_000

    let path: String
    let instance: String
    let pseudonyms: SubscriberPseudonyms?
    let counters: SharedCounters
    let logger: Logger
    private var output: LineOutput?
    /// True when `output` is not the file at the path.
    private var isStale = true
    private var hasFailed = false
    private var nextAttempt: UInt64 = 0

    init(
        path: String, instance: String, pseudonyms: SubscriberPseudonyms?, counters: SharedCounters,
        logger: Logger
    ) {
        self.path = path
        self.instance = instance
        self.pseudonyms = pseudonyms
        self.counters = counters
        self.logger = logger
    }

    /// Opens the file at the path, unless that is done or has failed a moment ago.
    mutating func openIfStale() {
        if isStale, Clock.monotonicNanoseconds() >= nextAttempt { open() }
    }

    /// Opens the file at the path. When that fails, lines go on into the file that was open, and the next ones try again.
    mutating func open() {
        do throws(SystemCallError) {
            output = try LineOutput(appendingTo: path)
            (isStale, hasFailed) = (false, false)
        } catch {
            isStale = true
            nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
            if !hasFailed {
                logger.error(
                    "decision records cannot be written",
                    metadata: ["code": "decisions-unwritable", "path": "\(path)", "reason": "\(error)"])
            }
            hasFailed = true
        }
    }

    /// Writes lines up to the first that the disk does not take whole, and returns the number of those written.
    func write(_ lines: [String]) -> Int {
        guard let output else { return 0 }
        return lines.prefix { output.write($0.utf8Span.span, ends: [$0.utf8.count]) == 1 }.count
    }

    /// Writes the lines of records, and returns the number of those written.
    func write(_ records: [DecisionRecord]) -> Int {
        guard !records.isEmpty else { return 0 }
        var lines = TextBuffer()
        var ends: [Int] = []
        for record in records {
            record.append(instance: instance, pseudonyms, to: &lines)
            ends.append(lines.count)
        }
        let written = lines.withSpan { output?.write($0, ends: ends) ?? 0 }
        if written > 0 { counters.add(.decisionsWritten, UInt64(written)) }
        return written
    }

    static func drop(_ count: Int, _ counters: SharedCounters, _ logger: Logger) {
        guard count > 0 else { return }
        counters.add(.decisionsDropped, UInt64(count))
        let now = Clock.monotonicNanoseconds() / 1_000_000
        guard counters.claim(.dropsLoggedAt, at: now, apart: dropWarningMilliseconds) else { return }
        logger.error(
            "decision records are dropped",
            metadata: ["code": "decisions-dropped", "dropped": "\(counters.value(.decisionsDropped))"])
    }
}
