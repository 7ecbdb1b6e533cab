internal import AppStoreServerAPI
internal import DataFiles
internal import JSON

/// Finds locales without a text or a default message, and images that no message uses.
struct CoverageCheck {
    let catalogue: Catalogue
    let findings: Findings

    func check() {
        for message in catalogue.messages where !message.texts.isEmpty {
            let locales = Set(message.texts.map(\.locale))
            let missing = catalogue.locales.filter { !locales.contains($0) }
            guard !missing.isEmpty else { continue }
            let text = "\"\(message.name)\" has no text in \(Self.list(missing))"
            report(.missingLocale, text, [.member("messages"), .member(message.name)], hint: "add the texts")
        }
        let used = Set(catalogue.messages.flatMap { $0.texts.flatMap(\.images) })
        for image in catalogue.images where !used.contains(image.name) {
            report(
                .unusedImage, "no message uses \"\(image.name)\"", [.member("images"), .member(image.name)])
        }
        checkDefaults()
    }

    /// Without any default message, one finding says what that means, instead of one for each product.
    private func checkDefaults() {
        guard !catalogue.defaults.isEmpty else {
            guard !catalogue.messages.isEmpty, !catalogue.products.isEmpty else { return }
            let hint = "set one for every product, such as \"defaults\": { \"*\": MESSAGE }"
            let text =
                "no product has a default message; without it Apple shows subscribers no message and does not ask your "
                + "server"
            report(.missingDefault, text, [.member("products")], hint: hint)
            return
        }
        let finder = DefaultFinder(catalogue)
        let named = Set(catalogue.defaults.compactMap(\.product))
        for product in catalogue.products {
            let missing = catalogue.locales.filter { finder.find(product.name, $0) == nil }
            guard !missing.isEmpty else { continue }
            let own = named.contains(product.name)
            let path: JSONPath =
                own
                ? [.member("defaults"), .member(product.name)] : [.member("products"), .member(product.name)]
            let text = "\"\(product.name)\" has no default message in \(Self.list(missing))"
            let isNamed = missing.contains { finder.name(product.name, $0) != nil }
            let hint = isNamed ? "its default message has no text there" : "name a message in \"defaults\""
            report(.missingDefault, text, path, hint: hint)
        }
    }

    private func report(_ reason: CatalogueReason, _ message: String, _ path: JSONPath, hint: String? = nil) {
        findings.add(reason: reason, message, at: path, isKey: true, hint: hint)
    }

    /// Returns the first five locales, and how many others there are.
    static func list(_ locales: [String]) -> String {
        locales.prefix(5).joined(separator: ", ")
            + (locales.count > 5 ? " and \(locales.count - 5) more" : "")
    }
}
