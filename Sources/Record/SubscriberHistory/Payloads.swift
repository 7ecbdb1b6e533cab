internal import Cryptography
package import NotificationStore

/// A class, because a story orders and chooses payloads again and again, and the values are dozens.
package final class HistoryPayload<Columns: ColumnSet>: Sendable, Hashable {
    package let evidence: Evidence
    package let columns: Columns
    /// The names of the columns whose values did not fit. Their values are unknown, not absent.
    package let unfit: Set<String>

    package init(_ evidence: Evidence, _ columns: Columns, unfit: Set<String> = []) {
        (self.evidence, self.columns, self.unfit) = (evidence, columns, unfit)
    }

    package var signedAt: Int64 { evidence.signedAt }

    package static func == (left: HistoryPayload, right: HistoryPayload) -> Bool {
        left === right
            || left.evidence == right.evidence && left.unfit == right.unfit && left.columns == right.columns
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(evidence) }
}

package struct SubscriberPayloads: Sendable, Hashable {
    package var transactions: [HistoryPayload<TransactionColumns>] = []
    package var renewals: [HistoryPayload<RenewalColumns>] = []
    package var notifications: [HistoryPayload<NotificationColumns>] = []
    package var renewalOfNotification: [String: String] = [:]
    package var announced: Set<String> = []
    /// By the original transaction identifier: that of this subscription, and those before it moved to Advanced
    /// Commerce.
    package var syncedAt: [String: Int64] = [:]
    /// The ranges of time for which every notification of Apple's history is in the store, the earliest first.
    package var covered: [TimeRange] = []

    package init() {}

    package var newest: Int64? {
        let times = transactions.map(\.signedAt) + renewals.map(\.signedAt) + notifications.map(\.signedAt)
        return times.max()
    }
}

/// Ordered by the time of signing, then by name, so the order never depends on the order of arrival.
package struct Evidence: Sendable, Hashable, Comparable {
    /// The kinds of evidence, in the order in which the kinds decide between equal times: the last one says most.
    package enum Kind: String, Sendable, Hashable, CaseIterable { case transaction, renewal, notification }

    package let signedAt: Int64
    package let kind: Kind
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

/// Reads what the store has of subscribers: the payloads of each, with those from before a move to Advanced Commerce.
///
/// An erasure may delete rows meanwhile. It leaves its tombstone first, and tombstones are looked for after rows were read, so that
/// nothing is taken for a history of which half is gone.
package struct StoredHistories {
    private let store: NotificationStore
    private let app: String
    private let environment: String
    private let covered: [TimeRange]

    package init(_ store: NotificationStore, app: String, environment: String) throws(NotificationStoreError)
    {
        self.store = store
        self.app = app
        self.environment = environment
        covered = try store.coverage(app: app, environment: environment).map(\.range)
    }

    package func page(after: String?) throws(NotificationStoreError) -> (
        subscribers: [SubscriberRows], next: String?
    ) {
        let page = try store.subscribers(after: after, app: app, environment: environment)
        return (try withoutErased(page.rows), page.next)
    }

    package func payloads(of id: String) throws(NotificationStoreError) -> SubscriberPayloads? {
        guard let rows = try rows(of: [id]).first else { return nil }
        return try payloads(rows)
    }

    /// Returns what is known of some subscribers. Those of whom nothing is there, or too much, are missing.
    package func payloads(of ids: [String]) throws(NotificationStoreError) -> [String: SubscriberPayloads] {
        var found: [String: SubscriberPayloads] = [:]
        for rows in try rows(of: ids) where !rows.hasTooMany {
            do throws(NotificationStoreError) {
                found[rows.originalTransactionID] = try payloads(rows)
            } catch .tooManyRows {
                continue
            }
        }
        return found
    }

    package func payloads(_ rows: SubscriberRows) throws(NotificationStoreError) -> SubscriberPayloads {
        if rows.hasTooMany { throw .tooManyRows }
        var previous: [SubscriberRows] = []
        var count = rows.count
        var known: Set = [rows.originalTransactionID]
        var next = rows.previousIDs
        while !next.isEmpty, known.count < Self.longestChain {
            let ids = next.subtracting(known).sorted()
            known.formUnion(ids)
            next = []
            for rows in try self.rows(of: Array(ids.prefix(Self.longestChain))) {
                count += rows.count
                if rows.hasTooMany || count > Self.greatestRowCount { throw .tooManyRows }
                previous.append(rows)
                next.formUnion(rows.previousIDs)
            }
        }
        return SubscriberPayloads(rows, previous: previous, covered: covered)
    }

    private static let longestChain = 16
    private static let greatestRowCount = 3 * NotificationStore.subscriberRowCount

    private func rows(of ids: [String]) throws(NotificationStoreError) -> [SubscriberRows] {
        try withoutErased(store.subscribers(ids, app: app, environment: environment))
    }

    private func withoutErased(_ all: [SubscriberRows]) throws(NotificationStoreError) -> [SubscriberRows] {
        let gone = try store.entombed(
            all.reduce(into: Set<ErasureSubject>()) { $0.formUnion(Self.subjects($1)) })
        return gone.isEmpty ? all : all.filter { Self.subjects($0).allSatisfy { !gone.contains($0) } }
    }

    private static func subjects(_ rows: SubscriberRows) -> [ErasureSubject] {
        [.originalTransaction(rows.originalTransactionID)] + rows.downloads.map { .appTransaction($0) }
    }
}

extension SubscriberPayloads {
    package init(_ rows: SubscriberRows, previous: [SubscriberRows] = [], covered: [TimeRange] = []) {
        self.init()
        for rows in [rows] + previous { add(rows) }
        self.covered = covered
    }

    private mutating func add(_ rows: SubscriberRows) {
        syncedAt[rows.originalTransactionID] = rows.synchronizedAt
        for row in rows.transactions {
            guard let signedAt = row.columns.signedAt else { continue }
            let evidence = Evidence(.transaction, Hexadecimal.encode(row.digest.span), signedAt: signedAt)
            transactions.append(HistoryPayload(evidence, row.columns, unfit: row.unfit))
            if row.source != StoreSource.api.rawValue { announced.insert(evidence.name) }
        }
        for row in rows.renewals {
            guard let signedAt = row.columns.signedAt else { continue }
            let evidence = Evidence(.renewal, Hexadecimal.encode(row.digest.span), signedAt: signedAt)
            renewals.append(HistoryPayload(evidence, row.columns, unfit: row.unfit))
        }
        for row in rows.notifications {
            guard let signedAt = row.columns.signedAt else { continue }
            let evidence = Evidence(.notification, row.uuid, signedAt: signedAt)
            notifications.append(HistoryPayload(evidence, row.columns, unfit: row.unfit))
            if let digest = row.renewalDigest {
                renewalOfNotification[evidence.name] = Hexadecimal.encode(digest.span)
            }
        }
    }
}
