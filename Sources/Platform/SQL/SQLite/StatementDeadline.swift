internal import CSQLite

/// Ends a statement that runs too long. SQLite asks every few thousand steps of its machine.
@safe final class StatementDeadline {
    private let limitNanoseconds: UInt64?
    private var end: UInt64?
    /// How many steps SQLite makes between two questions; about a tenth of a millisecond.
    private static let stepCount: Int32 = 10_000

    init(milliseconds: Int64?) {
        limitNanoseconds = milliseconds.map { UInt64(max(0, $0)) * 1_000_000 }
    }

    /// Lets SQLite ask this object, which must live as long as the connection.
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

    /// Starts the time of a statement.
    func start() {
        end = limitNanoseconds.map { MonotonicTime.nanoseconds() + $0 }
    }

    /// Lets the next statement run without a limit.
    func stop() {
        end = nil
    }

    private var isOver: Bool { end.map { MonotonicTime.nanoseconds() > $0 } ?? false }
}
