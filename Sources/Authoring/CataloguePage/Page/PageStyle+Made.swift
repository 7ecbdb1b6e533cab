internal import Catalogue

extension PageStyle {
    /// The style sheet of the page's images, each with its pixels, and of the choices that depend on its locales.
    static func made(_ page: CataloguePage) -> [UInt8] {
        var style: [UInt8] = []
        style.reserveCapacity(
            page.images.digests.reduce(1 << 16) { $0 + (page.images[$1]?.base64.count ?? 0) + 100 }
        )
        for (place, digest) in page.images.digests.enumerated() {
            guard let image = page.images[digest] else { continue }
            style += ".i\(place + 1){aspect-ratio:\(image.width)/\(image.height);".utf8
            style += "background-image:url(data:image/png;base64,".utf8
            style += image.base64
            style += ")}\n".utf8
        }
        // A choice looks at the texts behind it. So a browser searches only the choice for what is chosen, not the page.
        let places = page.catalogue.locales.indices.map { $0 + 1 }
        for place in places {
            let chosen = "#choices:has([value=\"\(place)\"]:checked)"
            style += "\(chosen)~.all .m .t:not(.l\(place)){display:none}\n".utf8
        }
        for group in StateGroup.allCases {
            let chosen = "#choices:has([value=\(group.rawValue)]:checked)"
            style += "\(chosen)~.all .m .t:not(.\(group.rawValue)),".utf8
            style += "\(chosen)~.all .m:not(.has-\(group.rawValue)){display:none}\n".utf8
            for place in places {
                style += "\(chosen):has([value=\"\(place)\"]:checked)".utf8
                style += "~.all .m:not(.\(hasText(place, group))){display:none}\n".utf8
            }
        }
        return style
    }

    /// The class of a message that has a text with a state in a locale.
    static func hasText(_ locale: Int, _ group: StateGroup) -> String { "l\(locale)-\(group.rawValue)" }
}
