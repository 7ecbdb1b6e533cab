internal import SQL

/// Reads one page of rows of a table. The first column is `id`.
struct PagedSearch {
    private let table: StoreTable
    private let columns: [SQLText]
    private let conditions: [(text: SQLText, values: [SQLValue])]
    private let page: StorePage
    private let timing: StoreTiming

    /// How many numbers one statement goes through, and how long a page may take altogether. A statement that went through a
    /// whole table of millions of rows would hold up checkpoints.
    private static let windowCount: Int64 = 20_000
    private static let milliseconds: Int64 = 1000

    init(
        _ table: StoreTable, _ columns: [SQLText], _ conditions: [(text: SQLText, values: [SQLValue])],
        _ page: StorePage, _ timing: StoreTiming
    ) {
        self.table = table
        self.columns = columns
        self.conditions = conditions
        self.page = page
        self.timing = timing
    }

    /// Reads the page with one statement, because an index leads to the rows, or because nearly all rows are wanted.
    func all(on connection: any SQLConnection) throws(SQLError) -> (rows: [SQLRow], next: Int64?) {
        let isAscending = page.order == .ascending
        let rows = try select(
            from: isAscending ? page.after ?? 0 : 0, to: isAscending ? .max : (page.after ?? .max) - 1,
            count: page.count, on: connection)
        guard rows.count == page.count, let last = rows.last else { return (rows, nil) }
        return (rows, try last.integer(0))
    }

    /// Reads the page window by window, until it is full or its time is over.
    func windows(on connection: any SQLConnection) throws(SQLError) -> (rows: [SQLRow], next: Int64?) {
        let (lowest, highest) = try bounds(on: connection)
        let start = timing.elapsed()
        var rows: [SQLRow] = []
        var place = page.after ?? (page.order == .ascending ? lowest - 1 : highest + 1)
        while page.order == .ascending ? place < highest : place > lowest {
            let isAscending = page.order == .ascending
            let from = isAscending ? place : max(place - 1 - Self.windowCount, 0)
            let to = isAscending ? min(place + Self.windowCount, highest) : place - 1
            let found = try select(from: from, to: to, count: page.count - rows.count, on: connection)
            rows += found
            if rows.count == page.count, let last = rows.last { return (rows, try last.integer(0)) }
            place = isAscending ? to : from + 1
            if timing.elapsed() - start >= Self.milliseconds { return (rows, place) }
        }
        return (rows, nil)
    }

    /// The least and the greatest number in the table; 1 and 0 for an empty one.
    private func bounds(on connection: any SQLConnection) throws(SQLError) -> (Int64, Int64) {
        // Two statements, because SQLite takes each end of an index at once, but not both.
        let least = try connection.number("SELECT COALESCE(MIN(id), 1) FROM " + table.name)
        return (least, try connection.number("SELECT COALESCE(MAX(id), 0) FROM " + table.name))
    }

    /// Selects rows with numbers above `from` and up to `to`.
    private func select(from: Int64, to: Int64, count: Int, on connection: any SQLConnection) throws(SQLError)
        -> [SQLRow]
    {
        var text: SQLText = "SELECT " + .list(columns) + " FROM " + table.name + " WHERE id > ? AND id <= ?"
        var values: [SQLValue] = [.integer(from), .integer(to)]
        for condition in conditions {
            text += " AND " + condition.text
            values += condition.values
        }
        text += page.order == .ascending ? " ORDER BY id LIMIT ?" : " ORDER BY id DESC LIMIT ?"
        return try connection.query(text, values + [.integer(Int64(count))])
    }
}
