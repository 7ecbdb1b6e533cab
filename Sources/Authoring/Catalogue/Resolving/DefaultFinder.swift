/// Finds the default message of a product in a locale.
///
/// The entry of the product comes before `*`, and in an entry the locale comes before `message`. Without a text in the locale
/// there is no default message: no other entry is tried then, since nobody asked for that.
struct DefaultFinder {
    private let entries: [String?: Catalogue.Default]
    private let messages: [String: Catalogue.Message]

    init(_ catalogue: Catalogue) {
        entries = Dictionary(catalogue.defaults.map { ($0.product, $0) }) { first, _ in first }
        messages = Dictionary(catalogue.messages.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the message and its text, or nil when no message is named or it has no text in the locale.
    func find(_ product: String, _ locale: String) -> (message: Catalogue.Message, text: Catalogue.Text)? {
        for entry in [entries[product], entries[nil]] {
            guard let entry,
                let name = entry.locales.first(where: { $0.locale == locale })?.message ?? entry.message
            else { continue }
            guard let message = messages[name], let text = message.texts.first(where: { $0.locale == locale })
            else {
                return nil
            }
            return (message, text)
        }
        return nil
    }
}
