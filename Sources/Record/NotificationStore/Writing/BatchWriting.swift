internal import Cryptography
internal import SQL

/// Writes the rows of a batch inside of a transaction.
struct BatchWriting {
    let items: [PreparedItem]
    /// The numbers of headers that are in the store.
    private let headers: HeaderNumbers
    /// The numbers of further headers. They hold once the transaction is committed.
    private(set) var newHeaders: [[UInt8]: Int64] = [:]
    /// True from the first statement that writes a row to the commit. Only then may a refusal be about a row.
    private(set) var isWritingRows = false

    init(items: [PreparedItem], headers: HeaderNumbers) {
        self.items = items
        self.headers = headers
    }

    /// Writes the rows, and returns what becomes of each item with the commit.
    mutating func write(on connection: any SQLConnection) throws(SQLError) -> [StoreOutcome] {
        var outcomes = [StoreOutcome](repeating: .alreadyThere, count: items.count)
        let erased = try Tombstones.places(of: items, on: connection) { $0.subjects() }
        for place in erased { outcomes[place] = .tombstoned }
        let places = items.indices.filter { !erased.contains($0) }
        isWritingRows = true
        for place in places {
            for row in [items[place].row] + items[place].nested { try addHeader(of: row, on: connection) }
        }
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
        isWritingRows = outcomes.contains(.stored)
        return outcomes
    }

    @discardableResult
    private func insert(
        _ rows: [PreparedRow],
        into table: StoreTable,
        on connection: any SQLConnection
    ) throws(SQLError) -> [Int] {
        guard !rows.isEmpty, let text = StoreTable.insertions[table] else { return [] }
        var values: [[SQLValue]] = []
        values.reserveCapacity(rows.count)
        for row in rows {
            let number = row.headerText.flatMap(number)
            // A row whose header has no number could not be read again.
            guard number != nil || row.headerText == nil else {
                throw SQLError(.refused, detail: "no header")
            }
            values.append(row.values(headerNumber: number))
        }
        return try connection.run(text, forEach: values)
    }

    private func number(of headerText: [UInt8]) -> Int64? {
        headers.number(of: headerText.span) ?? newHeaders[headerText]
    }

    /// Makes a row for a header that this connection has not seen, and notes its number.
    private mutating func addHeader(of row: PreparedRow, on connection: any SQLConnection) throws(SQLError) {
        guard let text = row.headerText, number(of: text) == nil, let header = Base64URL.decode(text.span)
        else {
            return
        }
        let digest = SQLValue.bytes(SHA256.hash(header.span).bytes)
        try connection.run(
            "INSERT INTO headers (digest, header) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
            [digest, .bytes(header)]
        )
        newHeaders[text] = try connection.number("SELECT id FROM headers WHERE digest = ?", [digest])
    }
}
