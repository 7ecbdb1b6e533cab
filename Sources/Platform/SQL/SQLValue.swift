/// A value that goes into a statement or comes out of a row.
public enum SQLValue: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A binary floating-point number.
    case double(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])

    /// The text, or NULL when there is none.
    public init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    /// The number, or NULL when there is none.
    public init(_ number: Int64?) {
        self = number.map(SQLValue.integer) ?? .null
    }

    /// The bytes, or NULL when there are none.
    public init(_ bytes: [UInt8]?) {
        self = bytes.map(SQLValue.bytes) ?? .null
    }
}

/// One row of a result. The values are copies, so a row lives as long as the caller wants.
public struct SQLRow: Sendable, Hashable {
    /// The values in the order of the columns.
    public let values: [SQLValue]

    /// Makes a row of values.
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
        default: throw Self.wrongType(column)
        }
    }

    /// Returns the text of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalText(_ column: Int) throws(SQLError) -> String? {
        switch try value(column) {
        case .text(let text): return text
        case .null: return nil
        default: throw Self.wrongType(column)
        }
    }

    /// Returns the bytes of a column; nil for NULL.
    ///
    /// - Throws: `sql.wrong-type`.
    public func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        switch try value(column) {
        case .bytes(let bytes): return bytes
        case .null: return nil
        default: throw Self.wrongType(column)
        }
    }

    /// Returns the whole number of a column.
    ///
    /// - Throws: `sql.wrong-type`, also for NULL.
    public func integer(_ column: Int) throws(SQLError) -> Int64 {
        guard let number = try optionalInteger(column) else { throw Self.wrongType(column) }
        return number
    }

    /// Returns the text of a column.
    ///
    /// - Throws: `sql.wrong-type`, also for NULL.
    public func text(_ column: Int) throws(SQLError) -> String {
        guard let text = try optionalText(column) else { throw Self.wrongType(column) }
        return text
    }

    /// Returns the bytes of a column.
    ///
    /// - Throws: `sql.wrong-type`, also for NULL.
    public func bytes(_ column: Int) throws(SQLError) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw Self.wrongType(column) }
        return bytes
    }

    private func value(_ column: Int) throws(SQLError) -> SQLValue {
        guard values.indices.contains(column) else { throw Self.wrongType(column) }
        return values[column]
    }

    private static func wrongType(_ column: Int) -> SQLError {
        SQLError(.wrongType, detail: "column \(column + 1)")
    }
}
