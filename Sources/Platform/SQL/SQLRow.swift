/// One row of a result. The values are copies, so a row lives as long as the caller wants.
public struct SQLRow: SQLColumns, Sendable, Hashable {
    /// The values in the order of the columns.
    public let values: [SQLValue]

    public init(_ values: [SQLValue]) {
        self.values = values
    }

    /// Returns the whole number of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type` when the row has no such column or the value is of another type.
    public func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        switch try value(column) {
        case .integer(let number): return number
        case .null: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    /// Returns the text of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalText(_ column: Int) throws(SQLError) -> String? {
        switch try value(column) {
        case .text(let text): return text
        case .null: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    /// Returns the bytes of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        switch try value(column) {
        case .bytes(let bytes): return bytes
        case .null: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    private func value(_ column: Int) throws(SQLError) -> SQLValue {
        guard values.indices.contains(column) else { throw SQLError.wrongType(column) }
        return values[column]
    }
}
