internal import SQL

/// The right to write states: what a program that derives them has put into their cursor.
///
/// The lock of the states keeps other programs out, but a program may lose it without knowing: a server ends a connection. The next
/// program puts a claim of its own into the cursor, and what the former one still writes is then refused.
public struct StateClaim: Sendable, Hashable {
    /// The name of the cursor.
    let name: String
    /// The cursor as the program has set it.
    let cursor: StoreCursor

    /// Describes a claim.
    public init(name: String, cursor: StoreCursor) {
        (self.name, self.cursor) = (name, cursor)
    }

    /// Returns false when another program has made a claim. A cursor that is gone, because rows were deleted, is nobody's claim.
    ///
    /// The caller is in a transaction. On a server the cursor cannot change until the transaction ends; on SQLite nothing can.
    func holds(on connection: any SQLConnection) throws(SQLError) -> Bool {
        let search: SQLText =
            connection.dialect == .postgreSQL ? Self.search + " FOR SHARE" : Self.search
        guard let row = try connection.query(search, [.text(name)]).first else { return true }
        let (position, detail) = (try row.integer(0), try row.optionalText(1))
        return position == cursor.position && detail == cursor.detail
    }

    private static let search: SQLText = "SELECT position, detail FROM cursors WHERE name = ?"
}
