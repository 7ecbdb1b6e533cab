internal import Vocabulary

public enum HistoryValue: Sendable, Hashable {
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// Milliseconds since 1970.
    case date(Int64)
    case string(String)

    /// Two are equal when they are the same in the facts file, which has the bytes of texts.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }
}

/// Why a fact is missing.
public enum MissingReason: String, Sendable, Hashable, CaseIterable {
    /// No transaction of the subscription is in the store.
    case noTransaction = "no-transaction"
    /// No renewal info is in the store, or none from the running period.
    case noRenewalInfo = "no-renewal-info"
    /// No payload shows the state.
    case noStatus = "no-status"
    /// Apple's payload has no such value.
    case noValue = "no-value"
    /// Apple's payload has a value that does not fit its column.
    case unfitValue = "unfit-value"
    /// Apple's payload has a value that this version does not know.
    case unknownValue = "unknown-value"
    /// The known period has ended, and nothing says what came afterwards.
    case ended = "ended"
    /// Periods may be missing.
    case historyIncomplete = "history-incomplete"
    /// Notifications may be missing.
    case eventsIncomplete = "events-incomplete"
    /// A paid period has no price.
    case noPrice = "no-price"
    /// There was no such event.
    case neverHappened = "never-happened"
    /// Seats of the period were added or refunded, and no payload says how many there are now.
    case seatsChanged = "seats-changed"

    /// What the reason says to a person.
    public var text: String {
        switch self {
        case .noTransaction: "no transaction of the subscription is in the store"
        case .noRenewalInfo: "no renewal info of the running period is in the store"
        case .noStatus: "no payload shows the state"
        case .noValue: "Apple's payload has no such value"
        case .unfitValue: "Apple's payload has a value that the store cannot keep"
        case .unknownValue: "Apple's payload has a value that this version does not know"
        case .ended: "the known period has ended, and nothing says what came afterwards"
        case .historyIncomplete: "periods may be missing; `retentionctl subscriptions sync` brings them"
        case .eventsIncomplete:
            "notifications may be missing; `retentionctl notifications recover` brings them"
        case .noPrice: "a paid period has no price"
        case .neverHappened: "there was no such event"
        case .seatsChanged:
            "seats of the period were added or refunded, and no payload says how many there are now"
        }
    }
}

/// A fact about a subscriber at a time: its value, or why it is missing; and the payloads from which that follows.
public struct FactStatement: Sendable, Hashable {
    public let fact: SubscriberFact
    /// The value; nil when the fact is missing.
    public let value: HistoryValue?
    /// Why the fact is missing; nil when it has a value.
    public let reason: MissingReason?
    /// The payloads from which the value follows, in order.
    public let evidence: [Evidence]

    static func known(_ fact: SubscriberFact, _ value: HistoryValue, _ evidence: [Evidence]) -> Self {
        Self(fact: fact, value: value, reason: nil, evidence: evidence)
    }

    static func missing(_ fact: SubscriberFact, _ reason: MissingReason) -> Self {
        Self(fact: fact, value: nil, reason: reason, evidence: [])
    }
}
