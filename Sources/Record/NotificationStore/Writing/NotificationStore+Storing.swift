internal import SQL

extension NotificationStore {
    /// How often a transaction that collided with another is made again at once.
    private static let attemptCount = 8

    /// Stores items in one transaction. When this function returns, every item that is reported as stored is durable.
    ///
    /// An item that is in the store already is not stored again. An item that the database refuses does not hold up the
    /// others: the batch is split until that item stands alone. Where the database refuses one item after the other, the store
    /// gives up after ``BatchSplitting/hopelessCount`` transactions, and no item is stored (`store.rows-refused`).
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
        var splitting = BatchSplitting(count: batch.count)
        var left = Set(batch.indices)
        var refused: [Int] = []
        var last: SQLError?
        while let piece = splitting.next() {
            do throws(NotificationStoreError) {
                let found = try storeTogether(batch[piece].map(\.item))
                for (index, outcome) in zip(piece, found) { outcomes[batch[index].place] = outcome }
                left.subtract(piece)
                splitting.noteStored()
            } catch {
                guard case .database(let fault) = error, fault.fault.mayBeAboutOneRow else {
                    for index in left { outcomes[batch[index].place] = .notStored(error) }
                    break
                }
                last = fault
                if piece.count == 1 {
                    left.subtract(piece)
                    outcomes[batch[piece.lowerBound].place] = .notStored(error)
                    if !fault.fault.isAboutValues { refused.append(piece.lowerBound) }
                }
                splitting.refuse(piece)
            }
        }
        // That the store took others shows that these rows were refused for themselves.
        if splitting.hasStored {
            for index in refused {
                guard case .notStored(let error) = outcomes[batch[index].place], let fault = error.rowFault
                else { continue }
                outcomes[batch[index].place] = .notStored(.rowRefused(fault))
            }
        } else if splitting.isHopeless, !left.isEmpty, let last {
            for entry in batch { outcomes[entry.place] = .notStored(.rowsRefused(last)) }
        }
    }

    /// Stores items in one transaction, again when it collides with another, and looks them up when the commit is unsure.
    private func storeTogether(_ items: [PreparedItem]) throws(NotificationStoreError) -> [StoreOutcome] {
        var attempt = 1
        while true {
            do throws(NotificationStoreError) {
                var batch = BatchWriting(items: items, headers: headers)
                let outcomes = try change(.shared) { connection throws(SQLError) in
                    let outcomes = try batch.write(on: connection)
                    // A row of this transaction makes the commit wait, also for rows that were there before.
                    if !outcomes.contains(.stored) { try StoreLock.waitForRowsRead(on: connection) }
                    return outcomes
                }
                for (text, number) in batch.newHeaders { headers.note(text, number: number) }
                return outcomes
            } catch {
                switch error {
                case .database(let fault) where fault.fault == .commitUnsure: return try lookUp(items, fault)
                case .database(let fault) where fault.fault.retry == .atOnce && attempt < Self.attemptCount:
                    attempt += 1
                default: throw error
                }
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
