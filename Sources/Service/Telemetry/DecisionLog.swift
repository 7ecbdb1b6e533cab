public import System

/// The file to which every worker appends its decision records. Each record is one write(2), and a worker never waits
/// for it. A record that cannot be written at once is dropped and counted in ``Counter/decisionsDropped``. One thread
/// must own a value of this type.
public final class DecisionLog {
    private let path: String
    private let counters: SharedCounters
    private var output: LineOutput?
    /// True when ``output`` is no longer the file at the path, because the last reopening failed.
    private var isStale = false
    /// The earliest time, in nanoseconds of the monotonic clock, to try again to open the file.
    private var nextAttempt: UInt64 = 0

    /// Appends to the file at `path`. Creates the file with mode 0640 when it does not exist.
    public init(path: String, counters: SharedCounters) {
        self.path = path
        self.counters = counters
        output = try? LineOutput(appendingTo: path)
    }

    /// True when the file is open. While it is not, records are dropped.
    public var isOpen: Bool { output != nil }

    /// Appends a record.
    ///
    /// - Returns: false when the record was dropped.
    @discardableResult
    public func write(_ record: DecisionRecord) -> Bool {
        openAgain()
        let isWritten = output?.write(record.line(limitBytes: LineOutput.lineBytes)) ?? false
        counters.add(isWritten ? .decisionsWritten : .decisionsDropped)
        return isWritten
    }

    /// Opens the file at the path again, after a log rotation has renamed the old file (USR1). When that fails, records
    /// go on into the old file under its new name, and the log tries the path again every second.
    ///
    /// - Throws: the reason why the file cannot be opened; `system.enxio` for a FIFO that no process reads.
    public func reopen() throws(SystemCallError) {
        isStale = true
        nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
        output = try LineOutput(appendingTo: path)
        isStale = false
    }

    /// Claims the right to log that records are dropped, so that only one worker logs it.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: true for one worker of the pool, and then false for all workers for one minute.
    public func claimDropWarning(atNanoseconds now: UInt64) -> Bool {
        counters.claim(.dropsLoggedAt, at: now / 1_000_000, apart: Self.dropWarningMilliseconds)
    }

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
        guard let opened = try? LineOutput(appendingTo: path) else { return }
        output = opened
        isStale = false
    }
}
