internal import Facts
internal import JSON
internal import Rules
internal import System

/// Reads `defaults`.
struct CatalogueDefaultsReader {
    private let catalogue: Catalogue
    private let messages: [String: Catalogue.Message]
    private let locales: Set<String>
    private let products: Set<String>

    init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        messages = Dictionary(catalogue.messages.map { ($0.name, $0) }) { first, _ in first }
        locales = Set(catalogue.locales)
        products = Set(catalogue.products.map(\.name))
    }

    func read(_ value: SourceValue) -> [Catalogue.Default] {
        value.entries.map { name, value in
            let product = name == CatalogueKeys.everyProduct ? nil : name
            if let product, !products.contains(product) {
                value.reportKey(
                    .unknownName,
                    "there is no product \"\(product.prefix(40))\"",
                    hint: Hint.near(product, among: catalogue.products.map(\.name))
                        ?? "it is not in \"products\""
                )
            }
            var entry = Catalogue.Default(product: product, message: nil, locales: [])
            if value.value.kind == .string {
                entry.message = message(value, for: product)?.name
                return entry
            }
            guard value.value.kind == .object else {
                value.reportWrongType("the name of a message or an object")
                return entry
            }
            value.checkKeys(CatalogueKeys.defaultMessage)
            entry.message = value.member("message").flatMap { message($0, for: product)?.name }
            for (locale, value) in value.member("locales")?.entries ?? [] {
                guard let local = localDefault(locale, value, product) else { continue }
                entry.locales.append(local)
            }
            if value.value.count == 0 { value.report(.badValue, "neither \"message\" nor \"locales\"") }
            return entry
        }
    }

    private func localDefault(_ locale: String, _ value: SourceValue, _ product: String?) -> Catalogue
        .LocalDefault?
    {
        guard value.checkLocale(locale, isKey: true) else { return nil }
        guard locales.contains(locale) else {
            value.reportKey(
                .unknownName, "\"\(locale)\" is not in \"locales\"",
                hint: Hint.near(locale, among: catalogue.locales) ?? "add it to \"locales\"")
            return nil
        }
        guard let message = message(value, for: product) else { return nil }
        return Catalogue.LocalDefault(locale: locale, message: message.name)
    }

    private func message(_ value: SourceValue, for product: String?) -> Catalogue.Message? {
        guard let name = value.string else { return nil }
        guard let message = messages[name] else {
            value.report(
                .unknownName, "there is no message \"\(name.prefix(40))\"",
                hint: Hint.near(name, among: catalogue.messages.map(\.name)))
            return nil
        }
        // Source: Apple, Configure Default Message.
        if message.kind != .text {
            let text = "\"\(name)\" is a message of kind \(message.kind.name)"
            value.report(.wrongUse, text, hint: "a default message is of kind text")
        }
        if let other = message.product, other != product {
            let hint = product == nil ? "\"*\" holds for every product" : nil
            value.report(.wrongUse, "\"\(name)\" was written for \"\(other)\"", hint: hint)
        }
        return message
    }
}
