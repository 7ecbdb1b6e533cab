internal import AppStoreServerAPI
internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads a whole catalogue. Errors go to the findings of the value. The wrong parts are left out of the catalogue, so that
/// one run finds all errors.
enum CatalogueReader {
    static func read(_ root: SourceValue) -> Catalogue {
        var catalogue = Catalogue.empty
        guard root.isObject else { return catalogue }
        root.checkKeys(CatalogueKeys.root)
        suppressFollowUpErrors(root)
        if let schema = root.member("$schema") { _ = schema.string }
        if let format = root.required("format"), let number = format.integer, number != 1 {
            format.report(.unknownFormat, "format \(number) is not known", hint: "this version reads 1")
        }
        if let app = root.required("app"), app.isObject { read(app: app, into: &catalogue) }
        if let namespace = root.required("namespace")?.uuid(CatalogueReason.badUUID) {
            catalogue.namespace = namespace
        }
        catalogue.locales = root.required("locales").map(locales) ?? []
        if catalogue.locales.isEmpty { root.findings.ignore(CatalogueReason.undeclaredLocale) }
        catalogue.products = root.member("products").map(products) ?? []
        catalogue.images = root.member("images").map(images) ?? []
        if let messages = root.required("messages") {
            catalogue.messages = CatalogueMessagesReader(catalogue).read(messages)
        }
        if let defaults = root.member("defaults") {
            catalogue.defaults = CatalogueDefaultsReader(catalogue).read(defaults)
        }
        catalogue.realtimeURLs = root.member("realtimeURL").map(RealtimeURLCheck.read) ?? [:]
        return catalogue
    }

    /// When a list has the wrong JSON type, all its names are unknown. Those errors are left out.
    private static func suppressFollowUpErrors(_ root: SourceValue) {
        let lists: [(name: String, kind: JSONKind, isRequired: Bool, reason: CatalogueReason)] = [
            ("products", .object, false, .unknownProduct), ("images", .object, false, .unknownImage),
            ("messages", .object, true, .unknownMessage),
        ]
        for list in lists {
            let isThere = root.member(list.name).map { $0.value.kind == list.kind } ?? !list.isRequired
            if !isThere { root.findings.ignore(list.reason) }
        }
    }

    private static func read(app: SourceValue, into catalogue: inout Catalogue) {
        app.checkKeys(CatalogueKeys.app)
        if let value = app.required("appAppleId"), let number = value.integer {
            if number <= 0 { value.report(.badNumber, "an appAppleId is above 0") }
            catalogue.appAppleId = number
        }
        let limit = CatalogueLimits.bundleIdByteCount
        guard let value = app.required("bundleId"), let bundleId = value.word(limitBytes: limit) else {
            return
        }
        // The journal's file is named after the app, and a colon separates the parts of an identifier's name.
        if !isBundleId(bundleId) {
            value.report(.badName, "not a bundle identifier", hint: "letters, digits, \".\" and \"-\"")
        }
        catalogue.bundleId = bundleId
    }

    /// Returns true for the characters that retentiond's configuration takes in a bundle identifier.
    private static func isBundleId(_ text: String) -> Bool {
        text.utf8.allSatisfy { TextCheck.isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }

    private static func locales(_ value: SourceValue) -> [String] {
        var locales: [String] = []
        let elements = value.elements(limit: CatalogueLimits.localeCount)
        if elements.isEmpty, value.value.kind == .array { value.report(.empty, "a catalogue needs a locale") }
        for element in elements {
            guard let text = element.string else { continue }
            // A wrong spelling is read as the right one, so that texts in that locale are not reported too.
            guard let locale = element.checkLocale(text) ? text : LocaleSpelling.canonical(text) else {
                continue
            }
            guard !locales.contains(locale) else {
                element.report(.duplicateLocale, "\"\(locale)\" stands twice")
                continue
            }
            if text == locale, !AppStoreLocales.all.contains(locale) {
                element.report(
                    .unknownLocale,
                    "\"\(locale)\" is not in Apple's table of App Store locales",
                    hint: AppStoreLocales.suggestion(for: locale).map { "did you mean \"\($0)\"?" }
                )
            }
            locales.append(locale)
        }
        return locales
    }

    private static func products(_ value: SourceValue) -> [Catalogue.Product] {
        value.members(limit: CatalogueLimits.productCount).map { name, value in
            let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            let limit = CatalogueLimits.productByteCount
            // A product is a part of a path in Apple's API, where dots mean another folder.
            let isReserved = [CatalogueKeys.everyProduct, ".", ".."].contains(name)
            if name.isEmpty || name.utf8.count > limit || !isPlain || isReserved {
                value.reportKey(
                    .badName, "not a product identifier",
                    hint: "1 to \(limit) characters of ASCII without spaces; not \"*\", \".\" or \"..\"")
            }
            guard value.isObject else { return Catalogue.Product(name: name, group: nil) }
            value.checkKeys(CatalogueKeys.product)
            return Catalogue.Product(name: name, group: value.member("group")?.word())
        }
    }

    private static func images(_ value: SourceValue) -> [Catalogue.Image] {
        value.members(limit: CatalogueLimits.nameCount).map { name, value in
            value.checkName(name)
            var image = Catalogue.Image(name: name, file: "", size: .fullSize, revision: 1, pins: [:])
            guard value.isObject else { return image }
            value.checkKeys(CatalogueKeys.image)
            if let file = value.required("file"), let path = file.word() {
                if isInside(path) {
                    image.file = path
                } else {
                    file.report(
                        .badPath, "a path out of the catalogue's folder",
                        hint: "a relative path, as images/hero.png")
                }
            }
            let size = value.required("size")?.choice(
                of: ImageSize.allCases, named: \.rawValue, "size of an image")
            image.size = size ?? .fullSize
            image.revision = value.member("revision")?.revision ?? 1
            image.pins = value.member("identifier")?.pins ?? [:]
            return image
        }
    }

    /// Returns true for a relative path that does not lead upwards.
    private static func isInside(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return !parts.contains { $0.isEmpty || $0 == "." || $0 == ".." }
    }
}

extension Catalogue {
    static let empty = Catalogue(
        appAppleId: 0, bundleId: "", namespace: UUID(high: 0, low: 0), locales: [], products: [], images: [],
        messages: [], defaults: [], realtimeURLs: [:])
}
