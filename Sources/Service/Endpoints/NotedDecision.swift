internal import Cryptography
internal import DataFiles
internal import Decisions
internal import OfferSigning
internal import SignedPayloads
internal import Telemetry
internal import Vocabulary

/// What the record of one decision is made of. It keeps no signature and no nonce.
struct NotedDecision {
    /// The message that is served.
    struct Served: Equatable {
        let kind: OutcomeKind
        let messageIdentifier: UUID
        let offerIdentifier: String?

        init(_ outcome: SignedOutcome) {
            kind = outcome.kind
            messageIdentifier = outcome.messageIdentifier
            if case .offer(let offer, _) = outcome.content {
                offerIdentifier = offer.offerIdentifier
            } else {
                offerIdentifier = nil
            }
        }
    }

    let decision: Decision
    /// What is served; nil when nothing is served.
    let served: Served?
    let asked: RealtimeRequest
    let rules: RulesFile
    /// The number of the record. It is taken with the decision, so that a record which a dying worker never writes leaves a gap
    /// in the numbers.
    let sequence: UInt64
    let nowMilliseconds: Int64
    let timing: RequestTiming

    /// Makes the record with what it says about the request. What it says about the decision is left out.
    func requestRecord(by instance: String, _ pseudonyms: SubscriberPseudonyms) -> DecisionRecord {
        var record = DecisionRecord(
            timeMilliseconds: nowMilliseconds,
            signedDateMilliseconds: asked.signedDate,
            instance: instance,
            sequence: sequence,
            requestIdentifier: asked.requestIdentifier,
            // Where libcrypto fails there is no pseudonym; the record is useful without it.
            subscriber: (try? pseudonyms.pseudonym(of: asked.originalTransactionId)) ?? "",
            appAppleId: asked.appAppleId,
            environment: asked.environment,
            productId: asked.productId,
            userLocale: asked.userLocale,
            reason: decision.reason.rawValue,
            generation: rules.header.generation
        )
        record.verifyMicroseconds = timing.verifyMicroseconds
        record.totalMicroseconds = timing.totalMicroseconds
        return record
    }

    /// Adds what the record says about the decision.
    func complete(_ record: inout DecisionRecord) {
        record.rule = decision.ruleID(in: rules)
        record.arm = decision.armName(in: rules)
        record.served = served.map { served in
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
    }
}
