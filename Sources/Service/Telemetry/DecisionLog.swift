public import System

/// The file of the decision records, appended to by every worker: one record, one write(2), never waited for. A record
/// that cannot be written at once is dropped and counted in ``Counter/decisionsDropped``. Belongs to one thread.
public final class DecisionLog {
    private let path: String
    private let counters: SharedCounters
    private var output: LineOutput?
    /// Whether ``output`` is not what stands at the path any more, because that could not be opened.
    private var isStale = false
    /// When a file that could not be opened is tried again.
    private var nextAttempt: UInt64 = 0

    /// Appends to the file at `path`, which is made with mode 0640 when it is not there.
    public init(path: String, counters: SharedCounters) {
        self.path = path
        self.counters = counters
        output = try? LineOutput(appendingTo: path)
    }

    /// Whether the file is open; what is written while it is not is dropped.
    public var isOpen: Bool { output != nil }

    /// Appends a record.
    ///
    /// - Returns: false when it was dropped.
    @discardableResult
    public func write(_ record: DecisionRecord) -> Bool {
        openAgain()
        let isWritten = output?.write(record.line(limitBytes: LineOutput.lineBytes)) ?? false
        counters.add(isWritten ? .decisionsWritten : .decisionsDropped)
        return isWritten
    }

    /// Opens the file anew, after a rotation has given it another name (USR1). When that fails, records go on into the
    /// file that was open, under whatever name it has now, and the path is tried again every second.
    ///
    /// - Throws: why it cannot be opened; `system.enxio` for a FIFO nobody reads.
    public func reopen() throws(SystemCallError) {
        isStale = true
        nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
        output = try LineOutput(appendingTo: path)
        isStale = false
    }

    /// Claims to say that records are dropped.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: true for one of all workers, and not again within a minute.
    public func mayTellOfDrops(atNanoseconds now: UInt64) -> Bool {
        counters.claim(.dropsToldAt, at: now / 1_000_000, apart: Self.tellingMilliseconds)
    }

    /// A path that cannot be opened is tried this often: soon enough after a repair, and one failed open(2) a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000
    /// A full disk drops every record for hours: a line a minute is seen and does not fill the log.
    private static let tellingMilliseconds: UInt64 = 60_000

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
