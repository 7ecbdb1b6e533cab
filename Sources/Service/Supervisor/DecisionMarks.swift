internal import Loader
internal import System
internal import Telemetry

/// The decision logs as the supervisor writes marks into them: each line is appended with one write(2), and the
/// supervisor never waits. A line that cannot be written is lost. When a log is not open, the next mark tries to open
/// it.
final class DecisionMarks {
    private let counters: SharedCounters
    private var outputs: [String: SharedLineOutput] = [:]
    private var failed: Set<String> = []
    /// The paths that could not be opened again, with the reasons. Lines for these paths go on into the files that were
    /// open.
    private(set) var unopened: [String: SystemCallError] = [:]

    /// Makes the logs, none of them open. The processes whose records stand in them share `counters`.
    init(_ counters: SharedCounters) {
        self.counters = counters
    }

    /// Writes lines to a log, each with its line feed.
    ///
    /// - Returns: false when this is the first loss since all lines could be written, so that the caller logs it once.
    func write(_ lines: [UInt8], to log: DecisionLogIdentity) -> Bool {
        if outputs[log.path] == nil {
            outputs[log.path] = try? SharedLineOutput(appendingTo: log.path, counters: counters)
        }
        var written = 0
        let ends = lines.indices.filter { lines[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for (start, end) in zip([0] + ends, ends) {
            written += outputs[log.path]?.write(lines.span.extracting(start..<end), ends: [end - start]) ?? 0
        }
        guard written < ends.count else {
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
                outputs[path] = try SharedLineOutput(appendingTo: path, counters: counters)
            } catch {
                unopened[path] = error
            }
        }
    }
}
