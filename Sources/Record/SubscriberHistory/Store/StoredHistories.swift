internal import Cryptography
package import NotificationStore

/// Reads what the store has of subscribers: the payloads of each, with those from before a move to Advanced Commerce.
///
/// An erasure may delete rows meanwhile. It leaves its tombstone first, and tombstones are looked for after rows were read, so that
/// nothing is taken for a history of which half is gone.
package struct StoredHistories {
    private let store: NotificationStore
    private let app: String
    private let environment: String
    private let covered: [TimeRange]

    package struct Page: Sendable {
        package let subscribers: [SubscriberRows]
        package let next: String?
    }

    package init(_ store: NotificationStore, app: String, environment: String) throws(NotificationStoreError)
    {
        self.store = store
        self.app = app
        self.environment = environment
        covered = try store.coverage(app: app, environment: environment).map(\.range)
    }

    package func page(after: String?) throws(NotificationStoreError) -> Page {
        let page = try store.subscribers(after: after, app: app, environment: environment)
        return Page(subscribers: try withoutErased(page.rows), next: page.next)
    }

    /// The payloads of one subscriber; nil when there is none.
    package func payloads(of id: String) throws(NotificationStoreError) -> SubscriberPayloads? {
        guard let rows = try rows(of: [id]).first else { return nil }
        return try payloads(rows)
    }

    /// The payloads of a subscriber of a page, with those of the subscriptions from which it moved to Advanced Commerce.
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

    /// The most subscriptions whose rows make one history.
    private static let longestChain = 16
    /// The most rows of a history.
    private static let greatestRowCount = 3 * NotificationStore.subscriberRowCount

    private func rows(of ids: [String]) throws(NotificationStoreError) -> [SubscriberRows] {
        var found: [SubscriberRows] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let page = try store.subscribers(Array(rest), app: app, environment: environment)
            found += rest.prefix(page.readCount).compactMap { page.rows[$0] }
            rest = rest.dropFirst(page.readCount)
        }
        return try withoutErased(found)
    }

    /// Leaves out the subscriptions that are erased, and those of erased downloads.
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
        transactions.reserveCapacity(transactions.count + rows.transactions.count)
        renewals.reserveCapacity(renewals.count + rows.renewals.count)
        notifications.reserveCapacity(notifications.count + rows.notifications.count)
        announced.reserveCapacity(announced.count + rows.transactions.count)
        renewalOfNotification.reserveCapacity(renewalOfNotification.count + rows.notifications.count)
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
