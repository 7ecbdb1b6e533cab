internal import AppStoreServerAPI
internal import Catalogue
internal import DataFiles
internal import Vocabulary

extension HTMLWriter {
    /// Adds the messages, each with its texts in the order of the catalogue's locales.
    mutating func messages(_ page: CataloguePage, _ index: PageIndex) {
        block("h2", ["id": "messages"]) { $0.text("Messages") }
        guard !page.catalogue.messages.isEmpty else {
            block("p") { $0.text("The catalogue has no messages.") }
            return
        }
        block("p", ["class": "soft"]) {
            $0.text(
                """
                In the previews, header, image and body have the order of Apple\u{2019}s documentation. The empty shapes \
                stand for Apple\u{2019}s own controls. Fonts, colours, sizes and the place of the bullet points may differ \
                on a device.
                """
            )
        }
        contents(page)
        choices(page)
        open("div", ["class": "all"])
        for message in page.catalogue.messages { self.message(message, page, index) }
        close("div", endsLine: true)
    }

    /// Adds the choices of a locale and a state. With many texts, the first locale is chosen at the beginning.
    private mutating func choices(_ page: CataloguePage) {
        let isLong = page.catalogue.locales.count > 1 && page.resolved.messages.count > 60
        open("div", ["class": "choices sticky", "id": "choices"])
        element("label") { label in
            label.text("Locale")
            label.open("select", ["id": "locale", "autocomplete": "off"])
            label.element("option", ["value": ""]) { $0.text("All locales") }
            for (place, locale) in page.catalogue.locales.enumerated() {
                let value = "\(place + 1)"
                if isLong, place == 0 {
                    label.element("option", ["value": value, "selected": ""]) { $0.plainText(locale) }
                } else {
                    label.element("option", ["value": value]) { $0.plainText(locale) }
                }
            }
            label.close("select")
        }
        element("label") { label in
            label.text("State")
            label.open("select", ["id": "state", "autocomplete": "off"])
            label.element("option", ["value": ""]) { $0.text("All states") }
            for group in StateGroup.allCases {
                label.element("option", ["value": group.rawValue]) { $0.text(group.word) }
            }
            label.close("select")
        }
        close("div", endsLine: true)
    }

    /// Adds a link to each message.
    private mutating func contents(_ page: CataloguePage) {
        disclosure(isOpen: page.catalogue.messages.count <= 12) {
            $0.text(Words.count(page.catalogue.messages.count, "message"))
        } content: { details in
            details.block("ul", ["class": "names"]) { list in
                for message in page.catalogue.messages {
                    list.block("li") { $0.link(message.name, HTMLAnchor.id("m", message.name)) }
                }
            }
        }
    }

    private mutating func message(_ message: Catalogue.Message, _ page: CataloguePage, _ index: PageIndex) {
        let texts = index.texts[message.name] ?? [:]
        open("section", ["class": classes(texts, page, index), "id": HTMLAnchor.id("m", message.name)])
        block("h3") {
            $0.name(message.name)
            $0.text(" ")
            $0.element("span", ["class": "kind"]) { $0.text(message.kind.name) }
        }
        nature(message)
        users(of: message, texts, page, index)
        open("div", ["class": "texts"])
        for locale in page.catalogue.locales {
            if let text = texts[locale] {
                self.text(text, page, index)
            } else {
                absence(locale, index)
            }
        }
        close("div", endsLine: true)
        close("section", endsLine: true)
    }

    /// The classes of a message: for the choice of a state, which texts it has.
    private func classes(
        _ texts: [String: ResolvedCatalogue.Message], _ page: CataloguePage, _ index: PageIndex
    ) -> String {
        var groups: Set<StateGroup> = []
        var classes = ["m"]
        for (place, locale) in page.catalogue.locales.enumerated() {
            guard let text = texts[locale] else { continue }
            let group = index.stateGroup(CatalogueItem(.message, text.identifier))
            groups.insert(group)
            classes.append(PageStyle.hasText(place + 1, group))
        }
        classes += StateGroup.allCases.filter(groups.contains).map { "has-\($0.rawValue)" }
        return classes.joined(separator: " ")
    }

    /// Adds what is special about a message.
    private mutating func nature(_ message: Catalogue.Message) {
        let purpose = Words.purpose(message.kind)
        guard purpose != nil || message.headerPosition == .aboveImage || message.product != nil else {
            return
        }
        block("p", ["class": "soft"]) { line in
            if let purpose { line.text("\(purpose) ") }
            if message.headerPosition == .aboveImage { line.text("The header stands above the image. ") }
            guard let product = message.product else { return }
            line.text("Written for ")
            line.name(product)
            line.text(".")
        }
    }

    /// Adds the rules and the default messages that use a message in any locale.
    private mutating func users(
        of message: Catalogue.Message, _ texts: [String: ResolvedCatalogue.Message], _ page: CataloguePage,
        _ index: PageIndex
    ) {
        let identifiers = page.catalogue.locales.compactMap { texts[$0]?.identifier }
        let rules = page.uses.rules(of: identifiers)
        let defaults = identifiers.flatMap { index.defaults[$0] ?? [] }
        block("p") { line in
            if rules.isEmpty {
                line.text("No rule uses it. ")
            } else {
                line.text("Rules: ")
                line.names(rules)
                line.text(". ")
            }
            guard !defaults.isEmpty else { return line.text("No default message.") }
            let products = Set(defaults.map(\.place.product)).count
            let locales = Set(defaults.map(\.place.locale)).count
            line.text(
                "Default message of \(Words.count(products, "product")) in \(Words.count(locales, "locale"))."
            )
        }
    }

    /// Adds the place of a text that the catalogue does not have.
    private mutating func absence(_ locale: String, _ index: PageIndex) {
        block("article", ["class": "t l\(index.locales[locale] ?? 0)"]) {
            $0.block("h4") { $0.name(locale) }
            $0.block("p", ["class": "none"]) { $0.text("No text in this locale.") }
        }
    }
}
