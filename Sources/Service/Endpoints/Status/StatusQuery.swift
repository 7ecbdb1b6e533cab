/// The switches of the status page, as php-fpm has them: `?json`, `?html`, `?full`, in any order between `&`. A scraper
/// that asks for a form which only php-fpm has gets no text, because it would misread the text.
struct StatusQuery: Sendable, Hashable {
    /// The form of the page.
    enum Form: Sendable, Hashable {
        case text, json, html
        /// A form of php-fpm's that this page does not have: `?xml`, `?openmetrics`.
        case absent
    }

    var form = Form.text
    /// True when the page shows each worker.
    var isFull = false

    /// Creates the default query: text, without the workers.
    init() {}

    /// Parses a query string. Unknown words are ignored, and the last of several forms counts.
    init(_ query: Span<UInt8>?) {
        guard let query else { return }
        var word: [UInt8] = []
        for index in 0...query.count {
            if index < query.count, query[index] != UInt8(ascii: "&") {
                word.append(query[index])
                continue
            }
            switch String(decoding: word, as: UTF8.self) {
            case "json": form = .json
            case "html": form = .html
            case "xml", "openmetrics": form = .absent
            case "full": isFull = true
            default: break
            }
            word = []
        }
    }
}
