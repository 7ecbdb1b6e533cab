/// Finds the default message of a product in a locale.
///
/// The entry of the product comes before `*`, and in an entry the locale comes before `message`. When the named message has no
/// text in the locale, there is no default message: no other entry is tried.
struct DefaultFinder {
    private let entries: [String?: Catalogue.Default]
    private let messages: [String: Catalogue.Message]

    init(_ catalogue: Catalogue) {
        entries = Dictionary(catalogue.defaults.map { ($0.product, $0) }) { first, _ in first }
        messages = Dictionary(catalogue.messages.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the name of the message; nil when no entry names one.
    func name(_ product: String, _ locale: String) -> String? {
        for case let entry? in [entries[product], entries[nil]] {
            let name = entry.locales.first(where: { $0.locale == locale })?.message ?? entry.message
            if let name { return name }
        }
        return nil
    }

    /// Returns the message and its text, or nil when no message is named or it has no text in the locale.
    func find(_ product: String, _ locale: String) -> (message: Catalogue.Message, text: Catalogue.Text)? {
        guard let message = name(product, locale).flatMap({ messages[$0] }),
            let text = message.texts.first(where: { $0.locale == locale })
        else { return nil }
        return (message, text)
    }
}
