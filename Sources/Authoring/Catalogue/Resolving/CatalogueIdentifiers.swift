internal import Cryptography
internal import Vocabulary

/// Makes the identifiers of images and texts in one environment: the pinned ones, or else UUIDs of version 5 (RFC 9562) of the
/// catalogue's namespace and of a name. The names are described in retention-catalogue(5) and never change.
struct CatalogueIdentifiers {
    private let catalogue: Catalogue
    private let versions: ContentVersions
    private let environment: Environment

    init(_ catalogue: Catalogue, _ versions: ContentVersions, _ environment: Environment) {
        self.catalogue = catalogue
        self.versions = versions
        self.environment = environment
    }

    /// Returns the identifier of an image; nil when its file could not be read.
    func image(_ image: Catalogue.Image) -> (identifier: UUID, isPinned: Bool)? {
        if let pin = image.pins[environment] { return (pin.identifier, true) }
        return versions.images[image.name].map { (identifier(["image", "\($0)"]), false) }
    }

    /// Returns the identifier of a text; nil when the file of one of its images could not be read.
    func text(_ text: Catalogue.Text, of message: Catalogue.Message) -> (identifier: UUID, isPinned: Bool)? {
        if let pin = text.pins[environment] { return (pin.identifier, true) }
        let product = message.product ?? CatalogueKeys.everyProduct
        return versions.texts[TextKey(message: message.name, locale: text.locale)].map { version in
            (identifier([product, text.locale, message.name, "\(version)"]), false)
        }
    }

    private func identifier(_ parts: [String]) -> UUID {
        let name = ([catalogue.bundleId, environment.rawValue] + parts).joined(separator: ":")
        return UUID(namespace: catalogue.namespace, name: name)
    }
}
