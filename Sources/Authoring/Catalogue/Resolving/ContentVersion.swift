internal import AppStoreServerAPI
package import Cryptography
internal import System

/// The version of the content of an image or a message: the SHA-256 digest of its canonical bytes. The canonical bytes are
/// described in retention-catalogue(5) and never change, since every identifier depends on them.
///
/// The canonical bytes begin with a line that says whether they describe an image or a message. Then comes a line for each field: the name, a
/// space, the number of bytes of the value, a colon, and the value. Every line ends with a line feed. A field without a
/// value, or with the default value, is left out.
package struct ContentVersion: Sendable, Hashable, CustomStringConvertible {
    package let digest: SHA256Digest

    package init(digest: SHA256Digest) {
        self.digest = digest
    }

    package var description: String { digest.hexadecimal }

    init(image: Catalogue.Image, fileDigest: SHA256Digest) {
        var content = CanonicalContent("retention-catalogue image 1")
        content.add("file", fileDigest.hexadecimal)
        content.add("size", image.size.rawValue)
        content.add(revision: image.revision)
        digest = SHA256.hash(content.bytes.span)
    }

    init?(text: Catalogue.Text, of message: Catalogue.Message, images: [String: ContentVersion]) {
        guard let content = CanonicalContent(text: text, of: message, images: images) else { return nil }
        digest = SHA256.hash(content.bytes.span)
    }
}

struct CanonicalContent {
    private(set) var bytes: [UInt8]

    init(_ head: StaticString) {
        bytes = Array("\(head)\n".utf8)
    }

    init?(text: Catalogue.Text, of message: Catalogue.Message, images: [String: ContentVersion]) {
        self.init("retention-catalogue message 1")
        add("header", text.header)
        add("body", text.body)
        if message.headerPosition == .aboveImage { add("headerPosition", "ABOVE_IMAGE") }
        if let name = text.image {
            guard let image = images[name] else { return nil }
            add("image", image.description)
            add("imageAltText", text.imageAltText ?? "")
        }
        for bullet in text.bulletPoints {
            guard let image = images[bullet.image] else { return nil }
            add("bulletText", bullet.text)
            add("bulletImage", image.description)
            add("bulletAltText", bullet.altText)
        }
        add(revision: text.revision)
    }

    mutating func add(_ name: StaticString, _ value: String) {
        bytes += "\(name) \(value.utf8.count):\(value)\n".utf8
    }

    /// Adds the revision. The first revision is left out, so that content without a revision has the same version.
    mutating func add(revision: Int64) {
        if revision != 1 { add("revision", String(revision)) }
    }
}

struct TextKey: Sendable, Hashable {
    let message: String
    let locale: String
}

struct ContentVersions: Sendable {
    private(set) var images: [String: ContentVersion] = [:]
    private(set) var texts: [TextKey: ContentVersion] = [:]

    init(_ catalogue: Catalogue, files: [String: ImageFile]) {
        for image in catalogue.images {
            guard let file = files[image.file] else { continue }
            images[image.name] = ContentVersion(image: image, fileDigest: file.digest)
        }
        for message in catalogue.messages {
            for text in message.texts {
                let key = TextKey(message: message.name, locale: text.locale)
                texts[key] = ContentVersion(text: text, of: message, images: images)
            }
        }
    }
}

/// The pinned ones, or else UUIDs of version 5 (RFC 9562) whose names retention-catalogue(5) describes and which never
/// change.
struct CatalogueIdentifiers {
    private let catalogue: Catalogue
    private let versions: ContentVersions
    private let environment: Environment
    /// Those that are pinned to another identifier than the one that their content gives them.
    private var pinnedImages: [String: UUID] = [:]

    init(_ catalogue: Catalogue, _ versions: ContentVersions, _ environment: Environment) {
        self.catalogue = catalogue
        self.versions = versions
        // Nothing is uploaded to LocalTesting: a test pool serves what was uploaded to Sandbox.
        self.environment = environment == .localTesting ? .sandbox : environment
        for image in catalogue.images {
            guard let pin = image.pins[self.environment], pin.identifier != derived(image) else { continue }
            pinnedImages[image.name] = pin.identifier
        }
    }

    func image(_ image: Catalogue.Image) -> (identifier: UUID, isPinned: Bool)? {
        if let pin = image.pins[environment] { return (pin.identifier, true) }
        return derived(image).map { ($0, false) }
    }

    func derived(_ image: Catalogue.Image) -> UUID? {
        versions.images[image.name].map { identifier(["image", "\($0)"]) }
    }

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
