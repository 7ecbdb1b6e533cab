internal import Loader
internal import System

/// The decision logs as the supervisor writes marks into them: appended to, one line with one write(2), never waited for.
/// A line that cannot be written is lost; the next mark opens the file again.
final class DecisionMarks {
    private var outputs: [String: LineOutput] = [:]
    private var failed: Set<String> = []
    /// The paths that could not be opened anew, and why. Lines go on into the files that were open.
    private(set) var unopened: [String: SystemCallError] = [:]

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

    /// Opens the files at these paths anew and closes all others. Where a path cannot be opened, the file that was open
    /// stays, and ``unopened`` says why.
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

    /// Whether some of these paths could not be opened anew, and all of them can be opened now.
    func canReopen(_ paths: Set<String>) -> Bool {
        let late = paths.intersection(unopened.keys)
        return !late.isEmpty && late.allSatisfy { (try? LineOutput(appendingTo: $0)) != nil }
    }
}
