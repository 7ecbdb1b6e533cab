/// A value that goes into a statement or comes out of a row.
public enum SQLValue: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A binary floating-point number.
    case double(Double)
    case text(String)
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
