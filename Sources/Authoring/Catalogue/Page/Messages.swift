internal import AppStoreServerAPI
internal import Facts
internal import Rules
internal import System

extension PageIndex {
    /// The messages, each with its texts in the order of the catalogue's locales.
    var messages: HTML {
        let messages = page.catalogue.messages
        guard !messages.isEmpty else {
            return "<h2 id=\"messages\">Messages</h2>\n<p>The catalogue has no messages.</p>\n"
        }
        let names: [HTML] = messages.map { "<li>\(.link($0.name, HTMLAnchor.id("m", $0.name)))</li>\n" }
        let contents = HTML.disclosure(
            "\(CountText.of(messages.count, "message"))", isOpen: messages.count <= 12,
            "<ul class=\"names\">\(names)</ul>\n")
        return """
            <h2 id="messages">Messages</h2>
            <p class="soft">In the previews, header, image and body have the order of Apple\u{2019}s documentation. The empty shapes \
            stand for Apple\u{2019}s own controls. Fonts, colours, sizes and the place of the bullet points may differ on a device.</p>
            \(contents)\(choices)<div class="all">\(messages.map(message))</div>

            """
    }

    /// The choices of a locale and a state. With many texts, the first locale is chosen at the beginning.
    private var choices: HTML {
        let isLong = page.catalogue.locales.count > 1 && page.resolved.messages.count > 60
        let locales: [HTML] = page.catalogue.locales.enumerated().map { place, locale in
            let selected: HTML = isLong && place == 0 ? " selected=\"\"" : ""
            return "<option value=\"\(place + 1)\"\(selected)>\(attribute: locale)</option>"
        }
        let states: [HTML] = StateGroup.allCases.map {
            "<option value=\"\($0.rawValue)\">\($0.word)</option>"
        }
        return """
            <div class="choices sticky" id="choices"><label>Locale<select id="locale" autocomplete="off">\
            <option value="">All locales</option>\(locales)</select></label><label>State\
            <select id="state" autocomplete="off"><option value="">All states</option>\(states)</select></label></div>

            """
    }

    private func message(_ message: Catalogue.Message) -> HTML {
        let texts = texts[message.name] ?? [:]
        var groups: Set<StateGroup> = []
        var classes = ["m"]
        for (place, locale) in page.catalogue.locales.enumerated() {
            guard let text = texts[locale] else { continue }
            let group = stateGroup(CatalogueItem(.message, text.identifier))
            groups.insert(group)
            classes.append(PageStyle.hasText(place + 1, group))
        }
        classes += StateGroup.allCases.filter(groups.contains).map { "has-\($0.rawValue)" }
        let drawn: [HTML] = page.catalogue.locales.map { locale in
            texts[locale].map(text) ?? """
                <article class="t l\(locales[locale] ?? 0)"><h4>\(name: locale)</h4>
                <p class="none">No text in this locale.</p>
                </article>

                """
        }
        return """
            <section class="\(classes.joined(separator: " "))" id="\(attribute: HTMLAnchor.id("m", message.name))">\
            <h3>\(name: message.name) <span class="kind">\(message.kind.name)</span></h3>
            \(nature(message))<p>\(users(texts))</p>
            <div class="texts">\(drawn)</div>
            </section>

            """
    }

    /// What is special about a message.
    private func nature(_ message: Catalogue.Message) -> HTML {
        let purpose = Words.purpose(message.kind).map { $0 + " " } ?? ""
        let place = message.headerPosition == .aboveImage ? "The header stands above the image. " : ""
        let product: HTML = message.product.map { "Written for \(name: $0)." } ?? ""
        guard !purpose.isEmpty || !place.isEmpty || message.product != nil else { return "" }
        return "<p class=\"soft\">\(purpose)\(place)\(product)</p>\n"
    }

    /// The rules and the default messages that use a message in any locale.
    private func users(_ texts: [String: ResolvedCatalogue.Message]) -> HTML {
        let identifiers = page.catalogue.locales.compactMap { texts[$0]?.identifier }
        let rules = page.uses.rules(of: identifiers)
        let defaults = identifiers.flatMap { self.defaults[$0] ?? [] }
        let used: HTML = rules.isEmpty ? "No rule uses it. " : "Rules: \(.names(rules)). "
        guard !defaults.isEmpty else { return "\(used)No default message." }
        let products = CountText.of(Set(defaults.map(\.place.product)).count, "product")
        let locales = CountText.of(Set(defaults.map(\.place.locale)).count, "locale")
        return "\(used)Default message of \(products) in \(locales)."
    }

    /// A message in one locale: its state, its preview, and its details.
    private func text(_ message: ResolvedCatalogue.Message) -> HTML {
        let item = CatalogueItem(.message, message.identifier)
        let row = rows[item]
        let obstacles = obstacles(message).map { HTML.link($0.image.names.first ?? "", $0.anchor) }
        let warning: HTML =
            obstacles.isEmpty
            ? ""
            : "<p class=\"warn\">Apple does not show it before these images are approved: \(obstacles, separator: ", ")</p>\n"
        let anchor = HTMLAnchor.id("t", message.name, message.locale)
        return """
            <article class="t l\(locales[message.locale] ?? 0) \(stateGroup(item).rawValue)" id="\(attribute: anchor)">\
            <h4>\(name: message.locale)\(.badge(row?.state ?? .missing))\(.since(row?.since))</h4>
            \(warning)\(sheet(message))\(.disclosure("Details", details(message)))</article>

            """
    }

    /// The preview. Apple's order: image, header, body, bullet points; or the header first.
    private func sheet(_ message: ResolvedCatalogue.Message) -> HTML {
        let body = message.body
        let header: HTML = "<p class=\"head\">\(prose: body.header)</p>\n"
        let image: HTML =
            body.image.map {
                "\(.picture("div", "image", pictures[$0.imageIdentifier], alt: $0.altText))\n"
            } ?? ""
        let points: [HTML] = body.bulletPoints.map { point in
            let icon = HTML.picture("span", "icon", pictures[point.imageIdentifier], alt: point.altText)
            return "<li>\(icon)<span>\(prose: point.text)</span></li>\n"
        }
        let list: HTML = points.isEmpty ? "" : "<ul class=\"points\">\(points)</ul>\n"
        let isFirst = body.headerPosition == .aboveImage
        // The place of what Apple shows itself: the offer or the plan, and two buttons.
        let theirs: HTML =
            Words.shown(message.kind).map { "<p class=\"theirs\" lang=\"en\" dir=\"ltr\">\($0)</p>\n" } ?? ""
        return """
            <div class="sheet" lang="\(attribute: message.locale)" dir="\(Words.isRightToLeft(message.locale) ? "rtl" : "ltr")">
            \(isFirst ? "\(header)\(image)" : "\(image)\(header)" as HTML)<p class="body">\(prose: body.body)</p>
            \(list)\(theirs)<div class="keep"></div><div class="leave"></div>
            </div>

            """
    }

    private func details(_ message: ResolvedCatalogue.Message) -> HTML {
        let revision: HTML = message.revision == 1 ? "" : .property("Revision", "\(Int(message.revision))")
        let rules = page.uses.rules[message.identifier] ?? []
        let defaults: [HTML] = (defaults[message.identifier] ?? []).map { row in
            let since = row.since.map { ", known at \(Words.time($0))" } ?? ""
            return "\(name: row.place.product) (\(row.state.shownWord)\(since))"
        }
        return """
            <dl class="small">\(.identifier(message.identifier, isPinned: message.isPinned))\(revision)\
            \(.property("Rules", rules.isEmpty ? "none" : .names(rules)))\
            \(.property("Default of", defaults.isEmpty ? "no product" : "\(defaults, separator: ", ")"))</dl>

            """
    }
}

extension CatalogueStatus.DefaultRow.State {
    fileprivate var shownWord: String {
        switch self {
        case .set: "set"
        case .other: "Apple has another"
        case .unset: "not set"
        case .unknown: "not known"
        }
    }
}
