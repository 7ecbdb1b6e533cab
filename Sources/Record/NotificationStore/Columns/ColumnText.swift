internal import Cryptography

/// The limits of texts in columns.
enum ColumnText {
    /// The most bytes of a text. Apple's identifiers are shorter, and PostgreSQL cannot index a text of some thousand bytes.
    static let byteCount = 512

    /// Returns true when both database systems can keep the text. PostgreSQL cannot represent U+0000.
    static func fits(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        return bytes.count <= byteCount && ByteComparison.firstIndex(of: 0, in: bytes, from: 0) == nil
    }
}
