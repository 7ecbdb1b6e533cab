internal import AppStoreServerAPI
internal import Cryptography
public import Vocabulary

extension CheckedCatalogue {
    /// Returns what the catalogue wants Apple to have in an environment.
    ///
    /// - Throws: all errors of the catalogue, when it has any. Warnings do not matter here.
    public func resolved(for environment: Environment) throws(CatalogueError) -> ResolvedCatalogue {
        let errors = findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw CatalogueError(findings: errors) }
        let names = CatalogueIdentifiers(catalogue, versions, environment)
        let messages = resolvedMessages(names)
        return ResolvedCatalogue(
            environment: environment, appAppleId: catalogue.appAppleId, bundleId: catalogue.bundleId,
            images: resolvedImages(names), messages: messages, defaults: resolvedDefaults(names),
            realtimeURL: catalogue.realtimeURLs[environment])
    }

    private func resolvedImages(_ names: CatalogueIdentifiers) -> [ResolvedCatalogue.Image] {
        let used = Set(catalogue.messages.flatMap { $0.texts.flatMap(\.images) })
        var images: [ResolvedCatalogue.Image] = []
        var places: [UUID: Int] = [:]
        for image in catalogue.images {
            guard let (identifier, isPinned) = names.image(image), let version = versions.images[image.name],
                let file = files[image.file]
            else { continue }
            if let place = places[identifier] {
                images[place].names.append(image.name)
                images[place].isUsed = images[place].isUsed || used.contains(image.name)
                continue
            }
            places[identifier] = images.count
            images.append(
                ResolvedCatalogue.Image(
                    identifier: identifier, isPinned: isPinned, names: [image.name], size: image.size,
                    file: image.file, fileDigest: file.digest, byteCount: file.byteCount,
                    revision: image.revision, contentVersion: version, isUsed: used.contains(image.name))
            )
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
                    identifier: identifier,
                    isPinned: isPinned,
                    name: message.name,
                    locale: text.locale,
                    kind: message.kind,
                    product: message.product,
                    failsWhenUnapproved: message.failsWhenUnapproved,
                    revision: text.revision,
                    contentVersion: version,
                    body: Self.body(of: text, message, images),
                    images: text.images.compactMap { images[$0] }
                )
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
