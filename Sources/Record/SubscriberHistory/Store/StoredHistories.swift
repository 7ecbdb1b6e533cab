public import NotificationStore

/// Reads what the store has of subscribers: the payloads of each, with those from before a move to Advanced Commerce.
///
/// An erasure may delete rows meanwhile. It leaves its tombstone first, and tombstones are looked for after rows were read, so that
/// nothing is taken for a history of which half is gone.
///
///     let histories = try StoredHistories(store, app: "com.example.app", environment: "Production")
///     let page = try histories.page(after: nil)
public struct StoredHistories {
    private let store: NotificationStore
    private let app: String
    private let environment: String
    /// The ranges of time for which every notification is in the store.
    private let covered: [TimeRange]

    /// Subscribers that follow each other.
    public struct Page: Sendable {
        public let subscribers: [SubscriberRows]
        /// The identifier behind which the next page begins; nil when there is no next page.
        public let next: String?
    }

    /// Makes a reader for an app in an environment.
    ///
    /// - Throws: the errors of the store.
    public init(_ store: NotificationStore, app: String, environment: String) throws(NotificationStoreError) {
        self.store = store
        self.app = app
        self.environment = environment
        covered = try store.coverage(app: app, environment: environment).map(\.range)
    }

    /// Reads the next subscribers, in the order of their identifiers.
    ///
    /// - Parameter after: the identifier behind which the page begins; nil for the first page.
    /// - Returns: the page.
    /// - Throws: the errors of the store.
    public func page(after: String?) throws(NotificationStoreError) -> Page {
        let page = try store.subscribers(after: after, app: app, environment: environment)
        return Page(subscribers: try withoutErased(page.rows), next: page.next)
    }

    /// The payloads of one subscriber; nil when there is none.
    ///
    /// - Throws: `store.too-many-rows`, and the errors of the store.
    public func payloads(of id: String) throws(NotificationStoreError) -> SubscriberPayloads? {
        guard let rows = try rows(of: [id]).first else { return nil }
        return try payloads(rows)
    }

    /// The payloads of a subscriber of a page, with those of the subscriptions from which it moved to Advanced Commerce.
    ///
    /// - Throws: `store.too-many-rows` when there are more than a customer can have, as those of a test account or of a mistake:
    ///   nothing follows from some of the rows alone. And the errors of the store.
    public func payloads(_ rows: SubscriberRows) throws(NotificationStoreError) -> SubscriberPayloads {
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

    /// Reads the rows of subscriptions. Those without rows are left out.
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
        let gone = try store.entombed(Set(all.map(\.originalTransactionID)))
        let downloads = try store.entombed(downloads: all.reduce(into: []) { $0.formUnion($1.downloads) })
        guard !gone.isEmpty || !downloads.isEmpty else { return all }
        return all.filter { rows in
            !gone.contains(rows.originalTransactionID) && rows.downloads.isDisjoint(with: downloads)
        }
    }
}
