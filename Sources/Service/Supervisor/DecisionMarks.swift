internal import Loader
internal import System

/// The decision logs as the supervisor writes marks into them: each line is appended with one write(2), and the
/// supervisor never waits. A line that cannot be written is lost. When a log is not open, the next mark tries to open
/// it.
final class DecisionMarks {
    private var outputs: [String: LineOutput] = [:]
    private var failed: Set<String> = []
    /// The paths that could not be opened again, with the reasons. Lines for these paths go on into the files that were
    /// open.
    private(set) var unopened: [String: SystemCallError] = [:]

    /// Writes lines to a log, each with its line feed.
    ///
    /// - Returns: false when this is the first loss since all lines could be written, so that the caller logs it once.
    func write(_ lines: [UInt8], to log: DecisionLogIdentity) -> Bool {
        if outputs[log.path] == nil { outputs[log.path] = try? LineOutput(appendingTo: log.path) }
        var isWritten = true
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let whole = outputs[log.path]?.write(line + [UInt8(ascii: "\n")]) ?? false
            isWritten = isWritten && whole
        }
        guard !isWritten else {
            failed.remove(log.path)
            return true
        }
        return !failed.insert(log.path).inserted
    }

    /// Opens the files at these paths again and closes all others. Where a path cannot be opened, the file that was
    /// open stays, and ``unopened`` has the reason.
    func reopen(_ paths: Set<String>) {
        outputs = outputs.filter { paths.contains($0.key) }
        unopened = [:]
        for path in paths {
            do throws(SystemCallError) {
                outputs[path] = try LineOutput(appendingTo: path)
            } catch {
                unopened[path] = error
            }
        }
    }
}
