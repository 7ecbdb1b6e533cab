internal import AppStoreServerAPI
internal import Catalogue
internal import Vocabulary

extension HTMLWriter {
    /// Adds the images with their states and the messages that use them.
    mutating func images(_ page: CataloguePage, _ index: PageIndex) {
        open("section", ["id": "images"])
        block("h2") { $0.text("Images") }
        if page.resolved.images.isEmpty {
            block("p") { $0.text("The catalogue has no images.") }
        } else {
            open("div", ["class": "pictures"])
            for image in page.resolved.images { self.image(image, page, index) }
            close("div", endsLine: true)
        }
        close("section", endsLine: true)
    }

    private mutating func image(_ image: ResolvedCatalogue.Image, _ page: CataloguePage, _ index: PageIndex) {
        let row = index.rows[CatalogueItem(.image, image.identifier)]
        let picture = index.pictures[image.identifier]
        open("article", ["class": "picture", "id": picture?.anchor ?? ""])
        let kind = image.size == .fullSize ? "image" : "image square"
        self.picture("div", kind, picture, alt: "The image \(image.names.joined(separator: ", "))")
        block("h4") {
            $0.names(image.names)
            $0.badge(row?.state ?? .unknown)
            $0.since(row?.since)
        }
        open("dl", ["class": "small"])
        property("File") { value in
            value.name(image.file)
            let entry = page.images[image.fileDigest]
            let pixels = entry.map { ", \($0.width) x \($0.height)" } ?? ""
            value.text(", \(image.size.rawValue)\(pixels), \(Words.size(image.byteCount))")
        }
        property("Identifier") {
            $0.element("code") { $0.text(image.identifier.description) }
            if image.isPinned { $0.text(" (pinned)") }
        }
        if image.revision != 1 { property("Revision") { $0.text("\(image.revision)") } }
        property("Used by") { value in
            let users = index.users[image.identifier] ?? []
            if users.isEmpty { return value.text("no message") }
            for (place, name) in users.enumerated() {
                if place > 0 { value.text(", ") }
                value.link(name, HTMLAnchor.id("m", name))
            }
        }
        close("dl", endsLine: true)
        close("article", endsLine: true)
    }
}
