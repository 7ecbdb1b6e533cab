internal import DataFiles
internal import Decisions
internal import OfferSigning
internal import SignedPayloads
internal import Vocabulary

/// What the record of one decision is made of. It is small, because many wait for their records while answers follow each
/// other quickly. It keeps no signature and no nonce.
struct NotedDecision {
    /// The draws and the shadow of a decision. Few decisions have any.
    final class Draws {
        let assigned: Assignments
        let shadow: Shadow?
        let isHeldOut: Bool

        /// Nil for a decision without draws and shadow.
        init?(_ decision: Decision) {
            guard decision.shadow != nil || !decision.assigned.isEmpty else { return nil }
            assigned = decision.assigned
            shadow = decision.shadow
            isHeldOut = decision.isHeldOut
        }
    }

    /// The message that is served.
    struct Served {
        let kind: OutcomeKind
        let messageIdentifier: UUID
        let offerIdentifier: String?
    }

    /// The number of the record. It is taken with the decision, so that a record which a dying worker never writes leaves a gap
    /// in the numbers.
    let sequence: UInt64
    let nowMilliseconds: Int64
    let verifyMicroseconds: UInt64
    let totalMicroseconds: UInt64
    let asked: RealtimeRequest
    let rules: RulesFile
    let reason: DecisionReason
    /// What is served; nil when nothing is served.
    let served: Served?
    private let ruleIndex: Int32?
    private let armIndex: Int32?
    private let messageIndex: Int32?
    private let locale: EntryReference
    let draws: Draws?

    init(
        _ decision: Decision,
        serving outcome: SignedOutcome?,
        to asked: RealtimeRequest,
        by rules: RulesFile,
        sequence: UInt64,
        nowMilliseconds: Int64,
        timing: RequestTiming
    ) {
        self.sequence = sequence
        self.nowMilliseconds = nowMilliseconds
        verifyMicroseconds = timing.verifyMicroseconds
        totalMicroseconds = timing.totalMicroseconds
        self.asked = asked
        self.rules = rules
        reason = decision.reason
        served = outcome.map { outcome in
            var offerIdentifier: String?
            if case .offer(let offer, _) = outcome.content { offerIdentifier = offer.offerIdentifier }
            return Served(
                kind: outcome.kind,
                messageIdentifier: outcome.messageIdentifier,
                offerIdentifier: offerIdentifier
            )
        }
        ruleIndex = decision.ruleIndex.map { Int32(truncatingIfNeeded: $0) }
        armIndex = decision.armIndex.map { Int32(truncatingIfNeeded: $0) }
        messageIndex = decision.messageIndex.map { Int32(truncatingIfNeeded: $0) }
        locale = decision.locale
        draws = Draws(decision)
    }

    /// The id of the rule that matched.
    var ruleID: String? { ruleIndex.flatMap { rules.ruleID(at: Int($0)) } }

    /// The name of the arm of that rule.
    var armName: String? {
        guard let ruleIndex, let armIndex else { return nil }
        return rules.armName(at: Int(armIndex), ofRule: Int(ruleIndex))
    }

    /// The name of the message that is served.
    var messageName: String? { messageIndex.flatMap { rules.messageName(at: Int($0)) } }

    /// The locale whose message is served.
    var localeUsed: String? { locale.isNone ? nil : rules.string(locale) }
}
