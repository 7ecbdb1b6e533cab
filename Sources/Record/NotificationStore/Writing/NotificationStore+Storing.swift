internal import SQL
internal import Vocabulary

extension NotificationStore {
    /// How often a transaction that collided with another is made again at once.
    private static let attemptCount = 8

    /// Stores items in one transaction. When this function returns, every item that is reported as stored is durable.
    ///
    /// An item that is in the store already is not stored again. An item that the database refuses does not hold up the
    /// others: the batch is split until that item stands alone. Where the database refuses one item after the other, no item
    /// is stored (`store.rows-refused`); ``StoreOptions/refusedRowLimit`` says after how many.
    ///
    /// - Returns: for each item, what became of it. The function does not throw: when the database fails, every item that is
    ///   not in the store has the error.
    public func store(_ items: [StoreItem]) -> [StoreOutcome] {
        var outcomes = [StoreOutcome](repeating: .alreadyThere, count: items.count)
        var ready: [(place: Int, item: PreparedItem)] = []
        for (place, item) in items.enumerated() {
            do throws(NotificationStoreError) {
                ready.append((place, try ItemPreparation(headers: headers).prepare(item)))
            } catch {
                outcomes[place] = .notStored(error)
            }
        }
        settle(ready, &outcomes)
        return outcomes
    }

    /// Stores a batch, in parts where the database refuses it, and notes what became of each item.
    private func settle(_ batch: [(place: Int, item: PreparedItem)], _ outcomes: inout [StoreOutcome]) {
        var splitting = BatchSplitting(count: batch.count, givesUp: options.refusedRowLimit == nil)
        var left = Set(batch.indices)
        var last: SQLError?
        while let piece = splitting.next() {
            do throws(BatchFailure) {
                let found = try storeTogether(batch[piece].map(\.item))
                for (index, outcome) in zip(piece, found) { outcomes[batch[index].place] = outcome }
                left.subtract(piece)
                splitting.noteStored()
            } catch {
                guard case .rows(let fault) = error else {
                    for index in left { outcomes[batch[index].place] = .notStored(error.reason) }
                    return
                }
                last = fault
                if piece.count == 1 {
                    left.subtract(piece)
                    outcomes[batch[piece.lowerBound].place] = .notStored(error.reason)
                }
                splitting.refuse(piece)
            }
        }
        guard let last, !splitting.hasStored else {
            if !batch.isEmpty { refusedRowCount = 0 }
            return
        }
        refusedRowCount += batch.count
        let refusesAll = options.refusedRowLimit.map { refusedRowCount >= $0 } ?? !left.isEmpty
        guard refusesAll else { return }
        for entry in batch { outcomes[entry.place] = .notStored(.rowsRefused(last)) }
    }

    /// The reason why a transaction with rows was taken back.
    private enum BatchFailure: Error {
        /// The database refused a statement with values of a row, or the commit, at which it may look at rows again. The
        /// reason may be one row, and then the others can be stored without it.
        case rows(SQLError)
        /// Anything else, such as a session that does not come about: no row is the reason.
        case store(NotificationStoreError)

        /// The reason, when this is about a single row.
        var reason: NotificationStoreError {
            switch self {
            case .rows(let fault): fault.fault.isAboutValues ? .database(fault) : .rowRefused(fault)
            case .store(let error): error
            }
        }
    }

    /// Stores items in one transaction, again when it collides with another, and looks them up when the commit is unsure.
    private func storeTogether(_ items: [PreparedItem]) throws(BatchFailure) -> [StoreOutcome] {
        var attempt = 1
        while true {
            var batch = BatchWriting(items: items, headers: headers)
            do throws(NotificationStoreError) {
                let outcomes = try change(.shared) { connection throws(SQLError) in
                    let outcomes = try batch.write(on: connection)
                    // A row of this transaction makes the commit wait, also for rows that were there before.
                    if !outcomes.contains(.stored) { try StoreLock.waitForRowsRead(on: connection) }
                    return outcomes
                }
                for (text, number) in batch.newHeaders { headers.note(text, number: number) }
                return outcomes
            } catch {
                guard case .database(let fault) = error else { throw .store(error) }
                if fault.fault == .commitUnsure {
                    return try NotificationStoreError.mapped(to: BatchFailure.store, try lookUp(items, fault))
                }
                guard fault.fault.retry == .atOnce, attempt < Self.attemptCount else {
                    let mayBeRow = batch.isWritingRows && fault.fault.mayBeAboutOneRow
                    throw mayBeRow ? BatchFailure.rows(fault) : .store(error)
                }
                attempt += 1
            }
        }
    }

    /// Finds out what became of a commit whose answer was lost. An item that is in the store now is durable once this
    /// transaction is; any other item counts as not stored, even if the server should still commit it.
    private func lookUp(_ items: [PreparedItem], _ unsure: SQLError) throws(NotificationStoreError)
        -> [StoreOutcome]
    {
        let end = timing.elapsed() + options.lookUpMilliseconds
        while true {
            do throws(NotificationStoreError) {
                return try change(.shared) { connection throws(SQLError) in
                    var outcomes: [StoreOutcome] = []
                    for item in items {
                        let isThere = try !connection.query(item.search.text, item.search.values).isEmpty
                        outcomes.append(isThere ? .stored : .notStored(.database(unsure)))
                    }
                    try StoreLock.waitForRowsRead(on: connection)
                    return outcomes
                }
            } catch {
                guard error.retry == .later, timing.elapsed() < end else { throw .database(unsure) }
                timing.sleep(20)
            }
        }
    }
}
