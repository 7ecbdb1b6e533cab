internal import Cryptography
internal import SQL

/// Writes the rows of a batch inside of a transaction.
struct BatchWriting {
    let items: [PreparedItem]
    /// The numbers of headers. They hold once the transaction is committed.
    private(set) var headers: HeaderNumbers

    init(items: [PreparedItem], headers: HeaderNumbers) {
        self.items = items
        self.headers = headers
    }

    /// Writes the rows, and returns what becomes of each item with the commit.
    mutating func write(on connection: any SQLConnection) throws(SQLError) -> [StoreOutcome] {
        var outcomes = [StoreOutcome](repeating: .alreadyThere, count: items.count)
        let erased = try Tombstones.places(of: items.map(\.subjects), on: connection)
        for place in erased { outcomes[place] = .tombstoned }
        let places = items.indices.filter { !erased.contains($0) }
        try addHeaders(places.flatMap { [items[$0].row] + items[$0].nested }, on: connection)
        var nested: [PreparedRow] = []
        for table in StoreTable.allCases {
            let rows = places.filter { items[$0].row.table == table }
            let counts = try insert(rows.map { items[$0].row }, into: table, on: connection)
            for (place, count) in zip(rows, counts) where count > 0 {
                outcomes[place] = .stored
                nested += items[place].nested
            }
        }
        for table in StoreTable.allCases {
            try insert(nested.filter { $0.table == table }, into: table, on: connection)
        }
        return outcomes
    }

    @discardableResult
    private func insert(
        _ rows: [PreparedRow],
        into table: StoreTable,
        on connection: any SQLConnection
    ) throws(SQLError) -> [Int] {
        guard !rows.isEmpty, let text = StoreTable.insertions[table] else { return [] }
        return try connection.run(
            text,
            forEach: rows.map { row in
                row.values(headerNumber: row.headerText.flatMap { headers.number(of: $0.span) })
            }
        )
    }

    /// Makes rows for headers that this connection has not seen, and notes their numbers.
    private mutating func addHeaders(_ rows: [PreparedRow], on connection: any SQLConnection) throws(SQLError)
    {
        for row in rows {
            guard let text = row.headerText, headers.number(of: text.span) == nil,
                let header = Base64URL.decode(text.span)
            else { continue }
            let digest = SQLValue.bytes(SHA256.hash(header.span).bytes)
            try connection.run(
                "INSERT INTO headers (digest, header) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
                [digest, .bytes(header)]
            )
            let number = try connection.number("SELECT id FROM headers WHERE digest = ?", [digest])
            headers.note(text, number: number)
        }
    }
}
