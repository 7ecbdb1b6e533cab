internal import Loader
internal import Synchronization
internal import System
internal import Telemetry

/// The decision logs as the supervisor writes marks into them: each line is appended with one write(2). A line that cannot be
/// written is lost. When a log is not open, the next mark tries to open it.
///
/// Each log has a thread of its own, which opens and writes the file. So the supervisor waits for a disk that hangs only once,
/// and only for a second. Marks that are late then stand in the log when the disk answers again.
final class DecisionMarks {
    /// How long the supervisor waits for a disk, in milliseconds. A healthy disk takes less than one.
    private static let patienceMilliseconds: UInt64 = 1000
    /// How long the supervisor waits for a disk before it ends, in milliseconds. The companions of workers have the same time.
    private static let finishMilliseconds: UInt64 = 5000
    /// How many marks may wait for a disk that hangs: those of half a day, which are small.
    private static let limitCount = 720

    private let counters: SharedCounters
    private var files: [String: MarkFile] = [:]
    private var failed: Set<String> = []
    /// The paths that could not be opened again, with the reasons. Lines for these paths go on into the files that were
    /// open. Also the paths of which marks are lost because too many have waited.
    private(set) var unopened: [String: SystemCallError] = [:]

    /// Makes the logs, none of them open. The processes whose records stand in them share `counters`.
    init(_ counters: SharedCounters) {
        self.counters = counters
    }

    /// Writes lines to a log, each with its line feed.
    ///
    /// - Returns: false when this is the first loss or delay since all lines could be written, so that the caller logs it once.
    func write(_ lines: [UInt8], to log: DecisionLogIdentity) -> Bool {
        let path = log.path
        let file = file(path)
        switch file.thread.run({ [contents = file.contents] in contents.write(lines) }) {
        case .done(true):
            failed.remove(path)
            return true
        case .done(false), .late: break
        case .refused: unopened[path] = .found(.fileLate)
        }
        return !failed.insert(path).inserted
    }

    /// Opens the files at these paths again and closes all others. Where a path cannot be opened, the file that was
    /// open stays, and ``unopened`` has the reason: `file.late` when the disk does not answer.
    func reopen(_ paths: Set<String>) {
        files = files.filter { paths.contains($0.key) }
        unopened = [:]
        for path in paths {
            let file = file(path)
            switch file.thread.run({ [contents = file.contents] in contents.reopen() }) {
            case .done(let failure): unopened[path] = failure
            case .late, .refused: unopened[path] = .found(.fileLate)
            }
        }
    }

    /// Returns true when all these files can be opened.
    func canOpen(_ paths: Set<String>) -> Bool {
        paths.allSatisfy { path in
            let thread = file(path).thread
            guard !thread.isLate else { return false }
            guard case .done(true) = thread.run({ (try? LineOutput(appendingTo: path)) != nil }) else {
                return false
            }
            return true
        }
    }

    /// Waits for marks that are late, for some seconds. Call it before this process ends or becomes another program: late marks
    /// are lost then.
    func finish() {
        let end = Clock.monotonicNanoseconds() / 1_000_000 + Self.finishMilliseconds
        for file in files.values {
            let now = Clock.monotonicNanoseconds() / 1_000_000
            file.thread.waitUntilDone(withinMilliseconds: end > now ? end - now : 0)
        }
    }

    private func file(_ path: String) -> MarkFile {
        if let file = files[path] { return file }
        let file = MarkFile(
            contents: MarkContents(path, counters),
            thread: PatientThread(
                patienceMilliseconds: Self.patienceMilliseconds,
                limitCount: Self.limitCount
            )
        )
        files[path] = file
        return file
    }
}

/// One log and the thread that opens and writes it.
private struct MarkFile {
    let contents: MarkContents
    let thread: PatientThread
}

/// The open file of a log. Only the thread of the log uses it.
private final class MarkContents: Sendable {
    private let path: String
    private let counters: SharedCounters
    private let output = Mutex<SharedLineOutput?>(nil)

    init(_ path: String, _ counters: SharedCounters) {
        self.path = path
        self.counters = counters
    }

    /// Returns true when all lines were written.
    func write(_ lines: [UInt8]) -> Bool {
        output.withLock { output in
            if output == nil { output = try? SharedLineOutput(appendingTo: path, counters: counters) }
            var written = 0
            let ends = lines.indices.filter { lines[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
            for (start, end) in zip([0] + ends, ends) {
                written += output?.write(lines.span.extracting(start..<end), ends: [end - start]) ?? 0
            }
            return written >= ends.count
        }
    }

    /// Returns why the file could not be opened again; nil when it could.
    func reopen() -> SystemCallError? {
        output.withLock { output in
            do throws(SystemCallError) {
                output = try SharedLineOutput(appendingTo: path, counters: counters)
                return nil
            } catch {
                return error
            }
        }
    }
}
