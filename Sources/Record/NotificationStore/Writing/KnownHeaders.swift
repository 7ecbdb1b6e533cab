internal import Cryptography

/// The headers of the latest rows, with the digests by which the store finds them. A header has 3 KB and is the same in
/// millions of rows, so it is neither decoded nor hashed for each. What is known here need not be in the store any more.
struct KnownHeaders {
    /// A header by its text in a JWS.
    struct Entry {
        let text: [UInt8]
        let digest: SHA256Digest
    }

    private var entries: [Entry] = []
    /// Apple changes its certificates about every two years, so a few headers are in use at a time.
    private static let count = 64

    /// Returns a header, with a text that shares its memory with others; nil when it is not known here.
    func entry(of text: Span<UInt8>) -> Entry? {
        for entry in entries where ByteComparison.areEqual(entry.text.span, text) { return entry }
        return nil
    }

    mutating func remember(_ text: [UInt8], digest: SHA256Digest) {
        guard entry(of: text.span) == nil else { return }
        if entries.count >= Self.count { entries.removeFirst() }
        entries.append(Entry(text: text, digest: digest))
    }
}
