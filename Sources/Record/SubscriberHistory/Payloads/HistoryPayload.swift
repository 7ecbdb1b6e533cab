package import NotificationStore

/// A verified payload of one subscriber: the values of its columns, and where they come from.
///
/// It is a class, because a story orders and chooses payloads again and again, and the values are dozens.
package final class HistoryPayload<Columns: ColumnSet>: Sendable, Hashable {
    package let evidence: Evidence
    package let columns: Columns
    /// The names of the columns whose values did not fit. Their values are unknown, not absent.
    package let unfit: Set<String>

    package init(_ evidence: Evidence, _ columns: Columns, unfit: Set<String> = []) {
        (self.evidence, self.columns, self.unfit) = (evidence, columns, unfit)
    }

    /// `signedDate`, milliseconds since 1970.
    package var signedAt: Int64 { evidence.signedAt }

    package static func == (left: HistoryPayload, right: HistoryPayload) -> Bool {
        left === right
            || left.evidence == right.evidence && left.unfit == right.unfit && left.columns == right.columns
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(evidence) }
}

/// All verified payloads of one subscriber, in any order and with any repetition.
package struct SubscriberPayloads: Sendable, Hashable {
    package var transactions: [HistoryPayload<TransactionColumns>] = []
    package var renewals: [HistoryPayload<RenewalColumns>] = []
    package var notifications: [HistoryPayload<NotificationColumns>] = []
    /// The renewal info of a notification: its name by the name of the notification.
    package var renewalOfNotification: [String: String] = [:]
    /// The names of the transactions that came in a notification. The store keeps them when it deletes old notifications.
    package var announced: Set<String> = []
    /// The times up to which Apple's server gave the whole transaction history of a subscription, milliseconds since 1970, by
    /// the original transaction identifier: that of this subscription, and those that it had before it moved to Advanced
    /// Commerce.
    package var syncedAt: [String: Int64] = [:]
    /// The ranges of time for which every notification of Apple's history is in the store, the earliest first.
    package var covered: [TimeRange] = []

    package init() {}

    /// The latest time at which one of the payloads was signed; nil when there is none.
    package var newest: Int64? {
        let times = transactions.map(\.signedAt) + renewals.map(\.signedAt) + notifications.map(\.signedAt)
        return times.max()
    }
}

/// A payload from which a fact follows: its kind, and how to find it in the store.
///
/// Payloads are ordered by the time at which Apple signed them. Their names decide between equal times, so the order never
/// depends on the order of arrival.
package struct Evidence: Sendable, Hashable, Comparable {
    /// The kinds of evidence, in the order in which the kinds decide between equal times: the last one says most.
    package enum Kind: String, Sendable, Hashable, CaseIterable { case transaction, renewal, notification }

    package let signedAt: Int64
    package let kind: Kind
    /// The name of the payload in the store: `notificationUUID`, or the digest of the JWS in hexadecimal digits.
    package let name: String

    package init(_ kind: Kind, _ name: String, signedAt: Int64) {
        self.signedAt = signedAt
        self.kind = kind
        self.name = name
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        if left.kind != right.kind { return left.kind.rank < right.kind.rank }
        return left.name < right.name
    }
}

extension Evidence.Kind {
    fileprivate var rank: Int { self == .transaction ? 0 : self == .renewal ? 1 : 2 }
}
