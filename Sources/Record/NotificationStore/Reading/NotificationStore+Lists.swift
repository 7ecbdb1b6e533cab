internal import SQL

extension NotificationStore {
    /// Returns a page of notifications.
    ///
    /// A page takes about a second at most, so that neither checkpoints nor other programs wait for it; it is then shorter
    /// than asked for, and ``StoreList/next`` says where to go on.
    public func notifications(
        _ filter: NotificationFilter = NotificationFilter(), _ page: StorePage = StorePage()
    ) throws(NotificationStoreError) -> StoreList<NotificationRow> {
        try perform { connection throws(SQLError) in
            let names = NotificationRow.names + (filter.isMarked ? NotificationRow.unfitOfParts : [])
            let search = PagedSearch(.notifications, names, filter.conditions, page, timing)
            let found = try filter.isSelective ? search.all(on: connection) : search.windows(on: connection)
            var rows: [NotificationRow] = []
            for row in found.rows { rows.append(try NotificationRow(row, hasUnfitOfParts: filter.isMarked)) }
            return StoreList(rows: rows, next: found.next)
        }
    }

    /// Returns a page of transactions, of one subscriber or of all.
    public func transactions(originalTransactionID: String? = nil, _ page: StorePage = StorePage())
        throws(NotificationStoreError) -> StoreList<PartRow<TransactionColumns>>
    {
        try parts(.transactions, originalTransactionID, page)
    }

    /// Returns a page of renewal infos, of one subscriber or of all.
    public func renewals(originalTransactionID: String? = nil, _ page: StorePage = StorePage())
        throws(NotificationStoreError) -> StoreList<PartRow<RenewalColumns>>
    {
        try parts(.renewals, originalTransactionID, page)
    }

    /// Returns a page of app transactions.
    public func appTransactions(
        _ page: StorePage = StorePage()
    ) throws(NotificationStoreError) -> StoreList<PartRow<AppTransactionColumns>> {
        try parts(.appTransactions, nil, page)
    }

    /// Returns the greatest number of a notification up to which every notification has its final place: none with a
    /// smaller number can appear any more. Whoever passes notifications on in their order goes up to it. Returns 0 for an
    /// empty store.
    ///
    /// On PostgreSQL this waits until transactions that are adding rows have ended. SQLite has one writer at a time, so the
    /// rows appear in the order of their numbers.
    public func settledNotificationID() throws(NotificationStoreError) -> Int64 {
        let text: SQLText = "SELECT COALESCE(MAX(id), 0) FROM notifications"
        guard dialect == .postgreSQL else {
            return try perform { connection throws(SQLError) in try connection.number(text) }
        }
        return try change(.exclusive) { connection throws(SQLError) in try connection.number(text) }
    }

    private func parts<Columns: TableColumns>(
        _ table: StoreTable, _ originalTransactionID: String?, _ page: StorePage
    ) throws(NotificationStoreError) -> StoreList<PartRow<Columns>> {
        try perform { connection throws(SQLError) in
            var conditions: [(text: SQLText, values: [SQLValue])] = []
            if let id = originalTransactionID {
                conditions.append(("original_transaction_id = ?", [.text(id)]))
            }
            let search = PagedSearch(table, PartRow<Columns>.names(table), conditions, page, timing)
            let found = try search.all(on: connection)
            var rows: [PartRow<Columns>] = []
            for row in found.rows { rows.append(try PartRow<Columns>(row)) }
            return StoreList(rows: rows, next: found.next)
        }
    }
}
