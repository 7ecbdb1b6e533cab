import AppStoreServerAPI
@testable import Catalogue
import Cryptography
import Rules
import Support
import System

/// Makes the values of a page without files. Names and texts are not checked, so that they can be worse than any catalogue.
struct PageSample {
    /// The time of everything: 2026-11-22 10:00 UTC.
    static let time: Int64 = 1_795_341_600_000

    var catalogue = Catalogue(
        appAppleId: 6_745_974_591, bundleId: "com.example.app", namespace: UUID(high: 1, low: 2),
        locales: ["en-US", "de-DE"],
        products: [.init(name: "pro_monthly", group: "pro"), .init(name: "pro_annual", group: nil)],
        images: [], messages: [], defaults: [], realtimeURLs: [:])
    /// The bytes of each image, by the path of its file.
    var files: [String: [UInt8]] = [:]
    var state = AppleState()
    /// The rules that serve a message, as identifiers of rules, by the name of the message.
    var rules: [String: [String]] = [:]
    var rulesFile = "rules.json"
    /// The default messages that the catalogue names.
    var defaults: [(product: String, locale: String, message: String)] = []
    var server: String?
    var realtimeURL: String?

    static func image(_ name: String, _ size: ImageSize, file: String? = nil) -> Catalogue.Image {
        Catalogue.Image(name: name, file: file ?? "images/\(name).png", size: size, revision: 1, pins: [:])
    }

    static func text(_ locale: String, _ header: String, _ body: String) -> Catalogue.Text {
        Catalogue.Text(
            locale: locale, header: header, body: body, image: nil, imageAltText: nil, bulletPoints: [],
            revision: 1, pins: [:])
    }

    static func message(_ name: String, _ kind: MessageKind, _ texts: [Catalogue.Text]) -> Catalogue.Message {
        Catalogue.Message(
            name: name, kind: kind, product: nil, headerPosition: nil, failsWhenUnapproved: false,
            texts: texts)
    }

    func identifier(image name: String) -> UUID {
        UUID(high: 0x1000, low: UInt64(catalogue.images.firstIndex { $0.name == name } ?? 99))
    }

    func identifier(_ message: String, _ locale: String) -> UUID {
        let messageIndex = catalogue.messages.firstIndex { $0.name == message } ?? 99
        let localeIndex = catalogue.locales.firstIndex(of: locale) ?? 99
        return UUID(high: 0x2000, low: UInt64(messageIndex * 100 + localeIndex))
    }

    /// The catalogue with identifiers.
    var resolved: ResolvedCatalogue {
        let digest = ContentVersion(digest: SHA256.hash([UInt8]().span))
        return ResolvedCatalogue(
            environment: .sandbox,
            appAppleId: catalogue.appAppleId,
            bundleId: catalogue.bundleId,
            images: catalogue.images.map { image in
                let bytes = files[image.file] ?? []
                return ResolvedCatalogue.Image(
                    identifier: identifier(image: image.name), isPinned: false, names: [image.name],
                    size: image.size, file: image.file, fileDigest: SHA256.hash(bytes.span),
                    revision: image.revision, contentVersion: digest)
            },
            messages: catalogue.messages.flatMap { message in
                message.texts.map { text in
                    ResolvedCatalogue.Message(
                        identifier: identifier(message.name, text.locale),
                        isPinned: message.product != nil,
                        name: message.name,
                        locale: text.locale,
                        kind: message.kind,
                        product: message.product,
                        revision: text.revision,
                        contentVersion: digest,
                        body: body(text, message),
                        images: text.images.map { identifier(image: $0) }
                    )
                }
            },
            defaults: defaults.map { entry in
                .init(
                    product: entry.product, locale: entry.locale, message: entry.message,
                    identifier: identifier(entry.message, entry.locale))
            },
            realtimeURL: catalogue.realtimeURLs[.sandbox]
        )
    }

    private func body(_ text: Catalogue.Text, _ message: Catalogue.Message) -> UploadMessageRequestBody {
        UploadMessageRequestBody(
            header: text.header,
            body: text.body,
            image: text.image.map {
                .init(imageIdentifier: identifier(image: $0), altText: text.imageAltText ?? "")
            },
            headerPosition: message.headerPosition,
            bulletPoints: text.bulletPoints.map {
                .init(text: $0.text, imageIdentifier: identifier(image: $0.image), altText: $0.altText)
            }
        )
    }

    /// Rules that serve messages.
    private var model: RulesModel {
        var model = RulesModel(
            appAppleId: catalogue.appAppleId, bundleId: catalogue.bundleId, environment: .sandbox)
        for (index, name) in rules.keys.sorted().enumerated() {
            model.messages.append(
                .init(
                    name: name,
                    kind: .text,
                    identifiers: catalogue.locales.map { .init(locale: $0, identifier: identifier(name, $0)) }
                )
            )
            model.rules += (rules[name] ?? []).map { .init(id: $0, outcome: .message(index)) }
        }
        return model
    }

    /// The page. The rules of a product are those of its name.
    func page() throws -> CataloguePage {
        let resolved = resolved
        var uses = CatalogueUses()
        if !rules.isEmpty { uses.add(model, file: rulesFile) }
        let ids = rules.keys.sorted().flatMap { rules[$0] ?? [] }
        var page = CataloguePage(
            catalogue,
            resolved: resolved,
            status: CatalogueStatus(resolved, state, uses: uses),
            coverage: CatalogueCoverage(catalogue, state) { _, locales in
                locales.enumerated().map { $0.offset == 0 ? ids : [] }
            },
            images: try PageImages(
                resolved,
                reading: { file in
                    guard let bytes = files[file] else { throw ToolError(code: "missing", file) }
                    return bytes
                }
            )
        )
        (page.time, page.server) = (Self.time, server)
        page.realtimeURL = realtimeURL
        return page
    }

    func text() throws -> String { String(decoding: try page().bytes, as: UTF8.self) }

    // MARK: Ready values

    /// An image of one grey.
    static func png(_ width: UInt32, _ height: UInt32, grey: UInt8) -> [UInt8] {
        var image = TestPNG(width, height)
        (image.colorType, image.fill) = (0, grey)
        return image.bytes()
    }

    /// Records a state that Apple lists.
    mutating func list(_ item: CatalogueItem, _ state: ReviewState) {
        self.state.list(item, state, at: Self.time - 86_400_000)
    }

    /// Records what Apple said of a default message.
    mutating func set(_ product: String, _ locale: String, _ identifier: UUID?) {
        state.add(
            .defaultSet(ProductLocale(product: product, locale: locale), identifier),
            at: Self.time - 3_600_000)
    }
}
