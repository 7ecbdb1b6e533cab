internal import Cryptography

/// The numbers of headers that this connection has seen in the store. Rows of `headers` are never deleted, so a number stays
/// valid as long as the connection.
struct HeaderNumbers {
    private var entries: [(text: [UInt8], number: Int64)] = []
    /// Apple changes its certificates about every two years, so a few headers are in use at a time.
    private static let count = 64

    /// Returns the number of a header by its text in a JWS; nil when it is not known here.
    func number(of text: Span<UInt8>) -> Int64? { entry(of: text)?.number }

    /// Returns a header by its text, with a text that shares its memory with others; nil when it is not known here.
    func entry(of text: Span<UInt8>) -> (text: [UInt8], number: Int64)? {
        for entry in entries where ByteComparison.areEqual(entry.text.span, text) { return entry }
        return nil
    }

    /// Notes the number of a header. The transaction that wrote the header must be committed.
    mutating func note(_ text: [UInt8], number: Int64) {
        guard self.number(of: text.span) == nil else { return }
        if entries.count >= Self.count { entries.removeFirst() }
        entries.append((text, number))
    }
}
