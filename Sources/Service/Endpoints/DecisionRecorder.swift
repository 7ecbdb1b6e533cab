internal import Configuration
internal import DataFiles
internal import Decisions
public import Loader
internal import SignedPayloads
internal import System
public import Telemetry

/// Writes a record of every decision into the file that `log.decisions` names. Belongs to one thread.
public final class DecisionRecorder {
    private let log: DecisionLog
    private let pseudonyms: SubscriberPseudonyms

    /// Records what a generation decides; nil when its configuration names no file.
    public init?(_ generation: Generation, _ counters: SharedCounters) {
        guard let path = generation.configuration.log.decisions, let key = generation.manifest.identifierKey
        else { return nil }
        log = DecisionLog(path: path, counters: counters)
        pseudonyms = SubscriberPseudonyms(key: key)
    }

    /// Whether the file is open.
    public var isOpen: Bool { log.isOpen }

    /// Opens the file anew, after it was given another name.
    public func reopen() { log.reopen() }

    /// Writes what was noted since the last call.
    func flush() { log.flush() }

    /// Notes what `asked` got.
    func note(
        _ decision: Decision,
        for asked: RealtimeRequest,
        by rules: RulesFile,
        nowMilliseconds: Int64,
        verifyMicroseconds: UInt64,
        totalMicroseconds: UInt64
    ) {
        // Without libcrypto there is no name to write; the record is of use all the same.
        let subscriber = pseudonyms.pseudonym(of: asked.originalTransactionId) ?? ""
        var record = DecisionRecord(
            timeMilliseconds: nowMilliseconds,
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
        record.served = Self.served(decision, rules)
        record.shadow = decision.shadow.map { shadow in
            DecisionRecord.Shadow(
                reason: shadow.reason.rawValue,
                rule: shadow.ruleID(in: rules),
                arm: shadow.armName(in: rules),
                message: shadow.messageName(in: rules)
            )
        }
        record.verifyMicroseconds = verifyMicroseconds
        record.totalMicroseconds = totalMicroseconds
        log.note(record)
    }

    private static func served(_ decision: Decision, _ rules: RulesFile) -> DecisionRecord.Served? {
        guard case .serve(let kind, let identifier, let outcome) = decision.outcome else { return nil }
        var served = DecisionRecord.Served(
            kind: Self.name(of: kind),
            message: decision.messageName(in: rules),
            messageIdentifier: identifier,
            locale: decision.localeUsed(in: rules)
        )
        if case .offer(_, _, let offer)? = rules.outcome(at: outcome) { served.offerIdentifier = offer }
        return served
    }

    /// The word of the rules language.
    private static func name(of kind: OutcomeKind) -> String {
        switch kind {
        case .nothing: "none"
        case .message: "message"
        case .switch: "switch"
        case .offer: "offer"
        case .advancedCommerce: "advancedCommerce"
        }
    }
}
