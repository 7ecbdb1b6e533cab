internal import AppStoreServerAPI
internal import Facts
internal import JSON
internal import Rules
internal import System

/// The wrong members are left out of the catalogue, so that one run finds all errors.
enum CatalogueReader {
    static func read(_ root: SourceValue) -> Catalogue {
        var catalogue = Catalogue.empty
        guard root.isObject else { return catalogue }
        root.checkKeys(CatalogueKeys.root)
        suppressFollowUpErrors(root)
        if let schema = root.member("$schema") { _ = schema.string }
        if let format = root.required("format"), let number = format.integer, number != 1 {
            format.report(.badValue, "format \(number) is not known", hint: "this version reads 1")
        }
        if let app = root.required("app"), app.isObject { read(app: app, into: &catalogue) }
        if let namespace = root.required("namespace")?.uuid(CatalogueReason.badValue) {
            catalogue.namespace = namespace
        }
        catalogue.locales = root.required("locales").map(locales) ?? []
        if catalogue.locales.isEmpty { root.findings.ignore(CatalogueReason.unknownName) }
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
        let kinds = ["products", "images", "messages"].map { root.member($0)?.value.kind }
        if kinds[2] == nil || kinds.contains(where: { $0 != nil && $0 != .object }) {
            root.findings.ignore(CatalogueReason.unknownName)
        }
    }

    private static func read(app: SourceValue, into catalogue: inout Catalogue) {
        app.checkKeys(CatalogueKeys.app)
        if let value = app.required("appAppleId"), let number = value.integer {
            if number <= 0 { value.report(.badValue, "an appAppleId is above 0") }
            catalogue.appAppleId = number
        }
        let limit = CatalogueLimits.bundleIdByteCount
        guard let value = app.required("bundleId"), let bundleId = value.storeIdentifier(limitBytes: limit)
        else {
            return
        }
        // The state's file is named after the app, and a colon separates the parts of an identifier's name.
        if !isBundleId(bundleId) {
            value.report(.badValue, "not a bundle identifier", hint: "letters, digits, \".\" and \"-\"")
        }
        catalogue.bundleId = bundleId
    }

    /// Returns true for the characters that retentiond's configuration takes in a bundle identifier.
    private static func isBundleId(_ text: String) -> Bool {
        text.utf8.allSatisfy { TextCheck.isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }

    private static func locales(_ value: SourceValue) -> [String] {
        var locales: [String] = []
        let elements = value.elements ?? []
        if elements.isEmpty, value.value.kind == .array {
            value.report(.badValue, "a catalogue needs a locale")
        }
        for element in elements {
            guard let text = element.string else { continue }
            // A wrong spelling is read as the right one, so that texts in that locale are not reported too.
            guard let locale = element.checkAppStoreLocale(text) ? text : LocaleSpelling.canonical(text)
            else {
                continue
            }
            guard !locales.contains(locale) else {
                element.report(.duplicate, "\"\(locale)\" stands twice")
                continue
            }
            if text == locale, !AppStoreLocales.all.contains(locale) {
                element.report(
                    .unknownLocale, "\"\(locale)\" is not in Apple's table of App Store locales",
                    hint: AppStoreLocales.suggestion(for: locale).map { "did you mean \"\($0)\"?" })
            }
            locales.append(locale)
        }
        return locales
    }

    private static func products(_ value: SourceValue) -> [Catalogue.Product] {
        value.entries.map { name, value in
            let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            let limit = CatalogueLimits.productByteCount
            // A product is a part of a path in Apple's API, where dots mean another folder.
            let isReserved = [CatalogueKeys.everyProduct, ".", ".."].contains(name)
            if name.isEmpty || name.utf8.count > limit || !isPlain || isReserved {
                value.reportKey(
                    .badValue, "not a product identifier",
                    hint: "1 to \(limit) characters of ASCII without spaces; not \"*\", \".\" or \"..\"")
            }
            guard value.isObject else { return Catalogue.Product(name: name, group: nil) }
            value.checkKeys(CatalogueKeys.product)
            return Catalogue.Product(name: name, group: value.member("group")?.storeIdentifier())
        }
    }

    private static func images(_ value: SourceValue) -> [Catalogue.Image] {
        value.entries.map { name, value in
            value.checkItemName(name)
            var image = Catalogue.Image(name: name, file: "", size: .fullSize, revision: 1, pins: [:])
            guard value.isObject else { return image }
            value.checkKeys(CatalogueKeys.image)
            if let file = value.required("file"), let path = file.storeIdentifier() {
                if isInside(path) {
                    image.file = path
                } else {
                    file.report(
                        .badValue, "a path out of the catalogue's folder",
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

enum CatalogueKeys {
    static let root = [
        "$schema", "format", "app", "namespace", "locales", "products", "images", "messages", "defaults",
        "realtimeURL",
    ]
    static let app = ["appAppleId", "bundleId"]
    static let product = ["group"]
    static let image = ["file", "size", "revision", "identifier"]
    static let message = ["kind", "product", "headerPosition", "image", "revision", "whenUnapproved"]
    static let text = ["header", "body", "image", "imageAltText", "bulletPoints", "revision", "identifier"]
    static let bulletPoint = ["text", "image", "altText"]
    static let pin = ["id", "digest"]
    static let defaultMessage = ["message", "locales"]
    static let everyProduct = "*"
    static let environments: [Environment] = [.production, .sandbox]
}

enum RealtimeURLCheck {
    static func read(_ value: SourceValue) -> [Environment: String] {
        guard value.isObject else { return [:] }
        value.checkKeys(CatalogueKeys.environments.map(\.rawValue))
        var urls: [Environment: String] = [:]
        for environment in CatalogueKeys.environments {
            guard let member = value.member(environment.rawValue), let url = member.string else { continue }
            if let problem = problem(url) { member.report(.badValue, problem, hint: "https://host/path") }
            urls[environment] = url
        }
        return urls
    }

    /// Returns what is wrong with a URL, or nil. Apple's documentation states `https` and 256 characters.
    static func problem(_ url: String) -> String? {
        let limit = RetentionMessagingLimits.realtimeURLLength
        guard url.utf16.count <= limit else {
            return "\(url.utf16.count) characters, more than the limit of \(limit)"
        }
        guard url.hasPrefix("https://") else { return "a URL begins with https://" }
        return ReceiverURL(url) == nil ? "not a URL that a client can request" : nil
    }
}

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
                    .unknownName, "there is no product \"\(product.prefix(40))\"",
                    hint: Hint.near(product, among: catalogue.products.map(\.name))
                        ?? "it is not in \"products\"")
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
        guard value.checkAppStoreLocale(locale, isKey: true) else { return nil }
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
