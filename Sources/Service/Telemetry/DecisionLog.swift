internal import System

/// The file of the decision records, appended to by every worker: one record, one write(2), never waited for. A record
/// that cannot be written at once is dropped and counted in ``Counter/decisionsDropped``. Belongs to one thread.
public final class DecisionLog {
    private let path: String
    private let counters: SharedCounters
    private var output: LineOutput?
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
    public func write(_ record: DecisionRecord) {
        openAgain()
        let isWritten = output?.write(record.line(limitBytes: LineOutput.lineBytes)) ?? false
        counters.add(isWritten ? .decisionsWritten : .decisionsDropped)
    }

    /// Opens the file anew, after a rotation has given it another name (USR1). When that fails, the old one is not
    /// written any more: whoever rotates may be compressing it.
    public func reopen() {
        output = try? LineOutput(appendingTo: path)
        nextAttempt = 0
    }

    private func openAgain() {
        guard output == nil else { return }
        let now = Clock.monotonicNanoseconds()
        guard now >= nextAttempt else { return }
        nextAttempt = now + 1_000_000_000
        output = try? LineOutput(appendingTo: path)
    }
}
