internal import AppStoreServerAPI
public import Cryptography

/// The version of the content of an image or a message: the SHA-256 digest of its canonical bytes. The canonical bytes are
/// described in retention-catalogue(5) and never change, since every identifier depends on them.
///
/// The canonical bytes begin with a line that says whether they describe an image or a message. Then comes a line for each field: the name, a
/// space, the number of bytes of the value, a colon, and the value. Every line ends with a line feed. A field without a
/// value, or with the default value, is left out.
public struct ContentVersion: Sendable, Hashable, CustomStringConvertible {
    /// The digest of the canonical bytes.
    public let digest: SHA256Digest

    public init(digest: SHA256Digest) {
        self.digest = digest
    }

    /// The digest as 64 lower-case hexadecimal digits.
    public var description: String { digest.hexadecimal }

    init(image: Catalogue.Image, fileDigest: SHA256Digest) {
        var content = CanonicalContent("retention-catalogue image 1")
        content.add("file", fileDigest.hexadecimal)
        content.add("size", image.size.rawValue)
        content.add(revision: image.revision)
        digest = SHA256.hash(content.bytes.span)
    }

    /// Makes the version of a text. Returns nil when the version of one of its images is missing.
    init?(text: Catalogue.Text, of message: Catalogue.Message, images: [String: ContentVersion]) {
        guard let content = CanonicalContent(text: text, of: message, images: images) else { return nil }
        digest = SHA256.hash(content.bytes.span)
    }
}

/// The bytes of which a content version is the digest.
struct CanonicalContent {
    private(set) var bytes: [UInt8]

    init(_ head: StaticString) {
        bytes = Array("\(head)\n".utf8)
    }

    /// Makes the bytes of a text. Returns nil when the version of one of its images is missing.
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

    /// Adds a line with a field.
    mutating func add(_ name: StaticString, _ value: String) {
        bytes += "\(name) \(value.utf8.count):\(value)\n".utf8
    }

    /// Adds the revision. The first revision is left out, so that content without a revision has the same version.
    mutating func add(revision: Int64) {
        if revision != 1 { add("revision", String(revision)) }
    }
}
