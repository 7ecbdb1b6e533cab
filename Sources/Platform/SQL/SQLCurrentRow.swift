/// The row on which a statement stands. Its values are made when they are asked for, from the memory of the database's library.
///
/// After the function that got it has returned, the row has no columns any more.
public struct SQLCurrentRow: SQLColumns {
    enum Source {
        case sqlite(SQLiteStatement)
        case postgreSQL(PostgreSQLRows)
    }

    let source: Source

    /// Returns the whole number of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type` when the row has no such column or the value is of another type.
    public func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        switch source {
        case .sqlite(let statement): try statement.optionalInteger(column)
        case .postgreSQL(let rows): try rows.optionalInteger(column)
        }
    }

    /// Returns the text of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalText(_ column: Int) throws(SQLError) -> String? {
        switch source {
        case .sqlite(let statement): try statement.optionalText(column)
        case .postgreSQL(let rows): try rows.optionalText(column)
        }
    }

    /// Returns the bytes of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        switch source {
        case .sqlite(let statement): try statement.optionalBytes(column)
        case .postgreSQL(let rows): try rows.optionalBytes(column)
        }
    }
}
