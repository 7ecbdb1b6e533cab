internal import Configuration
internal import Cryptography
internal import DataFiles
public import Loader
public import System
public import Telemetry

/// Makes the records of noted decisions and appends them to the file that `log.decisions` names. Belongs to one thread.
///
///     let writer = try DecisionRecordWriter(generation, counters)
///     writer?.write(from: &ring)      // everything that waits in the ring
public final class DecisionRecordWriter {
    private let generation: Generation
    private let log: DecisionLog
    private let counters: SharedCounters
    let instance: String
    let pseudonyms: SubscriberPseudonyms

    /// Creates a writer for the decisions of a generation. Nil when the generation writes no decision records.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public init?(_ generation: Generation, _ counters: SharedCounters) throws {
        guard let path = generation.configuration.log.decisions, let key = generation.manifest.identifierKey
        else { return nil }
        pseudonyms = try key.pseudonyms()
        log = DecisionLog(path: path, counters: counters)
        self.generation = generation
        self.counters = counters
        instance = counters.instance
    }

    /// True when the file of the records is open.
    public var isOpen: Bool { log.isOpen }

    /// Opens the file again, after it was given another name.
    ///
    /// - Throws: the error of the system call. The records then go on into the file that was open.
    public func reopen() throws(SystemCallError) { try log.reopen() }

    /// Makes and writes the records of all decisions that wait in the ring at the time of the call.
    ///
    /// - Returns: false when none waited.
    @discardableResult
    public func write(from ring: inout SharedRing) -> Bool {
        let hasTaken = ring.takeWaiting { add($0) }
        log.write()
        return hasTaken
    }

    /// Returns true when the log should report now that records are dropped: at the first dropped record, and once a
    /// minute while more are dropped.
    public func shouldReportDrops() -> Bool {
        guard log.takeDrops() else { return false }
        return DecisionLog.claimDropWarning(counters, atNanoseconds: Clock.monotonicNanoseconds())
    }

    private func add(_ message: Span<UInt8>) {
        guard let noted = NotedDecision(message), let environment = noted.environment,
            let rules = generation.rules(appAppleId: noted.appAppleId, environment: environment)
        else { return log.drop() }
        log.add { line in append(noted, of: message, rules, to: &line) }
    }
}
