/// The switches of the status page, as php-fpm has them: `?json` and `?full`, in any order between `&`. Other words are
/// ignored.
struct StatusQuery: Sendable, Hashable {
    /// True for JSON, false for the page for people.
    var isJSON = false
    /// True when the page shows each worker.
    var isFull = false

    init(_ query: Span<UInt8>?) {
        guard let query else { return }
        let text = String(decoding: query.indices.map { query[$0] }, as: UTF8.self)
        let words = text.split(separator: "&")
        (isJSON, isFull) = (words.contains("json"), words.contains("full"))
    }
}
