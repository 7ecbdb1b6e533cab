internal import SQL
internal import Vocabulary

extension NotificationStore {
    /// How often a transaction that collided with another is made again at once.
    private static let attemptCount = 8

    /// Stores items in one transaction. When this function returns, every item that is reported as stored is durable.
    ///
    /// An item that is in the store already is not stored again. An item that the database refuses does not hold up the
    /// others.
    ///
    /// - Returns: for each item, what became of it. The function does not throw: when the database fails, every item that is
    ///   not in the store has the error.
    public func store(_ items: [StoreItem]) -> [StoreOutcome] {
        var outcomes = [StoreOutcome](repeating: .alreadyThere, count: items.count)
        var ready: [PreparedItem] = []
        var places: [Int] = []
        for (place, item) in items.enumerated() {
            do throws(NotificationStoreError) {
                ready.append(try ItemPreparation().prepare(item))
                places.append(place)
            } catch {
                outcomes[place] = .notStored(error)
            }
        }
        guard !ready.isEmpty else { return outcomes }
        for (place, outcome) in zip(places, write(ready)) { outcomes[place] = outcome }
        return outcomes
    }

    /// Writes items in one transaction, again when it collides with another, and looks them up when the commit is unsure.
    private func write(_ items: [PreparedItem]) -> [StoreOutcome] {
        var batch = BatchWriting(items: items)
        var attempt = 1
        var hasNewSession = false
        while true {
            do throws(NotificationStoreError) {
                return try change(.shared) { connection throws(SQLError) in
                    let outcomes = try batch.write(on: connection)
                    // A row of this transaction makes the commit wait, also for rows that were there before.
                    if !outcomes.contains(.stored) { try StoreLock.waitForRowsRead(on: connection) }
                    return outcomes
                }
            } catch {
                let failed = items.map { _ in StoreOutcome.notStored(error) }
                guard case .database(let fault) = error else { return failed }
                if fault.fault == .commitUnsure { return lookUp(items, fault) }
                if batch.canGoOn(after: fault.fault) { continue }
                // The session was closed. Another server may have taken the place of the one that ended it or takes no changes.
                if dialect == .postgreSQL, fault.fault.endsSession, !hasNewSession {
                    hasNewSession = true
                    continue
                }
                guard fault.fault.retry == .atOnce, attempt < Self.attemptCount else { return failed }
                attempt += 1
            }
        }
    }

    /// Finds out what became of a commit whose answer was lost. An item that is in the store now is durable once this
    /// transaction is; any other item counts as not stored, even if the server should still commit it.
    private func lookUp(_ items: [PreparedItem], _ unsure: SQLError) -> [StoreOutcome] {
        let end = timing.elapsed() + options.lookUpMilliseconds
        while true {
            do throws(NotificationStoreError) {
                return try change(.shared) { connection throws(SQLError) in
                    var outcomes: [StoreOutcome] = []
                    for row in items.map(\.row) {
                        let isThere = try !connection.query(row.table.search, row.key).isEmpty
                        outcomes.append(isThere ? .stored : .notStored(.database(unsure)))
                    }
                    try StoreLock.waitForRowsRead(on: connection)
                    return outcomes
                }
            } catch {
                guard error.retry == .later, timing.elapsed() < end else {
                    return items.map { _ in .notStored(.database(unsure)) }
                }
                timing.sleep(20)
            }
        }
    }
}
