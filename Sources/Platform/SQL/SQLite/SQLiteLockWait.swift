internal import CSQLite
internal import Glibc

/// Waits for a lock that another connection holds. Asks again each millisecond: SQLite's own wait pauses ever longer, up to a
/// tenth of a second, and so misses the moments that a program with many short transactions leaves to others.
@safe final class SQLiteLockWait {
    private let limitNanoseconds: UInt64
    private var end: UInt64?
    private static let pauseMicroseconds: UInt32 = 1000

    init(milliseconds: Int32) {
        limitNanoseconds = UInt64(max(0, milliseconds)) * 1_000_000
    }

    func watch(_ handle: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let ask: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { context, count in
            guard let context = unsafe context else { return 0 }
            let wait = unsafe Unmanaged<SQLiteLockWait>.fromOpaque(context).takeUnretainedValue()
            return wait.pause(after: count) ? 1 : 0
        }
        unsafe sqlite3_busy_handler(handle, ask, context)
    }

    /// Gives the next wait all its time. SQLite itself does not begin to count anew before it prepares a statement.
    func restart() {
        end = nil
    }

    private func pause(after count: Int32) -> Bool {
        let now = MonotonicTime.nanoseconds()
        if count == 0 { end = nil }
        let end = end ?? now + limitNanoseconds
        self.end = end
        guard now < end else { return false }
        usleep(Self.pauseMicroseconds)
        return true
    }
}

/// Ends a statement that runs too long. SQLite asks every few thousand steps of its machine.
@safe final class StatementDeadline {
    private let limitNanoseconds: UInt64?
    private var end: UInt64?
    /// How many steps SQLite makes between two questions; about a tenth of a millisecond.
    private static let stepCount: Int32 = 10_000

    init(milliseconds: Int64?) {
        limitNanoseconds = milliseconds.map { UInt64(max(0, $0)) * 1_000_000 }
    }

    func watch(_ handle: OpaquePointer) {
        guard limitNanoseconds != nil else { return }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let ask: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let context = unsafe context else { return 0 }
            let deadline = unsafe Unmanaged<StatementDeadline>.fromOpaque(context).takeUnretainedValue()
            return deadline.isOver ? 1 : 0
        }
        unsafe sqlite3_progress_handler(handle, Self.stepCount, ask, context)
    }

    func start() {
        end = limitNanoseconds.map { MonotonicTime.nanoseconds() + $0 }
    }

    func stop() {
        end = nil
    }

    private var isOver: Bool { end.map { MonotonicTime.nanoseconds() > $0 } ?? false }
}
