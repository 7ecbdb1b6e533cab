internal import Cryptography
internal import Vocabulary

/// Makes the identifiers of images and texts in one environment: the pinned ones, or else UUIDs of version 5 (RFC 9562) of the
/// catalogue's namespace and of a name. The names are described in retention-catalogue(5) and never change.
struct CatalogueIdentifiers {
    private let catalogue: Catalogue
    private let versions: ContentVersions
    private let environment: Environment
    /// The identifiers of images that are pinned in the environment to another identifier than the one that their content gives
    /// them, by the name of the image.
    private var pinnedImages: [String: UUID] = [:]

    init(_ catalogue: Catalogue, _ versions: ContentVersions, _ environment: Environment) {
        self.catalogue = catalogue
        self.versions = versions
        self.environment = environment
        for image in catalogue.images {
            guard let pin = image.pins[environment], pin.identifier != derived(image) else { continue }
            pinnedImages[image.name] = pin.identifier
        }
    }

    /// Returns the identifier of an image; nil when its file could not be read.
    func image(_ image: Catalogue.Image) -> (identifier: UUID, isPinned: Bool)? {
        if let pin = image.pins[environment] { return (pin.identifier, true) }
        return derived(image).map { ($0, false) }
    }

    /// Returns the identifier that the content of an image gives it; nil when its file could not be read.
    func derived(_ image: Catalogue.Image) -> UUID? {
        versions.images[image.name].map { identifier(["image", "\($0)"]) }
    }

    /// Returns the identifier of a text; nil when the file of one of its images could not be read.
    func text(_ text: Catalogue.Text, of message: Catalogue.Message) -> (identifier: UUID, isPinned: Bool)? {
        if let pin = text.pins[environment] { return (pin.identifier, true) }
        return derived(text, of: message).map { ($0, false) }
    }

    /// Returns the identifier that the content of a text gives it. A text names its images at Apple by their identifiers. Those of
    /// images without a pin follow from the content version of the text; other identifiers of pinned images are part of the name, so
    /// that a text gets a new identifier when one of its images does.
    ///
    /// - Returns: the identifier; nil when the file of one of its images could not be read.
    func derived(_ text: Catalogue.Text, of message: Catalogue.Message) -> UUID? {
        let product = message.product ?? CatalogueKeys.everyProduct
        let images = text.images.compactMap { pinnedImages[$0]?.description }
        return versions.texts[TextKey(message: message.name, locale: text.locale)].map { version in
            identifier([product, text.locale, message.name, "\(version)"] + images)
        }
    }

    private func identifier(_ parts: [String]) -> UUID {
        let name = ([catalogue.bundleId, environment.rawValue] + parts).joined(separator: ":")
        return UUID(namespace: catalogue.namespace, name: name)
    }
}
