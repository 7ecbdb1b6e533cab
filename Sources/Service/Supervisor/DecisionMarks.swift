internal import Loader
internal import System

/// The decision logs as the supervisor writes marks into them: appended to, one line with one write(2), never waited for.
/// A line that cannot be written is lost; the next mark opens the file again.
final class DecisionMarks {
    private var outputs: [String: LineOutput] = [:]
    private var failed: Set<String> = []

    /// Writes lines, each with its line feed.
    ///
    /// - Returns: false when something was lost for the first time since all could be written: worth a line in the log.
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

    /// Closes all, which are opened under their names again.
    func reopen() { outputs = [:] }
}
