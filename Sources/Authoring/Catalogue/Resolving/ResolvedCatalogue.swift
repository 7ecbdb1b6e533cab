package import AppStoreServerAPI
package import Cryptography
package import Rules
package import System

/// The same catalogue and the same images always give the same identifiers, whatever the order of keys in the file.
package struct ResolvedCatalogue: Sendable, Hashable {
    package struct Image: Sendable, Hashable {
        package var identifier: UUID
        package var isPinned: Bool
        /// The names of the image, in the order of the file. Names with the same content share one identifier.
        package var names: [String]
        package var size: ImageSize
        package var file: String
        /// The SHA-256 digest of the PNG. It is compared again before the upload, since the file may have changed.
        package var fileDigest: SHA256Digest
        package var revision: Int64
        package var contentVersion: ContentVersion
    }

    package struct Message: Sendable, Hashable {
        package var identifier: UUID
        package var isPinned: Bool
        package var name: String
        package var locale: String
        package var kind: MessageKind
        package var product: String?
        /// True when a rule that serves the message fails while Apple has not approved it.
        package var failsWhenUnapproved = false
        package var revision: Int64
        package var contentVersion: ContentVersion
        package var body: UploadMessageRequestBody
        package var images: [UUID]
    }

    package struct Default: Sendable, Hashable {
        package var product: String
        package var locale: String
        package var message: String
        package var identifier: UUID
    }

    package var environment: Environment
    package var appAppleId: Int64
    package var bundleId: String
    package var images: [Image]
    package var messages: [Message]
    package var defaults: [Default]
    package var realtimeURL: String?

    /// The messages as rules refer to them: under each name an identifier for each locale, in the order of the file.
    package var rulesMessages: [RulesModel.Message] {
        var rules: [RulesModel.Message] = []
        for message in messages {
            // The texts of one message stand one after the other.
            if rules.last?.name != message.name {
                var rule = RulesModel.Message(name: message.name, kind: message.kind, identifiers: [])
                rule.failsWhenUnapproved = message.failsWhenUnapproved
                rules.append(rule)
            }
            let entry = RulesModel.LocalizedIdentifier(locale: message.locale, identifier: message.identifier)
            rules[rules.count - 1].identifiers.append(entry)
        }
        return rules
    }
}

extension CheckedCatalogue {
    package func resolved(for environment: Environment) throws(ToolError) -> ResolvedCatalogue {
        let errors = findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw ToolError(.data, errors) }
        let names = CatalogueIdentifiers(catalogue, versions, environment)
        let messages = resolvedMessages(names)
        return ResolvedCatalogue(
            environment: environment, appAppleId: catalogue.appAppleId, bundleId: catalogue.bundleId,
            images: resolvedImages(names), messages: messages, defaults: resolvedDefaults(names),
            realtimeURL: catalogue.realtimeURLs[environment])
    }

    private func resolvedImages(_ names: CatalogueIdentifiers) -> [ResolvedCatalogue.Image] {
        var images: [ResolvedCatalogue.Image] = []
        var places: [UUID: Int] = [:]
        for image in catalogue.images {
            guard let (identifier, isPinned) = names.image(image), let version = versions.images[image.name],
                let file = files[image.file]
            else { continue }
            if let place = places[identifier] {
                images[place].names.append(image.name)
                continue
            }
            places[identifier] = images.count
            images.append(
                ResolvedCatalogue.Image(
                    identifier: identifier, isPinned: isPinned, names: [image.name], size: image.size,
                    file: image.file, fileDigest: file.digest, revision: image.revision,
                    contentVersion: version))
        }
        return images
    }

    private func resolvedMessages(_ names: CatalogueIdentifiers) -> [ResolvedCatalogue.Message] {
        let images = Dictionary(catalogue.images.map { ($0.name, names.image($0)?.identifier) }) { first, _ in
            first
        }
        .compactMapValues { $0 }
        return catalogue.messages.flatMap { message in
            message.texts.compactMap { text in
                guard let (identifier, isPinned) = names.text(text, of: message),
                    let version = versions.texts[TextKey(message: message.name, locale: text.locale)]
                else { return nil }
                return ResolvedCatalogue.Message(
                    identifier: identifier, isPinned: isPinned, name: message.name, locale: text.locale,
                    kind: message.kind, product: message.product,
                    failsWhenUnapproved: message.failsWhenUnapproved, revision: text.revision,
                    contentVersion: version, body: Self.body(of: text, message, images),
                    images: text.images.compactMap { images[$0] })
            }
        }
    }

    private static func body(of text: Catalogue.Text, _ message: Catalogue.Message, _ images: [String: UUID])
        -> UploadMessageRequestBody
    {
        let image = text.image.flatMap { images[$0] }
        return UploadMessageRequestBody(
            header: text.header,
            body: text.body,
            image: image.map { .init(imageIdentifier: $0, altText: text.imageAltText ?? "") },
            headerPosition: message.headerPosition,
            bulletPoints: text.bulletPoints.compactMap { point in
                images[point.image].map {
                    .init(text: point.text, imageIdentifier: $0, altText: point.altText)
                }
            }
        )
    }

    private func resolvedDefaults(_ names: CatalogueIdentifiers) -> [ResolvedCatalogue.Default] {
        let finder = DefaultFinder(catalogue)
        return catalogue.products.flatMap { product in
            catalogue.locales.compactMap { locale in
                guard let (message, text) = finder.find(product.name, locale),
                    let identifier = names.text(text, of: message)?.identifier
                else { return nil }
                return ResolvedCatalogue.Default(
                    product: product.name, locale: locale, message: message.name, identifier: identifier)
            }
        }
    }
}

/// The entry of the product comes before `*`, and in an entry the locale comes before `message`. When the named message
/// has no text in the locale, no other entry is tried.
struct DefaultFinder {
    private let entries: [String?: Catalogue.Default]
    private let messages: [String: Catalogue.Message]

    init(_ catalogue: Catalogue) {
        entries = Dictionary(catalogue.defaults.map { ($0.product, $0) }) { first, _ in first }
        messages = Dictionary(catalogue.messages.map { ($0.name, $0) }) { first, _ in first }
    }

    func name(_ product: String, _ locale: String) -> String? {
        for case let entry? in [entries[product], entries[nil]] {
            let name = entry.locales.first(where: { $0.locale == locale })?.message ?? entry.message
            if let name { return name }
        }
        return nil
    }

    func find(_ product: String, _ locale: String) -> (message: Catalogue.Message, text: Catalogue.Text)? {
        guard let message = name(product, locale).flatMap({ messages[$0] }),
            let text = message.texts.first(where: { $0.locale == locale })
        else { return nil }
        return (message, text)
    }
}
