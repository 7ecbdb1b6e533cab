internal import SQL

/// Goes through the identifiers of one column, and finds those that have a tombstone. A tombstone has a hash alone, so that
/// every identifier must be hashed.
struct EntombedSearch {
    let page: SQLText
    let begin: SQLValue
    let subject: @Sendable (String) -> ErasureSubject

    /// The columns with identifiers of subscriptions. Those of notifications without a known subscription are in no column.
    static let subscriptions: [EntombedSearch] =
        [
            ids("transactions", "original_transaction_id"), ids("renewals", "original_transaction_id"),
            ids("notifications", "original_transaction_id"),
            ids("transactions", "previous_original_transaction_id"),
            EntombedSearch(
                page:
                    "SELECT id, original_transaction_id FROM synchronizations WHERE id > ? ORDER BY id LIMIT ?",
                begin: .integer(0)
            ) { .originalTransaction($0) },
        ]

    static let downloads = ["transactions", "renewals", "notifications", "app_transactions"].map { table in
        EntombedSearch(page: distinct(table, "app_transaction_id"), begin: .text("")) { .appTransaction($0) }
    }

    private static func ids(_ table: SQLText, _ column: SQLText) -> EntombedSearch {
        EntombedSearch(page: distinct(table, column), begin: .text("")) { .originalTransaction($0) }
    }

    private static func distinct(_ table: SQLText, _ column: SQLText) -> SQLText {
        "SELECT DISTINCT " + column + ", " + column + " AS name FROM " + table + " WHERE " + column
            + " > ? ORDER BY " + column + " LIMIT ?"
    }

    /// The identifiers of a page that have a tombstone, with the time of the erasure, and the place behind the page; nil
    /// behind the last one.
    func next(after place: SQLValue, on connection: any SQLConnection) throws(SQLError) -> (
        erasures: [Erasure], next: SQLValue?
    ) {
        let rows = try connection.query(page, [place, .integer(Self.pageCount)])
        var ids: [String] = []
        for row in rows { ids.append(try row.text(1)) }
        let times = try Tombstones.times(of: ids, on: connection) { [subject($0).tombstone] }
        let erasures = times.sorted { $0.key < $1.key }.map { place, time in
            Erasure(subject: subject(ids[place]), erasedAt: time)
        }
        return (erasures, rows.count == Self.pageCount ? rows.last?.values[0] : nil)
    }

    private static let pageCount: Int64 = 1000
}

extension NotificationStore {
    /// Returns those that have a tombstone. An erasure that is under way leaves their rows for a while.
    package func entombed(_ subjects: Set<ErasureSubject>) throws(NotificationStoreError) -> Set<
        ErasureSubject
    > {
        let asked = Array(subjects)
        return try perform { connection throws(SQLError) in
            let places = try Tombstones.places(of: asked, on: connection) { [$0.tombstone] }
            return Set(places.map { asked[$0] })
        }
    }

    /// Deletes what the store has of subscribers who have a tombstone, as ``erase(_:)`` does. After tombstones of another
    /// store were taken over (``add(_:)``), it has rows of their subscribers until then.
    package func eraseEntombed() throws(NotificationStoreError) -> ErasureReport {
        var report = ErasureReport()
        let hasTombstones = try perform { connection throws(SQLError) in
            try !connection.query("SELECT 1 FROM tombstones LIMIT 1").isEmpty
        }
        guard hasTombstones else { return report }
        var found: [String: Erasure] = [:]
        try forEachEntombed(EntombedSearch.downloads) { found[$0.subject.id] = $0 }
        let downloads = found.values.sorted { $0.subject.id < $1.subject.id }
        // The tombstones of their subscriptions come first: the rows that name them are deleted below.
        for erasure in downloads {
            let ids = try perform { connection throws(SQLError) in try erasure.subscriptions(on: connection) }
            try entomb(ids.sorted().map { .originalTransaction($0) }, at: erasure.erasedAt)
            report.erasedOriginalTransactionIDs.formUnion(ids)
        }
        try eraseUnassigned(&report) { rows throws(NotificationStoreError) in
            try perform { connection throws(SQLError) in
                var subjects: [[TombstoneSubject]] = []
                for row in rows { subjects.append(try Erasure.subjects(ofUnassigned: row)) }
                return try Tombstones.places(of: subjects, on: connection) { $0 }.sorted()
            }
        }
        try forEachEntombed(EntombedSearch.subscriptions) { erasure throws(NotificationStoreError) in
            try deleteRows(of: erasure, &report)
        }
        for erasure in downloads { try deleteRows(of: erasure, &report) }
        report.linkedOriginalTransactionIDs.subtract(report.erasedOriginalTransactionIDs)
        report.linkedAppTransactionIDs.subtract(found.keys)
        return report
    }

    private func forEachEntombed(
        _ searches: [EntombedSearch], _ body: (Erasure) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        for search in searches {
            var place: SQLValue? = search.begin
            while let begin = place {
                let page = try perform { connection throws(SQLError) in
                    try search.next(after: begin, on: connection)
                }
                for erasure in page.erasures { try body(erasure) }
                place = page.next
            }
        }
    }
}
