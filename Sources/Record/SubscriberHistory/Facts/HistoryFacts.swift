internal import NotificationStore

/// Every fact about one subscriber at a time.
///
/// The facts depend on the payloads that Apple had signed by then and on nothing else: not on the order in which they came,
/// not on how often, and not on a clock.
///
///     let facts = HistoryFacts(payloads, now: 1_767_225_600_000)
///     let trial = facts[.inTrial].value
public struct HistoryFacts: Sendable, Hashable {
    /// The types of notifications from which facts follow, and not only from the parts in them; `A.B` stands for type A with
    /// subtype B alone. Without older notifications of other types the facts are the same.
    public static let neededTypes: Set = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF.INCREASE_QUANTITY", "DID_CHANGE_RENEWAL_STATUS",
        "DID_FAIL_TO_RENEW", "DID_RENEW.BILLING_RECOVERY",
        "EXPIRED",
        "GRACE_PERIOD_EXPIRED", "OFFER_REDEEMED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE",
        "SUBSCRIBED",
    ]

    /// The values of a notification's status that this program knows. Nothing else shows one that it does not know, so such a
    /// notification is needed, too.
    public static let knownStatuses = Set(SubscriptionStatus.allCases.map(\.rawValue))

    /// One statement for each fact, in the order of ``SubscriberFact``.
    public let statements: [FactStatement]

    /// Derives the facts at `now`, milliseconds since 1970.
    ///
    /// - Parameters:
    ///   - payloads: the payloads of the subscriber.
    ///   - now: the time.
    ///   - listsEvidence: false when nobody asks from which payloads the facts follow.
    public init(_ payloads: SubscriberPayloads, now: Int64, listsEvidence: Bool = true) {
        statements = FactDerivation(Story(payloads, now: now), listsEvidence: listsEvidence).statements
    }

    /// The statement about a fact.
    public subscript(fact: SubscriberFact) -> FactStatement {
        statements[fact.rawValue]
    }
}
