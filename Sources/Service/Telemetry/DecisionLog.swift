public import System
public import Vocabulary

/// The file to which several processes append decision records. The records that were added are written together with one
/// write(2), which holds whole lines. A record that cannot be written at once is dropped and counted in
/// ``Counter/decisionsDropped``; only a disk can make the call wait. One thread must own a value of this type.
///
///     let log = DecisionLog(path: "/var/log/decisions.ndjson", counters: counters)
///     log.add { line in line.append("{}\n") }
///     log.write()
public final class DecisionLog {
    private let path: String
    private let counters: SharedCounters
    private var output: SharedLineOutput?
    /// True when ``output`` is no longer the file at the path, because the last reopening failed.
    private var isStale = false
    /// The earliest time, in nanoseconds of the monotonic clock, to try again to open the file.
    private var nextAttempt: UInt64 = 0
    /// The lines of the records that wait to be written.
    private var text = TextBuffer()
    /// The place in ``text`` behind the end of each line.
    private var ends: [Int] = []
    /// True when records were dropped since the last ``takeDrops()``.
    private var hasDropped = false

    /// Appends to the file at `path`. Creates the file with mode 0640 when it does not exist.
    public init(path: String, counters: SharedCounters) {
        self.path = path
        self.counters = counters
        output = try? SharedLineOutput(appendingTo: path, counters: counters)
    }

    /// True when the file is open. While it is not, records are dropped.
    public var isOpen: Bool { output != nil }

    /// The number of records that wait to be written.
    package var waitingCount: Int { ends.count }

    /// Adds the record that `appendLine` appends to the waiting lines as one line, with its line feed; ``write()`` will write it.
    /// Writes them all when they have become many bytes.
    public func add(_ appendLine: (inout TextBuffer) -> Void) {
        appendLine(&text)
        ends.append(text.count)
        if text.count >= Self.textBytes { write() }
    }

    /// Counts a record that cannot be made as dropped.
    public func drop() {
        counters.add(.decisionsDropped)
        hasDropped = true
    }

    /// Writes the records that were added since the last call.
    public func write() {
        guard !ends.isEmpty else { return }
        openAgain()
        let count = ends.count
        let written = text.withSpan { output?.write($0, ends: ends) ?? 0 }
        text.cut(to: 0)
        ends.removeAll(keepingCapacity: true)
        if written > 0 { counters.add(.decisionsWritten, UInt64(written)) }
        guard written < count else { return }
        counters.add(.decisionsDropped, UInt64(count - written))
        hasDropped = true
    }

    /// Returns true when records were dropped since the last call.
    public func takeDrops() -> Bool {
        defer { hasDropped = false }
        return hasDropped
    }

    /// Opens the file at the path again, after a log rotation has renamed the old file (USR1). When that fails, records
    /// go on into the old file under its new name, and the log tries the path again every second. Records that wait to
    /// be written go into the old file first.
    ///
    /// - Throws: the reason why the file cannot be opened; `system.enxio` for a FIFO that no process reads.
    public func reopen() throws(SystemCallError) {
        write()
        isStale = true
        nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
        output = try SharedLineOutput(appendingTo: path, counters: counters)
        isStale = false
    }

    /// Claims the right to log that records are dropped, so that only one worker logs it.
    ///
    /// - Parameters:
    ///   - counters: those that the processes of the pool share.
    ///   - now: nanoseconds of the monotonic clock.
    /// - Returns: true for one worker of the pool, and then false for all workers for one minute.
    public static func claimDropWarning(_ counters: SharedCounters, atNanoseconds now: UInt64) -> Bool {
        counters.claim(.dropsLoggedAt, at: now / 1_000_000, apart: Self.dropWarningMilliseconds)
    }

    /// The length of waiting lines at which they are written at once: above it, fewer calls save nothing.
    private static let textBytes = 1 << 16
    /// A path that cannot be opened is tried at this interval: soon enough after a repair, and only one failed open(2)
    /// a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000
    /// A full disk drops every record for hours. One log line a minute is visible and does not fill the log.
    private static let dropWarningMilliseconds: UInt64 = 60_000

    private func openAgain() {
        guard output == nil || isStale else { return }
        let now = Clock.monotonicNanoseconds()
        guard now >= nextAttempt else { return }
        nextAttempt = now + Self.attemptNanoseconds
        guard let opened = try? SharedLineOutput(appendingTo: path, counters: counters) else { return }
        output = opened
        isStale = false
    }
}
