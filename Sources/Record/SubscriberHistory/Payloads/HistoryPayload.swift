public import NotificationStore

/// A verified payload of one subscriber: the values of its columns, and where they come from.
///
/// A copy is a reference to the same memory, because a story orders and chooses payloads again and again.
public struct HistoryPayload<Columns: ColumnSet>: Sendable, Hashable {
    private let content: Content

    private final class Content: Sendable, Hashable {
        let evidence: Evidence
        let unfit: Set<String>
        let values: StoredColumns<Columns>

        init(_ evidence: Evidence, _ values: StoredColumns<Columns>, _ unfit: Set<String>) {
            (self.evidence, self.values, self.unfit) = (evidence, values, unfit)
        }

        static func == (left: Content, right: Content) -> Bool {
            if left === right { return true }
            return left.evidence == right.evidence && left.unfit == right.unfit
                && left.values == right.values
        }

        func hash(into hasher: inout Hasher) { hasher.combine(evidence) }
    }

    public init(_ evidence: Evidence, _ columns: Columns, unfit: Set<String> = []) {
        self.init(evidence, StoredColumns(columns), unfit: unfit)
    }

    public init(_ evidence: Evidence, _ values: StoredColumns<Columns>, unfit: Set<String>) {
        content = Content(evidence, values, unfit)
    }

    /// The payload in the store.
    public var evidence: Evidence { content.evidence }

    /// The names of the columns whose values did not fit. Their values are unknown, not absent.
    public var unfit: Set<String> { content.unfit }

    public var columns: Columns { content.values.columns }

    /// `signedDate`, milliseconds since 1970.
    public var signedAt: Int64 { content.evidence.signedAt }
}

/// All verified payloads of one subscriber, in any order and with any repetition.
public struct SubscriberPayloads: Sendable, Hashable {
    public var transactions: [HistoryPayload<TransactionColumns>] = []
    /// The renewal infos.
    public var renewals: [HistoryPayload<RenewalColumns>] = []
    public var notifications: [HistoryPayload<NotificationColumns>] = []
    /// The renewal info of a notification: its name by the name of the notification.
    public var renewalOfNotification: [PayloadName: PayloadName] = [:]
    /// The names of the transactions that came in a notification. The store keeps them when it deletes old notifications.
    public var announced: Set<PayloadName> = []
    /// The times up to which Apple's server gave the whole transaction history of a subscription, milliseconds since 1970, by
    /// the original transaction identifier: that of this subscription, and those that it had before it moved to Advanced
    /// Commerce.
    public var syncedAt: [String: Int64] = [:]
    /// The ranges of time for which every notification of Apple's history is in the store, the earliest first.
    public var covered: [TimeRange] = []

    public init() {}

    /// The latest time at which one of the payloads was signed; nil when there is none.
    public var newest: Int64? {
        let times = transactions.map(\.signedAt) + renewals.map(\.signedAt) + notifications.map(\.signedAt)
        return times.max()
    }
}
