internal import NotificationStore

/// Reads everything that a store has, page by page, in an order in which another store can take it over.
struct StoreReading {
    let store: NotificationStore
    /// The rows whose JWS cannot be rebuilt.
    private(set) var damaged: [(kind: StoredJWS.Kind, id: Int64)] = []

    init(_ store: NotificationStore) {
        self.store = store
    }

    /// Calls `body` for each record. What is stored meanwhile may be among them or not.
    mutating func forEach(_ body: (StoreRecord) throws -> Void) throws {
        // First, so that no range is promised whose notifications were read before they were stored.
        let coverage = try coverage()
        let cursors = try cursors()
        let synchronized = try synchronizations()
        try body(.format(version: StoreRecord.formatVersion))
        try tombstones(body)
        // Parts come before the notifications that have them, so that they keep their own source and time of receipt.
        for kind in [StoredJWS.Kind.transaction, .renewal, .appTransaction, .notification] {
            try forEachJWS(kind, body)
        }
        // A row that is left out may be one on which a promise relies. A place of forwarding promises nothing about it.
        let rest = damaged.isEmpty ? coverage + synchronized + cursors : cursors.filter(\.isForwardPlace)
        for record in rest { try body(record) }
    }

    private func coverage() throws -> [StoreRecord] {
        try store.coveredApps().flatMap { place in
            try store.coverage(app: place.app, environment: place.environment).map {
                .coverage(app: place.app, environment: place.environment, $0.range, finishedAt: $0.finishedAt)
            }
        }
    }

    private func synchronizations() throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        var after: Int64 = 0
        while true {
            let page = try store.synchronizations(after: after)
            records += page.rows.map {
                .synchronization(
                    originalTransactionID: $0.originalTransactionID, app: $0.app, environment: $0.environment,
                    at: $0.at)
            }
            guard let next = page.next else { return records }
            after = next
        }
    }

    private func cursors() throws -> [StoreRecord] {
        try store.cursorNames().compactMap { name in
            guard let cursor = try store.cursor(named: name) else { return nil }
            guard name.hasPrefix(StoreCursor.forwardPrefix) else {
                return .cursor(name: name, cursor, last: nil)
            }
            let page = StorePage(.descending, after: cursor.position + 1, count: 1)
            let row = try store.notifications(NotificationFilter(), page).rows.first
            let last = row.map {
                StoredNotification.Identity(app: $0.app, environment: $0.environment, uuid: $0.uuid)
            }
            // Nothing up to the position is left: the position says nothing about another store.
            return .cursor(name: name, StoreCursor(position: 0, detail: cursor.detail), last: last)
        }
    }

    private func tombstones(_ body: (StoreRecord) throws -> Void) throws {
        var page = try store.tombstones()
        for key in page.keys { try body(.tombstoneKey(key)) }
        while let last = page.entries.last {
            for entry in page.entries { try body(.tombstone(hash: entry.hash, erasedAt: entry.erasedAt)) }
            page = try store.tombstones(after: last.hash)
        }
    }

    private mutating func forEachJWS(_ kind: StoredJWS.Kind, _ body: (StoreRecord) throws -> Void) throws {
        var after: Int64? = 0
        while let place = after {
            let page = try store.jws(kind, after: place)
            for row in page.rows {
                guard let jws = row.jws else {
                    damaged.append((kind, row.id))
                    continue
                }
                try body(
                    .jws(
                        StoreRecordJWS(
                            kind: kind, jws: jws, place: (row.app, row.environment),
                            source: StoreSource(rawValue: row.source) ?? .import, receivedAt: row.receivedAt)
                    )
                )
            }
            after = page.next
        }
    }
}
