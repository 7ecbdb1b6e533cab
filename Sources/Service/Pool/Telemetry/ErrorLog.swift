package import Logging
internal import Synchronization
package import System

/// The place to which the loggers of one process write their lines: standard error, or the file of `errorLog`. One
/// write(2) appends a line, so lines of several processes in one file do not mix.
///
/// A process starts with standard error and changes to the file when it has read its configuration.
package final class ErrorLog: Sendable {
    package struct Target: Sendable {
        package let path: String?
        let output: LineOutput
        /// True when the journal reads the lines and takes their priority from a prefix such as `<3>` (sd-daemon(3)).
        let takesPriorities: Bool

        func write(priority: Int, _ line: (_ limitBytes: Int) -> [UInt8]) -> Bool {
            let prefix = takesPriorities ? Array("<\(priority)>".utf8) : []
            return output.write(prefix + line(LineOutput.lineBytes - prefix.count))
        }
    }

    private struct State {
        var target: Target
        /// True when the target is no longer the file at its path, because the last reopening failed.
        var isStale = false
        /// The earliest time, in nanoseconds of the monotonic clock, to try again to open the file.
        var nextAttempt: UInt64 = 0
    }

    private let state: Mutex<State>
    private let standardError: Target

    package convenience init() {
        self.init(sharing: 2, takesPriorities: JournalStream.reads(descriptor: 2))
    }

    package init(sharing number: Int32, takesPriorities: Bool = false) {
        standardError = Target(
            path: nil, output: LineOutput(sharing: number), takesPriorities: takesPriorities)
        state = Mutex(State(target: standardError))
    }

    package var path: String? { state.withLock { $0.target.path } }

    /// True when the last reopening failed, so that lines go on into the file that was open before.
    package var isStale: Bool { state.withLock { $0.isStale } }

    /// Opens a place without using it. Makes the file, with mode 0640, when it does not exist.
    ///
    /// - Throws: the reason why the file cannot be opened; `system.enxio` for a FIFO that no process reads.
    package func open(_ path: String?) throws(SystemCallError) -> Target {
        guard let path else { return standardError }
        return Target(path: path, output: try LineOutput(appendingTo: path), takesPriorities: false)
    }

    package func use(_ target: Target) {
        state.withLock { $0 = State(target: target) }
    }

    /// Writes all further lines to the file at `path`; nil means standard error. Does nothing when the log has that
    /// path already.
    ///
    /// - Throws: the errors of ``open(_:)``; lines then go where they went before.
    package func use(_ path: String?) throws(SystemCallError) {
        guard path != self.path else { return }
        use(try open(path))
    }

    /// Writes all further lines to the file at `path`, as ``use(_:)-(String?)`` does. When the file cannot be opened,
    /// the lines go where they went before, and `logger` writes the reason.
    @discardableResult
    package func use(_ path: String?, elseTelling logger: Logger) -> Bool {
        do throws(SystemCallError) {
            try use(path)
            return true
        } catch {
            logger.error(
                "error log not opened",
                metadata: ["code": "error-log-unwritable", "path": "\(path ?? "")", "reason": "\(error)"])
            return false
        }
    }

    /// Opens the file at the path again, after a log rotation has renamed the old file (USR1). When that fails, lines
    /// go on into the old file under its new name and also to standard error, and the log tries the path again every
    /// second, before a line. Does nothing for standard error, because whoever started the process chose it.
    package func reopen() throws(SystemCallError) {
        guard let path else { return }
        do throws(SystemCallError) {
            use(try open(path))
        } catch {
            state.withLock { state in
                state.isStale = true
                state.nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
            }
            throw error
        }
    }

    /// Writes one line with one call; while the log is stale, also to standard error.
    func write(priority: Int, _ line: (_ limitBytes: Int) -> [UInt8]) -> Bool {
        let (target, isStale) = currentTarget()
        if isStale { _ = standardError.write(priority: priority, line) }
        return target.write(priority: priority, line)
    }

    /// A path that cannot be opened is tried at this interval: soon enough after a repair, and only one failed open(2)
    /// a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000

    private func currentTarget() -> (target: Target, isStale: Bool) {
        state.withLock { state in
            let now = state.isStale ? Clock.monotonicNanoseconds() : 0
            if state.isStale, now >= state.nextAttempt {
                state.nextAttempt = now + Self.attemptNanoseconds
                if let opened = try? open(state.target.path) { state = State(target: opened) }
            }
            return (state.target, state.isStale)
        }
    }
}
