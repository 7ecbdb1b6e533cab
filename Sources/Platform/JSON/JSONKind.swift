/// The kinds of JSON value. A number is an integer when it is written without fraction and exponent.
public enum JSONKind: Sendable, Hashable, CaseIterable {
    /// `{…}`
    case object
    /// `[…]`
    case array
    /// `"…"`
    case string
    /// `-12`
    case integer
    /// `1.0` or `1e3`
    case real
    /// `true` or `false`
    case boolean
    /// `null`
    case null
}
