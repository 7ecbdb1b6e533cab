internal import Cryptography
internal import Logging
internal import Synchronization
internal import System
internal import Telemetry

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
            _ = file.write([lastLine])
            return hasEnded.announce()
        }
    }
}
