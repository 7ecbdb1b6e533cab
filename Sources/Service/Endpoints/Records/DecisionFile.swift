internal import Cryptography
internal import Logging
internal import System
internal import Telemetry
internal import Vocabulary

/// The open file of decision records. Belongs to one thread.
struct DecisionFile {
    /// A path that cannot be opened is tried at this interval: soon enough after a repair, and only one failed open(2) a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000

    /// A full disk drops every record for hours. One log line a minute is visible and does not fill the log.
    private static let dropWarningMilliseconds: UInt64 = 60_000

    let path: String
    let instance: String
    let pseudonyms: SubscriberPseudonyms?
    let counters: SharedCounters
    let logger: Logger
    private var output: SharedLineOutput?
    /// True when `output` is not the file at the path.
    private var isStale = true
    private var hasFailed = false
    private var nextAttempt: UInt64 = 0

    init(
        path: String, instance: String, pseudonyms: SubscriberPseudonyms?, counters: SharedCounters,
        logger: Logger
    ) {
        self.path = path
        self.instance = instance
        self.pseudonyms = pseudonyms
        self.counters = counters
        self.logger = logger
    }

    /// Opens the file at the path, unless that is done or has failed a moment ago.
    mutating func openIfStale() {
        if isStale, Clock.monotonicNanoseconds() >= nextAttempt { open() }
    }

    /// Opens the file at the path. When that fails, lines go on into the file that was open, and the next ones try again.
    mutating func open() {
        do throws(SystemCallError) {
            output = try SharedLineOutput(appendingTo: path, counters: counters)
            (isStale, hasFailed) = (false, false)
        } catch {
            isStale = true
            nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
            if !hasFailed {
                logger.error(
                    "decision records cannot be written",
                    metadata: ["code": "decisions-unwritable", "path": "\(path)", "reason": "\(error)"])
            }
            hasFailed = true
        }
    }

    /// Writes lines up to the first that the disk does not take whole, and returns the number of those written.
    func write(_ lines: [String]) -> Int {
        guard let output else { return 0 }
        return lines.prefix { output.write($0.utf8Span.span, ends: [$0.utf8.count]) == 1 }.count
    }

    /// Writes the lines of records, and returns the number of those written.
    func write(_ records: [DecisionRecord]) -> Int {
        guard !records.isEmpty else { return 0 }
        var lines = TextBuffer()
        var ends: [Int] = []
        for record in records {
            record.append(instance: instance, pseudonyms, to: &lines)
            ends.append(lines.count)
        }
        let written = lines.withSpan { output?.write($0, ends: ends) ?? 0 }
        if written > 0 { counters.add(.decisionsWritten, UInt64(written)) }
        return written
    }

    /// Counts records that are dropped.
    static func drop(_ count: Int, _ counters: SharedCounters, _ logger: Logger) {
        guard count > 0 else { return }
        counters.add(.decisionsDropped, UInt64(count))
        let now = Clock.monotonicNanoseconds() / 1_000_000
        guard counters.claim(.dropsLoggedAt, at: now, apart: dropWarningMilliseconds) else { return }
        logger.error(
            "decision records are dropped",
            metadata: ["code": "decisions-dropped", "dropped": "\(counters.value(.decisionsDropped))"])
    }
}
