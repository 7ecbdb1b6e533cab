internal import Cryptography
internal import Vocabulary

/// The limits of texts in columns.
enum ColumnText {
    /// The most bytes of a text. Apple's identifiers are shorter, and PostgreSQL cannot index a text of some thousand bytes.
    static let byteCount = 512

    /// Returns true when both database systems can keep the text. PostgreSQL cannot represent U+0000.
    static func fits(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        return bytes.count <= byteCount && ByteComparison.firstIndex(of: 0, in: bytes, from: 0) == nil
    }

    /// Returns true when both are the same bytes, or nil. Swift calls texts equal whose characters are written in other ways.
    static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.hasSameBytes(as: right)
    }
}
