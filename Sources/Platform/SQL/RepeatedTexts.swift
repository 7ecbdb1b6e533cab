internal import Glibc

/// The last text of each column. Rows that follow each other often have the same texts, which are then made once.
struct RepeatedTexts {
    private var last: [String] = []
    /// A shorter text needs no memory of its own.
    private static let shortCount = 15

    mutating func text(_ bytes: UnsafeRawBufferPointer, in column: Int) -> String {
        guard bytes.count > Self.shortCount else { return unsafe String(decoding: bytes, as: UTF8.self) }
        while last.count <= column { last.append("") }
        if unsafe Self.has(last[column], bytes) { return last[column] }
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        last[column] = text
        return text
    }

    /// Forgets the texts, which their readers may hold in another thread.
    mutating func forget() { last.removeAll(keepingCapacity: true) }

    private static func has(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let span = text.utf8Span.span
        guard span.count == bytes.count else { return false }
        return unsafe span.withUnsafeBytes { known in
            guard let left = known.baseAddress, let right = bytes.baseAddress else {
                return unsafe known.isEmpty
            }
            return unsafe memcmp(left, right, known.count) == 0
        }
    }
}
