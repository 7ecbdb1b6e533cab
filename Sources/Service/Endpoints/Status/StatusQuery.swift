/// The switches of the status page, as php-fpm has them: `?json`, `?html`, `?full`, in any order between `&`. A scraper that
/// asks for another form of php-fpm's is not given text that it would misread.
struct StatusQuery: Sendable, Hashable {
    /// How the page is written.
    enum Form: Sendable, Hashable {
        case text, json, html
        /// A form of php-fpm's that this page does not have: `?xml`, `?openmetrics`.
        case absent
    }

    var form = Form.text
    /// Whether each worker is shown.
    var isFull = false

    /// Text, without the workers.
    init() {}

    /// Reads a query string; what is no switch is passed over, the last of two forms counts.
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
