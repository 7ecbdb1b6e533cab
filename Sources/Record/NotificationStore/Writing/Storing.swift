internal import Cryptography
internal import SQL
internal import System

extension NotificationStore {
    private static let attemptCount = 8

    /// When this returns, every item that is reported as stored is durable. An item that the database refuses does not
    /// hold up the others.
    package func store(_ items: [StoreItem]) -> [StoreOutcome] {
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
                guard let fault = error.fault else { return failed }
                if fault == .commitUnsure { return lookUp(items, error) }
                if batch.canGoOn(after: fault) { continue }
                // The session was closed. Another server may have taken the place of the one that ended it or takes no changes.
                if dialect == .postgreSQL, fault.endsSession, !hasNewSession {
                    hasNewSession = true
                    continue
                }
                guard fault.retry == .atOnce, attempt < Self.attemptCount else { return failed }
                attempt += 1
            }
        }
    }

    /// An item that is in the store now is durable once this transaction is; any other counts as not stored.
    private func lookUp(_ items: [PreparedItem], _ unsure: NotificationStoreError) -> [StoreOutcome] {
        let end = timing.elapsed() + options.lookUpMilliseconds
        while true {
            do throws(NotificationStoreError) {
                return try change(.shared) { connection throws(SQLError) in
                    var outcomes: [StoreOutcome] = []
                    for row in items.map(\.row) {
                        let isThere = try !connection.query(row.table.search, row.key).isEmpty
                        outcomes.append(isThere ? .stored : .notStored(unsure))
                    }
                    try StoreLock.waitForRowsRead(on: connection)
                    return outcomes
                }
            } catch {
                guard error.retry == .later, timing.elapsed() < end else {
                    return items.map { _ in .notStored(unsure) }
                }
                timing.sleep(20)
            }
        }
    }
}

/// All together, or each item in a savepoint after the database has refused the batch for a reason that may lie in one
/// row.
struct BatchWriting {
    let items: [PreparedItem]
    /// They hold for one transaction: somebody may have deleted rows of `headers` before it.
    private var headers: [(text: [UInt8], number: Int64)] = []
    private var isRowByRow = false
    private(set) var refused: [Int: SQLError] = [:]
    private var refusedCountBefore = 0
    /// True from the first statement that writes a row to the commit. Only then may a refusal be about a row.
    private var isWritingRows = false

    init(items: [PreparedItem]) {
        self.items = items
    }

    mutating func write(on connection: any SQLConnection) throws(SQLError) -> [StoreOutcome] {
        (headers, refusedCountBefore, isWritingRows) = ([], refused.count, false)
        var outcomes = [StoreOutcome](repeating: .alreadyThere, count: items.count)
        let erased = try Tombstones.places(of: items, on: connection) { $0.subjects() }
        for place in erased { outcomes[place] = .tombstoned }
        let places = items.indices.filter { !erased.contains($0) }
        isWritingRows = true
        if isRowByRow {
            try writeRowByRow(places, &outcomes, on: connection)
        } else {
            try write(places, &outcomes, on: connection)
        }
        isWritingRows = outcomes.contains(.stored)
        return outcomes
    }

    mutating func canGoOn(after fault: SQLFault) -> Bool {
        guard isWritingRows, fault.mayBeAboutOneRow else { return false }
        guard isRowByRow else {
            isRowByRow = true
            return true
        }
        return refused.count > refusedCountBefore
    }

    private mutating func writeRowByRow(
        _ places: [Int], _ outcomes: inout [StoreOutcome], on connection: any SQLConnection
    ) throws(SQLError) {
        for place in places where refused[place] == nil {
            let before = headers
            try connection.run("SAVEPOINT item")
            do throws(SQLError) {
                try write([place], &outcomes, on: connection)
            } catch {
                guard error.fault.mayBeAboutOneRow else { throw error }
                refused[place] = error
                headers = before
                try connection.run("ROLLBACK TO item")
            }
            try connection.run("RELEASE item")
        }
        for (place, error) in refused {
            outcomes[place] = .notStored(error.fault.isAboutValues ? .database(error) : .rowRefused(error))
        }
    }

    private mutating func write(
        _ places: [Int], _ outcomes: inout [StoreOutcome], on connection: any SQLConnection
    ) throws(SQLError) {
        for place in places {
            for row in [items[place].row] + items[place].nested { try addHeader(of: row, on: connection) }
        }
        var nested: [PreparedRow] = []
        for table in StoreTable.allCases {
            let rows = places.filter { items[$0].row.table == table }
            let areNew = try insert(rows.map { items[$0].row }, into: table, on: connection)
            for (place, isNew) in zip(rows, areNew) where isNew {
                outcomes[place] = .stored
                nested += items[place].nested
            }
        }
        for table in StoreTable.allCases {
            try insert(nested.filter { $0.table == table }, into: table, on: connection)
        }
    }

    @discardableResult
    private func insert(_ rows: [PreparedRow], into table: StoreTable, on connection: any SQLConnection)
        throws(SQLError) -> [Bool]
    {
        guard !rows.isEmpty, let text = StoreTable.insertions[table] else { return [] }
        let values = rows.map { $0.values(headerNumber: number(of: $0.headerText)) }
        let counts = try connection.run(text, forEach: values)
        for (row, count) in zip(rows, counts) where count == 0 {
            guard try !connection.query(table.search, row.key).isEmpty else {
                throw Self.dropped(by: table.name)
            }
        }
        return counts.map { $0 > 0 }
    }

    private static func dropped(by table: SQLText) -> SQLError {
        SQLError(.refused, detail: "a trigger or a rule of the table \(table) drops the row")
    }

    private func number(of headerText: [UInt8]?) -> Int64? {
        guard let headerText else { return nil }
        return headers.first { ByteComparison.areEqual($0.text.span, headerText.span) }?.number
    }

    private mutating func addHeader(of row: PreparedRow, on connection: any SQLConnection) throws(SQLError) {
        guard let text = row.headerText, number(of: text) == nil, let header = Base64URL.decode(text.span)
        else { return }
        let digest = SQLValue.bytes(SHA256.hash(header.span).bytes)
        let find: SQLText = "SELECT id FROM headers WHERE digest = ?"
        var found = try connection.query(find, [digest])
        if found.isEmpty {
            try connection.run(
                "INSERT INTO headers (digest, header) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
                [digest, .bytes(header)])
            found = try connection.query(find, [digest])
        }
        guard let row = found.first else { throw Self.dropped(by: "headers") }
        headers.append((text, try row.integer(0)))
    }
}
