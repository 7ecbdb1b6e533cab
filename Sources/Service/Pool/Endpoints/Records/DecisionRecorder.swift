internal import Configuration
internal import Cryptography
package import Logging
internal import Reply
internal import Rules
internal import SignedPayloads
internal import System

/// Records the decisions of a worker. Belongs to one thread.
///
/// First in the log stands a line about each rules file that the worker serves, last one with the number of the last record: so a
/// reader finds a gap in the numbers and a lost tail.
package final class DecisionRecorder {
    private let log: DecisionLog
    private let isForOneRequest: Bool
    /// The name of the worker in its records: 16 hexadecimal digits.
    let instance = HexadecimalDigits.text(of: UInt64.random(in: .min ... .max), count: 16)
    private var sequence: UInt64 = 0
    private var records: [DecisionRecord] = []

    /// Creates a recorder for the decisions of a generation. Nil when the generation writes no decision records. One for a single
    /// request (plain CGI) writes the record alone.
    package init?(
        _ generation: Generation, _ counters: SharedCounters, _ logger: Logger,
        forOneRequest isForOneRequest: Bool = false
    ) throws {
        guard let path = generation.configuration.log.decisions, let key = generation.identifierKey
        else { return nil }
        self.isForOneRequest = isForOneRequest
        let (fingerprint, now) = (try key.fingerprintText(), Clock.wallMilliseconds())
        let rules = isForOneRequest ? [] : generation.allRules
        log = try DecisionLog(
            path: path, instance: instance,
            firstLines: rules.flatMap { [instance] rules in
                RulesLine.lines(
                    of: rules, identifierKey: fingerprint, instance: instance, nowMilliseconds: now)
            }, key: key, counters: counters, logger: logger)
    }

    func reopen() {
        flush()
        log.reopen()
    }

    /// Has everything written. Call it when the worker has left.
    package func finish(within milliseconds: Int32) -> Bool {
        flush()
        let end = isForOneRequest ? "" : "{\"end\":\"\(instance)\",\"sequence\":\(sequence)}\n"
        return log.finish(end, withinMilliseconds: milliseconds)
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
        if !records.isEmpty { log.add(&records) }
    }
}
