internal import Configuration
public import Cryptography
internal import DataFiles
internal import Decisions
public import Loader
internal import OfferSigning
internal import SignedPayloads
public import System
public import Telemetry

/// Writes a record of every decision into the file that `log.decisions` names. Belongs to one thread.
///
/// What a record needs is noted when the decision is made. The record is made and written after the answer has been sent.
/// While answers follow each other quickly, the records of several turns are made and written together, because a call that
/// writes a single record costs more than making the record. A record is kept back for about 50 milliseconds at most, and not when the worker leaves.
public final class DecisionRecorder {
    /// The number of waiting records at which they are written at once.
    private static let waitingLimit = 200
    /// The number of waiting records at which a turn keeps none of them back. The room up to ``waitingLimit`` is for the
    /// answers of the next turn.
    private static let heldLimit = 160
    /// For how long turns keep back records, in nanoseconds.
    private static let holdNanoseconds: UInt64 = 50_000_000
    /// Turns with answers follow each other quickly when their ends are not further apart, in milliseconds.
    private static let busyMilliseconds: UInt64 = 5

    private let log: DecisionLog
    private let counters: SharedCounters
    private let instance: String
    private let pseudonyms: SubscriberPseudonyms
    /// The decisions whose records are not written yet, in the order in which they were made.
    private var waiting: [NotedDecision] = []
    /// How many records earlier turns have kept back, and since when.
    private var heldCount = 0
    private var heldSince: UInt64 = 0
    /// The end of the last turn with answers.
    private var lastAnswers: UInt64?

    /// Creates a recorder for the decisions of a generation. Nil when the generation writes no decision records.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public init?(_ generation: Generation, _ counters: SharedCounters) throws(CryptographyError) {
        guard let path = generation.configuration.log.decisions, let key = generation.manifest.identifierKey
        else { return nil }
        pseudonyms = try key.pseudonyms()
        log = DecisionLog(path: path, counters: counters)
        self.counters = counters
        instance = counters.instance
    }

    /// True when the file of the records is open.
    public var isOpen: Bool { log.isOpen }

    /// Opens the file again, after it was given another name.
    ///
    /// - Throws: the error of the system call. The records then go on into the file that was open.
    public func reopen() throws(SystemCallError) {
        flush()
        try log.reopen()
    }

    /// Returns true when the log should report now that records are dropped: at the first dropped record, and once a
    /// minute while more are dropped.
    func shouldReportDrops() -> Bool {
        guard log.takeDrops() else { return false }
        return log.claimDropWarning(atNanoseconds: Clock.monotonicNanoseconds())
    }

    /// Takes what the record of a decision needs. The record waits until ``flush()`` makes and writes it.
    func note(
        _ decision: Decision,
        serving outcome: SignedOutcome?,
        to asked: RealtimeRequest,
        by rules: RulesFile,
        nowMilliseconds: Int64,
        timing: RequestTiming
    ) {
        waiting.append(
            NotedDecision(
                decision: decision,
                served: outcome.map { NotedDecision.Served($0) },
                asked: asked,
                rules: rules,
                sequence: counters.takeSequence(),
                nowMilliseconds: nowMilliseconds,
                timing: timing
            )
        )
        if waiting.count >= Self.waitingLimit { flush() }
    }

    /// When the records that are kept back must be written, in nanoseconds of the monotonic clock; nil when there are none.
    var wakeNanoseconds: UInt64? { heldCount == 0 ? nil : heldSince &+ Self.holdNanoseconds }

    /// Writes the records at the end of a turn, or keeps them back: when the last turn before with answers has ended a
    /// moment ago, and the records are neither many nor old.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    func turnEnded(atNanoseconds now: UInt64) {
        let count = waiting.count
        guard count > 0 else { return }
        if heldCount == 0 { heldSince = now }
        let isBusy = lastAnswers.map { now &- $0 <= Self.busyMilliseconds * 1_000_000 } ?? false
        if count > heldCount { lastAnswers = now }
        let isOld = now &- heldSince >= Self.holdNanoseconds
        if !isBusy || isOld || count >= Self.heldLimit { flush() } else { heldCount = count }
    }

    /// Makes and writes the records that wait.
    func flush() {
        heldCount = 0
        for noted in waiting { log.add(record(of: noted)) }
        waiting.removeAll(keepingCapacity: true)
        log.write()
    }

    private func record(of noted: NotedDecision) -> DecisionRecord {
        let (decision, asked, rules) = (noted.decision, noted.asked, noted.rules)
        // Where libcrypto fails there is no pseudonym; the record is useful without it.
        let subscriber = (try? pseudonyms.pseudonym(of: asked.originalTransactionId)) ?? ""
        var record = DecisionRecord(
            timeMilliseconds: noted.nowMilliseconds,
            signedDateMilliseconds: asked.signedDate,
            instance: instance,
            sequence: noted.sequence,
            requestIdentifier: asked.requestIdentifier,
            subscriber: subscriber,
            appAppleId: asked.appAppleId,
            environment: asked.environment,
            productId: asked.productId,
            userLocale: asked.userLocale,
            reason: decision.reason.rawValue,
            generation: rules.header.generation
        )
        record.rule = decision.ruleID(in: rules)
        record.arm = decision.armName(in: rules)
        record.served = noted.served.map { served in
            DecisionRecord.Served(
                kind: served.kind.name,
                message: decision.messageName(in: rules),
                messageIdentifier: served.messageIdentifier,
                locale: decision.localeUsed(in: rules),
                offerIdentifier: served.offerIdentifier
            )
        }
        let assigned = decision.assigned.map { draw in
            DecisionRecord.Assigned(
                rule: draw.ruleID(in: rules),
                arm: draw.armName(in: rules),
                step: draw.step.rawValue
            )
        }
        // For a subscriber who is held out, everything was drawn in the shadow decision.
        record.assigned = decision.isHeldOut ? [] : assigned
        record.shadow = decision.shadow.map { shadow in
            DecisionRecord.Shadow(
                reason: shadow.reason.rawValue,
                rule: shadow.ruleID(in: rules),
                arm: shadow.armName(in: rules),
                message: shadow.messageName(in: rules),
                assigned: decision.isHeldOut ? assigned : nil
            )
        }
        record.verifyMicroseconds = noted.timing.verifyMicroseconds
        record.totalMicroseconds = noted.timing.totalMicroseconds
        return record
    }
}
