internal import DataFiles
internal import Decisions
internal import OfferSigning
internal import SignedPayloads
internal import Vocabulary

/// What the record of one decision is made of. It keeps no signature and no nonce.
struct NotedDecision {
    /// The message that is served.
    struct Served {
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
}
