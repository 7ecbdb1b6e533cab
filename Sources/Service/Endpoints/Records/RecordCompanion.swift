public import System

/// The process that makes and writes the records of one worker, as the worker sees it. Belongs to one thread. It ends by
/// itself when the worker is gone, after it has written what waits.
public protocol RecordCompanion: AnyObject {
    /// True when the process has ended.
    var hasEnded: Bool { get }

    /// Wakes the process, so that it looks into the ring. Does nothing when the process has ended or is stopped.
    func wake()

    /// Tells the process to open the files of records and log lines again, after it has written what waits.
    ///
    /// - Returns: false when the process cannot be told now, because it reads nothing.
    func reopenLogs() -> Bool

    /// Tells the process to write what waits and to end, and waits for that.
    ///
    /// - Returns: false when the process has not ended within `milliseconds`. It goes on all the same.
    func finish(within milliseconds: Int32) -> Bool
}

/// Starts the companion that takes decisions from a ring.
public typealias RecordCompanionStart = (borrowing SharedRing) throws(SystemCallError) -> any RecordCompanion

/// What a worker has done about a companion that had ended although its worker was there.
enum CompanionLoss: Sendable, Hashable {
    /// Another one was started.
    case replaced
    /// Another one could not be started. The worker tries that every second while decisions wait.
    case notReplaced(SystemCallError)
}
