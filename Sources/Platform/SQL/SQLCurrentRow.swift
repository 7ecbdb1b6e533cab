/// The row on which a statement stands. Its values are made when they are asked for, from the memory of the database's library.
///
/// After the function that got it has returned, the row has no columns any more.
public struct SQLCurrentRow: SQLColumns {
    /// The statement or the result. With an enumeration of the two, each call would count references to it.
    private let columns: any SQLColumns & AnyObject

    init(of columns: any SQLColumns & AnyObject) { self.columns = columns }

    /// Returns the whole number of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type` when the row has no such column or the value is of another type.
    public func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        try columns.optionalInteger(column)
    }

    /// Returns the text of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalText(_ column: Int) throws(SQLError) -> String? { try columns.optionalText(column) }

    /// Returns the bytes of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        try columns.optionalBytes(column)
    }
}
