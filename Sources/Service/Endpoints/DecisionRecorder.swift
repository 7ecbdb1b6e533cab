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
/// Records are made and written after the answers they belong to: ``note(_:)`` keeps what they are made of.
public final class DecisionRecorder {
    /// What a record is made of.
    struct Noted {
        let decision: Decision
        /// What is served for it; nil for nothing.
        let outcome: SignedOutcome?
        let asked: RealtimeRequest
        let rules: RulesFile
        let nowMilliseconds: Int64
        let timing: RequestTiming
        /// The number of the record: taken when the decision is made, so that a record which a dying worker never writes
        /// is a gap.
        var sequence: UInt64 = 0
    }

    /// More than the answers of one turn; a worker that answers more writes in between.
    private static let notedLimit = 64

    private let log: DecisionLog
    private let counters: SharedCounters
    private let instance: String
    private let pseudonyms: SubscriberPseudonyms
    private var noted: [Noted] = []
    /// Whether a record was dropped that the log does not tell of yet.
    private var hasDropped = false

    /// Records what a generation decides; nil when its configuration names no file.
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

    /// Whether the file is open.
    public var isOpen: Bool { log.isOpen }

    /// Opens the file anew, after it was given another name.
    ///
    /// - Throws: why that failed; the file that was open is written on.
    public func reopen() throws(SystemCallError) {
        flush()
        try log.reopen()
    }

    /// Whether the log should say now that records are dropped: at the first one, and once a minute while it goes on.
    func shouldTellOfDrops() -> Bool {
        guard hasDropped else { return false }
        hasDropped = false
        return log.mayTellOfDrops(atNanoseconds: Clock.monotonicNanoseconds())
    }

    /// Keeps what was decided until its answer is out.
    func note(_ decided: Noted) {
        var decided = decided
        decided.sequence = counters.takeSequence()
        noted.append(decided)
        if noted.count >= Self.notedLimit { flush() }
    }

    /// Writes what was noted since the last call.
    func flush() {
        for decided in noted where !log.write(record(of: decided)) { hasDropped = true }
        noted.removeAll(keepingCapacity: true)
    }

    private func record(of noted: Noted) -> DecisionRecord {
        let (decision, asked, rules) = (noted.decision, noted.asked, noted.rules)
        // Without libcrypto there is no name to write; the record is of use all the same.
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
        record.served = noted.outcome.map { Self.served($0, decision, rules) }
        let assigned = decision.assigned.map { draw in
            DecisionRecord.Assigned(
                rule: draw.ruleID(in: rules),
                arm: draw.armName(in: rules),
                step: draw.step.rawValue
            )
        }
        // What was drawn for one who is held out was drawn in the shadow.
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

    private static func served(
        _ outcome: SignedOutcome,
        _ decision: Decision,
        _ rules: RulesFile
    ) -> DecisionRecord.Served {
        var served = DecisionRecord.Served(
            kind: outcome.kind.name,
            message: decision.messageName(in: rules),
            messageIdentifier: outcome.messageIdentifier,
            locale: decision.localeUsed(in: rules)
        )
        if case .offer(let offer, _) = outcome.content { served.offerIdentifier = offer.offerIdentifier }
        return served
    }
}
