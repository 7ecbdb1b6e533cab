import AppStoreServerAPI
@testable import Catalogue
import Cryptography
import Facts
import Rules
import System

/// Makes catalogues for the tests of plan and apply, without files.
enum Wanted {
    static let png: [UInt8] = Array("PNG".utf8)

    static func uuid(_ kind: UInt64, _ number: Int) -> UUID { UUID(high: kind << 32, low: UInt64(number)) }

    static func image(_ number: Int, revision: Int64 = 1, isPinned: Bool = false) -> ResolvedCatalogue.Image {
        ResolvedCatalogue.Image(
            identifier: uuid(1, number), isPinned: isPinned, names: ["image\(number)"],
            size: number % 2 == 0 ? .fullSize : .bulletPoint, file: "images/\(number).png",
            fileDigest: SHA256.hash(png.span), revision: revision,
            contentVersion: ContentVersion(digest: SHA256.hash(png.span)))
    }

    static func message(
        _ number: Int, locale: String = "en-US", images: [Int] = [], revision: Int64 = 1,
        isPinned: Bool = false
    ) -> ResolvedCatalogue.Message {
        let images = images.map { uuid(1, $0) }
        return ResolvedCatalogue.Message(
            identifier: uuid(2, number),
            isPinned: isPinned,
            name: "message\(number)",
            locale: locale,
            kind: .text,
            product: nil,
            revision: revision,
            contentVersion: ContentVersion(digest: SHA256.hash(png.span)),
            body: UploadMessageRequestBody(
                header: "H\(number)",
                body: "B\(number)",
                image: images.first.map { .init(imageIdentifier: $0, altText: "A") },
                bulletPoints: images.dropFirst().map { .init(text: "T", imageIdentifier: $0, altText: "A") }
            ),
            images: images
        )
    }

    static func entry(_ product: String, _ locale: String, _ message: Int) -> ResolvedCatalogue.Default {
        .init(product: product, locale: locale, message: "message\(message)", identifier: uuid(2, message))
    }

    static func catalogue(
        _ environment: Environment = .sandbox, images: [ResolvedCatalogue.Image] = [],
        messages: [ResolvedCatalogue.Message] = [], defaults: [ResolvedCatalogue.Default] = [],
        url: String? = nil
    ) -> ResolvedCatalogue {
        ResolvedCatalogue(
            environment: environment, appAppleId: 7, bundleId: "com.example.app", images: images,
            messages: messages, defaults: defaults, realtimeURL: url)
    }

    /// Two images, three messages, four default messages and a URL.
    static func small(_ environment: Environment = .sandbox) -> ResolvedCatalogue {
        catalogue(
            environment,
            images: [image(0), image(1)],
            messages: [message(0, images: [0, 1]), message(1, locale: "de-DE", images: [0]), message(2)],
            defaults: [
                entry("monthly", "en-US", 0), entry("monthly", "de-DE", 1), entry("annual", "en-US", 0),
                entry("annual", "de-DE", 1),
            ],
            url: "https://example.com/retention"
        )
    }
}
