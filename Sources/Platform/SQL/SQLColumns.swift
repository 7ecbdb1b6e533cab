/// The values of one row by the places of its columns, the first of which is 0.
public protocol SQLColumns {
    /// Returns the whole number of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type` when the row has no such column or the value is of another type.
    func optionalInteger(_ column: Int) throws(SQLError) -> Int64?

    /// Returns the text of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    func optionalText(_ column: Int) throws(SQLError) -> String?

    /// Returns the bytes of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]?
}

extension SQLColumns {
    /// Returns the whole number of a column.
    ///
    /// - Throws: `sql.wrong-type`, also for NULL.
    public func integer(_ column: Int) throws(SQLError) -> Int64 {
        guard let number = try optionalInteger(column) else { throw SQLError.wrongType(column) }
        return number
    }

    /// Returns the text of a column.
    ///
    /// - Throws: `sql.wrong-type`, also for NULL.
    public func text(_ column: Int) throws(SQLError) -> String {
        guard let text = try optionalText(column) else { throw SQLError.wrongType(column) }
        return text
    }

    /// Returns the bytes of a column.
    ///
    /// - Throws: `sql.wrong-type`, also for NULL.
    public func bytes(_ column: Int) throws(SQLError) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw SQLError.wrongType(column) }
        return bytes
    }
}

extension SQLError {
    /// The error for a column that is not there, or whose value is of another type than the program wants.
    static func wrongType(_ column: Int) -> SQLError { SQLError(.wrongType, detail: "column \(column + 1)") }
}
