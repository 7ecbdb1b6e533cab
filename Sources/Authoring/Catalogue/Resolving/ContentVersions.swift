internal import Cryptography

/// A text of a catalogue: the message and the locale.
struct TextKey: Sendable, Hashable {
    let message: String
    let locale: String
}

/// The content versions of all images and texts of a catalogue whose files could be read.
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
