internal import SQL
internal import System

extension NotificationStore {
    /// Deletes every row that belongs to a subscriber, and leaves a tombstone, so that nothing of the subscriber is stored
    /// again: neither by a retry of Apple nor from Apple's history, an answer of the API or an import.
    ///
    /// A subscription that goes on under another identifier since a move to Advanced Commerce is not erased, only those of its
    /// rows that name the erased one. What Apple signs about it after the erasure is stored.
    ///
    /// With a download of the app, the subscriptions that its rows name are erased, too, each as by its own identifier.
    ///
    /// The tombstones come first, so an erasure that was interrupted is finished by erasing again. The rows are deleted in
    /// short transactions. Free parts of a SQLite file may keep the identifiers until ``compact(whileBusy:)``.
    ///
    /// - Throws: `store.bad-argument` for an empty identifier or one of more than 512 bytes.
    package func erase(_ subject: ErasureSubject) throws(NotificationStoreError) -> ErasureReport {
        guard !subject.id.isEmpty, ColumnText.fits(subject.id) else { throw .badArgument }
        let time = timing.now()
        try entomb([subject], at: time)
        var report = ErasureReport()
        if case .appTransaction(let id) = subject {
            report.erasedOriginalTransactionIDs = try perform { connection throws(SQLError) in
                try Erasure.subscriptions(ofDownload: id, on: connection)
            }
        }
        let subscriptions = report.erasedOriginalTransactionIDs.sorted().map {
            ErasureSubject.originalTransaction($0)
        }
        try entomb(subscriptions, at: time)
        let own = Erasure(subject: subject, erasedAt: time)
        let others = subscriptions.map {
            Erasure(subject: $0, erasedAt: time, keptDownload: subject.id)
        }
        try eraseUnassigned(&report) { rows throws(NotificationStoreError) in
            rows.indices.filter { place in
                (others + [own]).contains { $0.isMentioned(in: rows[place]) && !$0.isLater(rows[place]) }
            }
        }
        // The rows that name the download come last: through them, an erasure that was interrupted finds the others again.
        for other in others { try deleteRows(of: other, &report) }
        try deleteRows(of: own, &report)
        report.linkedOriginalTransactionIDs.subtract(report.erasedOriginalTransactionIDs)
        if case .appTransaction(let id) = subject { report.linkedAppTransactionIDs.remove(id) }
        return report
    }

    func entomb(_ subjects: [ErasureSubject], at time: Int64) throws(NotificationStoreError) {
        guard !subjects.isEmpty else { return }
        try change(.exclusive) { connection throws(SQLError) in
            try Tombstones.add(subjects.map(\.tombstone), at: time, on: connection)
        }
    }

    func deleteRows(of erasure: Erasure, _ report: inout ErasureReport) throws(NotificationStoreError) {
        var (rows, moves) = try perform { connection throws(SQLError) in
            let moves = try SubscriptionMoves(from: erasure.subscriptions(on: connection), on: connection)
            return (try erasure.rows(moves, on: connection), moves)
        }
        // Notifications first: those of a subscription that moved are found through their transactions.
        for table in [StoreTable.notifications, .transactions, .renewals, .appTransactions] {
            guard var rest = rows.removeValue(forKey: table)?[...] else { continue }
            try inShortTransactions { (limit, connection) throws(SQLError) in
                let some = rest.prefix(limit)
                let owners = try erasure.delete(some, from: table, &report, on: connection)
                // In the same transaction, so that no history from which rows are gone counts as whole. A move may have been
                // stored meanwhile.
                try moves.add(from: moves.ids(following: owners), on: connection)
                try Erasure.deleteSynchronizations(of: moves.followed(owners), on: connection)
                rest = rest.dropFirst(limit)
                return some.count
            }
        }
        // Also when no row was left.
        try change(.exclusive) { connection throws(SQLError) in
            try erasure.deleteOwnSynchronizations(on: connection)
        }
    }

    /// Deletes notifications without a known subscription that have texts of an erased subscriber, such as inside of a
    /// nested part that failed its check. Call this before the nested parts are deleted, because some are found through
    /// them. Each notification gets a tombstone of its own: no column of it would keep it out. `places` returns the
    /// places of those rows of a page (``Erasure/unassigned``) that are to be deleted.
    func eraseUnassigned(
        _ report: inout ErasureReport, _ places: ([SQLRow]) throws(NotificationStoreError) -> [Int]
    ) throws(NotificationStoreError) {
        var after: Int64 = 0
        let time = timing.now()
        while true {
            let rows = try perform { connection throws(SQLError) in
                try connection.query(Erasure.unassigned, [.integer(after), .integer(100)])
            }
            guard let last = rows.last else { return }
            after = try SQLError.mapped(to: NotificationStoreError.database, try last.integer(0))
            for place in try places(rows) {
                report.notificationCount += try change(.exclusive) { connection throws(SQLError) in
                    let uuid = try rows[place].text(1)
                    try Tombstones.add([.notification(uuid: uuid)], at: time, on: connection)
                    return try connection.run(
                        "DELETE FROM notifications WHERE id = ?", [rows[place].values[0]])
                }
            }
        }
    }

    /// Runs `step` in one transaction after the other until it finds nothing more to do. `step` gets the most rows that it
    /// may change, and returns how many it changed: fewer when these were the last. The number grows and shrinks so that a
    /// transaction keeps others from writing for at most about 50 ms.
    func inShortTransactions(
        _ step: (_ limit: Int, any SQLConnection) throws(SQLError) -> Int
    ) throws(NotificationStoreError) {
        var limit = Self.firstLimit
        while true {
            // Not the wait for the lock: it says nothing about what a transaction may hold.
            var start = timing.elapsed()
            let count = try change(.exclusive) { connection throws(SQLError) in
                start = timing.elapsed()
                return try step(limit, connection)
            }
            if count == 0 { return }
            let isLast = count < limit
            let took = timing.elapsed() - start
            if took > Self.politeMilliseconds / 2 {
                limit = max(1, limit / 2)
            } else if took < Self.politeMilliseconds / 5 {
                limit = min(4096, limit * 2)
            }
            // Others that wait for the lock get it in between: they look for it each millisecond.
            timing.sleep(2)
            if isLast { return }
        }
    }

    private static let politeMilliseconds: Int64 = 50
    /// The rows of a first transaction, about which nothing is known yet.
    private static let firstLimit = 64
}
