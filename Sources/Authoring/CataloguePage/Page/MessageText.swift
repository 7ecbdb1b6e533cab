internal import AppStoreServerAPI
internal import Catalogue
internal import DataFiles
internal import Vocabulary

extension HTMLWriter {
    /// Adds a message in one locale: its state, its preview, and its details.
    mutating func text(_ message: ResolvedCatalogue.Message, _ page: CataloguePage, _ index: PageIndex) {
        let item = CatalogueItem(.message, message.identifier)
        let row = index.rows[item]
        let number = index.locales[message.locale] ?? 0
        open(
            "article",
            [
                "class": "t l\(number) \(index.stateGroup(item).rawValue)",
                "id": HTMLAnchor.id("t", message.name, message.locale),
            ]
        )
        block("h4") {
            $0.name(message.locale)
            $0.badge(row?.state ?? .unknown)
            $0.since(row?.since)
        }
        let obstacles = index.obstacles(message)
        if !obstacles.isEmpty {
            block("p", ["class": "warn"]) { line in
                line.text("Apple does not show it before these images are approved: ")
                for (place, picture) in obstacles.enumerated() {
                    if place > 0 { line.text(", ") }
                    line.link(picture.image.names.first ?? "", picture.anchor)
                }
            }
        }
        sheet(message, index)
        disclosure {
            $0.text("Details")
        } content: {
            $0.details(message, page, index)
        }
        close("article", endsLine: true)
    }

    /// Adds the preview. Apple's order: image, header, body, bullet points; or the header first.
    private mutating func sheet(_ message: ResolvedCatalogue.Message, _ index: PageIndex) {
        let body = message.body
        let direction = Words.isRightToLeft(message.locale) ? "rtl" : "ltr"
        open("div", ["class": "sheet", "lang": message.locale, "dir": direction])
        markup("\n")
        if body.headerPosition == .aboveImage { header(body) }
        if let image = body.image {
            picture("div", "image", index.pictures[image.imageIdentifier], alt: image.altText)
            markup("\n")
        }
        if body.headerPosition != .aboveImage { header(body) }
        block("p", ["class": "body"]) { $0.prose(body.body) }
        if !body.bulletPoints.isEmpty {
            block("ul", ["class": "points"]) { list in
                for point in body.bulletPoints {
                    list.block("li") {
                        $0.picture("span", "icon", index.pictures[point.imageIdentifier], alt: point.altText)
                        $0.element("span") { $0.prose(point.text) }
                    }
                }
            }
        }
        controls(message.kind)
        close("div", endsLine: true)
    }

    private mutating func header(_ body: UploadMessageRequestBody) {
        block("p", ["class": "head"]) { $0.prose(body.header) }
    }

    /// Adds the place of what Apple shows itself: the offer or the plan, and two buttons.
    private mutating func controls(_ kind: MessageKind) {
        let shown: String? =
            switch kind {
            case .text: nil
            case .switch: "Apple shows the plan to switch to here."
            case .offer: "Apple shows the promotional offer here."
            case .advancedCommerce: "Apple shows the change of the subscription here."
            }
        if let shown {
            block("p", ["class": "theirs", "lang": "en", "dir": "ltr"]) { $0.text(shown) }
        }
        markup("<div class=\"keep\"></div><div class=\"leave\"></div>\n")
    }

    private mutating func details(
        _ message: ResolvedCatalogue.Message, _ page: CataloguePage, _ index: PageIndex
    ) {
        let body = message.body
        open("dl", ["class": "small"])
        property("Identifier") {
            $0.element("code") { $0.text(message.identifier.description) }
            if message.isPinned { $0.text(" (pinned)") }
        }
        if message.revision != 1 { property("Revision") { $0.text("\(message.revision)") } }
        property("Length") {
            $0.text("header \(body.header.count) of \(RetentionMessagingLimits.headerLength), ")
            $0.text("body \(body.body.count) of \(RetentionMessagingLimits.bodyLength)")
            guard !body.bulletPoints.isEmpty else { return }
            let counts = body.bulletPoints.map { "\($0.text.count)" }.joined(separator: ", ")
            $0.text(", bullet points \(counts) of \(RetentionMessagingLimits.bulletPointTextLength)")
        }
        if let image = body.image { illustration("Image", image.imageIdentifier, image.altText, index) }
        for point in body.bulletPoints { illustration("Bullet", point.imageIdentifier, point.altText, index) }
        let rules = page.uses.rules[message.identifier] ?? []
        property("Rules") { if rules.isEmpty { $0.text("none") } else { $0.names(rules) } }
        defaults(index.defaults[message.identifier] ?? [])
        close("dl", endsLine: true)
    }

    /// Adds an image of a message, with the text for people who do not see it.
    private mutating func illustration(
        _ word: StaticString, _ identifier: UUID, _ alt: String, _ index: PageIndex
    ) {
        property(word) { value in
            let picture = index.pictures[identifier]
            value.link(picture?.image.names.first ?? identifier.description, picture?.anchor)
            value.text(", alternative text: ")
            value.name(alt)
        }
    }

    private mutating func defaults(_ rows: [CatalogueStatus.DefaultRow]) {
        property("Default of") { value in
            guard !rows.isEmpty else { return value.text("no product") }
            for (place, row) in rows.enumerated() {
                if place > 0 { value.text(", ") }
                value.name(row.place.product)
                value.text(" (\(row.state.shownWord)")
                if let since = row.since { value.text(", known at \(Words.time(since))") }
                value.text(")")
            }
        }
    }
}

extension CatalogueStatus.DefaultRow.State {
    /// What is known of the default message, for people.
    fileprivate var shownWord: String {
        switch self {
        case .set: "set"
        case .other: "Apple has another"
        case .unset: "not set"
        case .unknown: "not known"
        }
    }
}
