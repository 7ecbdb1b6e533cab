internal import Loader
internal import Synchronization
internal import System
internal import Telemetry

/// The decision logs as the supervisor writes marks into them: each line is appended with one write(2). A line that cannot be
/// written is lost. When a log is not open, the next mark tries to open it.
///
/// A thread of its own opens and writes the files, so the supervisor waits for a disk that hangs only once, and only for a
/// second. Marks that are late then stand in the log when the disk answers again.
final class DecisionMarks {
    /// How long the supervisor waits for the disk, in milliseconds. A healthy disk takes less than one.
    private static let patienceMilliseconds: UInt64 = 1000

    private let files: MarkFiles
    private let thread = PatientThread(patienceMilliseconds: patienceMilliseconds)
    private var failed: Set<String> = []
    /// The paths that could not be opened again, with the reasons. Lines for these paths go on into the files that were
    /// open.
    private(set) var unopened: [String: SystemCallError] = [:]

    /// Makes the logs, none of them open. The processes whose records stand in them share `counters`.
    init(_ counters: SharedCounters) {
        files = MarkFiles(counters)
    }

    /// Writes lines to a log, each with its line feed.
    ///
    /// - Returns: false when this is the first loss or delay since all lines could be written, so that the caller logs it once.
    func write(_ lines: [UInt8], to log: DecisionLogIdentity) -> Bool {
        let path = log.path
        guard thread.run({ [files] in files.write(lines, to: path) }) ?? false else {
            return !failed.insert(path).inserted
        }
        failed.remove(path)
        return true
    }

    /// Opens the files at these paths again and closes all others. Where a path cannot be opened, the file that was
    /// open stays, and ``unopened`` has the reason: `file.late` when the disk does not answer.
    func reopen(_ paths: Set<String>) {
        let found = thread.run { [files] in files.reopen(paths) }
        unopened = found ?? Dictionary(uniqueKeysWithValues: paths.map { ($0, .found(.fileLate)) })
    }

    /// Returns true when all these files can be opened.
    func canOpen(_ paths: Set<String>) -> Bool {
        guard !thread.isLate else { return false }
        return thread.run { paths.allSatisfy { (try? LineOutput(appendingTo: $0)) != nil } } ?? false
    }
}

/// The open files of marks. Only the thread of ``DecisionMarks`` uses them.
private final class MarkFiles: Sendable {
    private let counters: SharedCounters
    private let outputs = Mutex<[String: SharedLineOutput]>([:])

    init(_ counters: SharedCounters) {
        self.counters = counters
    }

    /// Returns true when all lines were written.
    func write(_ lines: [UInt8], to path: String) -> Bool {
        outputs.withLock { outputs in
            if outputs[path] == nil {
                outputs[path] = try? SharedLineOutput(appendingTo: path, counters: counters)
            }
            var written = 0
            let ends = lines.indices.filter { lines[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
            for (start, end) in zip([0] + ends, ends) {
                written += outputs[path]?.write(lines.span.extracting(start..<end), ends: [end - start]) ?? 0
            }
            return written >= ends.count
        }
    }

    func reopen(_ paths: Set<String>) -> [String: SystemCallError] {
        outputs.withLock { outputs in
            outputs = outputs.filter { paths.contains($0.key) }
            var unopened: [String: SystemCallError] = [:]
            for path in paths {
                do throws(SystemCallError) {
                    outputs[path] = try SharedLineOutput(appendingTo: path, counters: counters)
                } catch {
                    unopened[path] = error
                }
            }
            return unopened
        }
    }
}
