internal import Configuration
internal import Cryptography
internal import DataFiles
internal import Decisions
public import Loader
public import Logging
internal import OfferSigning
internal import SignedPayloads
internal import System
public import Telemetry
internal import Vocabulary

/// Records the decisions of a worker. Belongs to one thread.
///
/// First in the log stands a line about each rules file that the worker serves, last one with the number of the last record: so a
/// reader finds a gap in the numbers and a lost tail.
public final class DecisionRecorder {
    private enum Output {
        case log(DecisionLog)
        /// The file of a process that ends after one request.
        case file(DecisionFile)
    }

    private let output: Output
    /// The name of the worker in its records: 16 hexadecimal digits.
    let instance = HexadecimalDigits.text(of: UInt64.random(in: .min ... .max), count: 16)
    private var sequence: UInt64 = 0
    /// The records of the answers that have not been sent yet.
    private var records: [DecisionRecord] = []

    /// Creates a recorder for the decisions of a generation. Nil when the generation writes no decision records. One for a single
    /// request (plain CGI) writes the record alone, and has no thread.
    ///
    /// - Throws: `cryptography.openssl-failure`; the error of a system call.
    public init?(
        _ generation: Generation, _ counters: SharedCounters, _ logger: Logger,
        forOneRequest isForOneRequest: Bool = false
    ) throws {
        guard let path = generation.configuration.log.decisions, let key = generation.identifierKey
        else { return nil }
        guard !isForOneRequest else {
            output = .file(
                DecisionFile(
                    path: path, instance: instance, pseudonyms: try key.pseudonyms(), counters: counters,
                    logger: logger))
            return
        }
        let (fingerprint, now) = (try key.fingerprintText(), Clock.wallMilliseconds())
        output = .log(
            try DecisionLog(
                path: path,
                instance: instance,
                firstLines: generation.allRules.flatMap { [instance] rules in
                    RulesLine.lines(
                        of: rules, identifierKey: fingerprint, instance: instance, nowMilliseconds: now)
                },
                key: key,
                counters: counters,
                logger: logger
            ))
    }

    /// Opens the file again, after it was given another name.
    func reopen() {
        flush()
        if case .log(let log) = output { log.reopen() }
    }

    /// Has everything written. Call it when the worker has left.
    ///
    /// - Returns: false when that takes longer than `milliseconds`. What is not written by then counts as dropped.
    public func finish(within milliseconds: Int32) -> Bool {
        flush()
        guard case .log(let log) = output else { return true }
        return log.finish(
            "{\"end\":\"\(instance)\",\"sequence\":\(sequence)}\n", withinMilliseconds: milliseconds)
    }

    /// Makes the record of a decision. Its number is taken here, so that a record which is never written leaves a gap in the numbers.
    func record(
        _ decision: Decision, serving outcome: SignedOutcome?, to asked: RealtimeRequest, by rules: RulesFile,
        nowMilliseconds: Int64, timing: RequestTiming
    ) {
        sequence += 1
        records.append(
            DecisionRecord(
                decision: decision, served: outcome.map(DecisionRecord.Served.init), asked: asked,
                rules: rules, nowMilliseconds: nowMilliseconds, timing: timing, sequence: sequence)
        )
    }

    /// Gives the records to the log or the file. Call it when the answers have been sent.
    func flush() {
        guard !records.isEmpty else { return }
        switch output {
        case .log(let log): log.add(&records)
        case .file(var file):
            file.openIfStale()
            DecisionFile.drop(records.count - file.write(records), file.counters, file.logger)
            records.removeAll()
        }
    }
}
