internal import SQL

extension NotificationStore {
    /// Deletes notifications that came before a time, in short transactions. Their transactions, renewal infos and app
    /// transactions stay, because the history of a subscriber needs them.
    ///
    /// - Parameters:
    ///   - time: the time of receipt before which notifications are deleted, milliseconds since 1970.
    ///   - types: the types whose notifications stay, because facts are derived from the notifications themselves. `A.B` stands
    ///     for type A with subtype B alone.
    ///   - statuses: the values of `data.status` that the program knows. A notification with another one stays: nothing else in the
    ///     store says that the subscription is in a state that the program does not know. Nil: the status does not matter.
    ///   - id: the greatest number that may be deleted, because other work has not come any further.
    /// - Returns: the number of deleted notifications.
    /// - Throws: the errors of the database. What was deleted before stays deleted.
    public func prune(
        receivedBefore time: Int64, keepingTypes types: Set<String>,
        keepingStatusesBeside statuses: Set<Int64>? = nil, upTo id: Int64 = .max
    ) throws(NotificationStoreError) -> Int {
        var count = 0
        var after: Int64 = 0
        while true {
            let page = try perform { connection throws(SQLError) in
                try connection.query(
                    """
                    SELECT id, type, received_at, subtype, status, unfit FROM notifications WHERE id > ? AND id <= ?
                    AND id NOT IN (SELECT notification_id FROM set_aside) ORDER BY id LIMIT ?
                    """,
                    [.integer(after), .integer(id), .integer(1000)]
                )
            }
            guard let last = page.last else { return count }
            var old: [SQLValue] = []
            do throws(SQLError) {
                after = try last.integer(0)
                for row in page where try row.integer(2) < time {
                    let (type, subtype) = (try row.optionalText(1) ?? "", try row.optionalText(3) ?? "")
                    guard !types.contains(type), !types.contains("\(type).\(subtype)") else { continue }
                    if let statuses {
                        if let status = try row.optionalInteger(4), !statuses.contains(status) { continue }
                        if UnfitColumns.names(try row.optionalText(5)).contains("status") { continue }
                    }
                    old.append(row.values[0])
                }
            } catch {
                throw .database(error)
            }
            try inShortTransactions { (limit, connection) throws(SQLError) in
                let some = old.suffix(limit)
                old.removeLast(some.count)
                try connection.run("DELETE FROM notifications WHERE id = ?", forEach: some.map { [$0] })
                count += some.count
                return some.count
            }
        }
    }
}
