internal import AppStoreServerAPI
internal import Rules
internal import System

/// A page for people, in one HTML file: what Apple reviews, the answers that subscribers get, and the messages of a catalogue as
/// Apple's sheet shows them.
///
/// Pure: equal values give equal bytes. The page has no script, loads nothing and names no other page.
package struct CataloguePage: Sendable {
    private let catalogue: Catalogue
    private let resolved: ResolvedCatalogue
    private let status: CatalogueStatus
    private let coverage: CatalogueCoverage
    private let images: PageImages
    private let rows: [CatalogueItem: CatalogueStatus.Row]
    package var time: Int64 = 0
    package var server: String?
    package var realtimeURL: String?

    package init(
        _ catalogue: Catalogue, resolved: ResolvedCatalogue, status: CatalogueStatus,
        coverage: CatalogueCoverage, images: PageImages
    ) {
        self.catalogue = catalogue
        self.resolved = resolved
        self.status = status
        self.coverage = coverage
        self.images = images
        rows = Dictionary(status.rows.map { ($0.item, $0) }) { first, _ in first }
    }

    package var bytes: [UInt8] {
        let body: HTML = "\(summary)<main>\(review)\(answers)\(messages)\(pictures)\(orphans)</main>"
        let title = "\(resolved.bundleId) in \(resolved.environment.rawValue)"
        return HTML.page(title: title, style: images.style, body).bytes
    }

    // MARK: The top

    private var summary: HTML {
        let server: HTML = server.map { ", from the server <bdi>\($0)</bdi>" } ?? ""
        let counts = Dictionary(grouping: status.rows, by: { StateGroup($0.state) }).mapValues(\.count)
        let tiles: [HTML] = StateGroup.allCases.compactMap { group in
            counts[group].map {
                "<li class=\"tile \(group.rawValue)\"><b>\("\($0)")</b> \(group.word)</li>\n"
            }
        }
        return """
            <header>
            <h1>Retention messages of <bdi>\(resolved.bundleId)</bdi> in \(resolved.environment.rawValue)</h1>
            <p>States: Apple\u{2019}s lists of \(HTML.time(time))\(server).</p>
            <p>Real-time URL: \(url)</p>
            <ul class="tiles">\(tiles)</ul>
            </header>

            """
    }

    private var url: HTML {
        let wanted = resolved.realtimeURL
        let named: HTML = wanted.map { "<bdi>\($0)</bdi>" } ?? "the catalogue names none"
        return switch realtimeURL {
        case nil: "\(named). At Apple none is set."
        case wanted: "\(named). Apple has it."
        case let other?: "\(named). Apple has another: <bdi>\(other)</bdi>"
        }
    }

    // MARK: Review and coverage

    private var review: HTML {
        let groups: [StateGroup] = [.rejected, .pending, .missing]
        let items: [HTML] = groups.flatMap { group in
            status.rows.filter { StateGroup($0.state) == group }.map { row in
                """
                <li>\(row.item.kind.rawValue) <a href="#\(Self.anchor(row.item))">\(row.name ?? "-")</a> \(badge(row))\
                \(uses(row))</li>

                """
            }
        }
        let clear = resolved.items.isEmpty ? "The catalogue is empty." : "Apple has approved everything."
        return """
            <section><h2>Review</h2>
            \(items.isEmpty ? "<p>\(clear)</p>" as HTML : "<ul class=\"rows\">\(items)</ul>")
            </section>

            """
    }

    private static let meanings = [
        ("rules", "A rule may answer."),
        ("default", "No rule may answer. Apple shows the default message."),
        ("nothing", "Apple shows no message: none is set as default, or Apple has not approved it."),
        ("unknown", "It is not known whether a default message is set. The option --refresh asks Apple."),
    ]

    private var answers: HTML {
        let legend: [HTML] = Self.meanings.map { word, meaning in
            "<li><span class=\"cell c-\(word)\">\(word)</span> \(meaning)</li>\n"
        }
        let count = coverage.locales.count
        let head: [HTML] = ["Product"] + coverage.locales.map { "\($0)" }
        let lines: [HTML] = coverage.products.enumerated().map { row, product in
            let cells: [HTML] = coverage.cells[row * count..<(row + 1) * count].map { cell in
                let rules = cell.rules.joined(separator: ", ")
                return "<td class=\"cell c-\(cell.word)\" title=\"\(rules)\">\(cell.word)</td>"
            }
            return "<tr><th scope=\"row\"><bdi>\(product)</bdi></th>\(cells)</tr>\n"
        }
        return """
            <section><h2>Coverage</h2>
            <p>What a subscriber of a product would see. What App Store Connect is configured to show is not known here.</p>
            <ul class="rows">\(legend)</ul>
            \(HTML.table("Coverage", head: head, lines))</section>

            """
    }

    // MARK: Messages

    private var messages: HTML {
        let texts = Dictionary(grouping: resolved.messages, by: \.name)
        let drawn: [HTML] = catalogue.messages.map { message in
            let known = Dictionary((texts[message.name] ?? []).map { ($0.locale, $0) }) { first, _ in first }
            let articles: [HTML] = catalogue.locales.map { locale in
                known[locale].map(text)
                    ?? "<article><h4>\(locale)</h4><p class=\"none\">No text in this locale.</p></article>\n"
            }
            let product: HTML =
                message.product.map { "<p class=\"soft\">Written for <bdi>\($0)</bdi>.</p>\n" } ?? ""
            return """
                <section><h3><bdi>\(message.name)</bdi> <span class="badge">\(message.kind.name)</span></h3>
                \(product)<div class="texts">\(articles)</div>
                </section>

                """
        }
        return """
            <h2>Messages</h2>
            <p class="soft">Fonts, colours, sizes and the place of the bullet points may differ on a device.</p>
            \(drawn)
            """
    }

    private func text(_ message: ResolvedCatalogue.Message) -> HTML {
        let item = CatalogueItem(.message, message.identifier)
        return """
            <article id="\(Self.anchor(item))"><h4>\(message.locale) \(badge(rows[item]))</h4>
            \(sheet(message))<p class="soft">\(message.identifier.description)\(uses(rows[item]))</p>
            </article>

            """
    }

    /// The preview. Apple's order: image, header, body, bullet points; or the header first.
    private func sheet(_ message: ResolvedCatalogue.Message) -> HTML {
        let body = message.body
        let header: HTML = "<p class=\"head\">\(body.header)</p>\n"
        let image: HTML =
            body.image.map { picture("div", "image", $0.imageIdentifier, alt: $0.altText) } ?? ""
        let points: [HTML] = body.bulletPoints.map { point in
            let icon = picture("span", "icon", point.imageIdentifier, alt: point.altText)
            return "<li>\(icon)<span>\(point.text)</span></li>\n"
        }
        let isFirst = body.headerPosition == .aboveImage
        let theirs: HTML =
            switch message.kind {
            case .text: ""
            case .switch: Self.theirs("the plan to switch to")
            case .offer: Self.theirs("the promotional offer")
            case .advancedCommerce: Self.theirs("the change of the subscription")
            }
        let language = message.locale.prefix { $0 != "-" }
        let isRightToLeft = ["ar", "fa", "he", "ur"].contains(language)
        return """
            <div class="sheet" lang="\(message.locale)" dir="\(isRightToLeft ? "rtl" : "ltr")">
            \(isFirst ? [header, image] : [image, header])<p class="text">\(body.body)</p>
            <ul>\(points)</ul>\(theirs)<div class="keep"></div><div class="leave"></div>
            </div>

            """
    }

    private static func theirs(_ what: String) -> HTML {
        "<p class=\"theirs\" lang=\"en\" dir=\"ltr\">Apple shows \(what) here.</p>\n"
    }

    // MARK: Images and orphans

    private var pictures: HTML {
        let drawn: [HTML] = resolved.images.map { image in
            let item = CatalogueItem(.image, image.identifier)
            let names = image.names.joined(separator: ", ")
            return """
                <article id="\(Self.anchor(item))"><h4><bdi>\(names)</bdi> \(badge(rows[item]))</h4>
                \(picture("div", image.size == .fullSize ? "image" : "image square", image.identifier, alt: names))
                <p class="soft"><bdi>\(image.file)</bdi>, \(image.size.rawValue), \(image.identifier.description)\
                \(uses(rows[item]))</p>
                </article>

                """
        }
        return drawn.isEmpty
            ? "" : "<section><h2>Images</h2>\n<div class=\"texts\">\(drawn)</div>\n</section>\n"
    }

    private var orphans: HTML {
        let items: [HTML] = status.rows.filter { StateGroup($0.state) == .orphaned }.map { row in
            """
            <li>\(row.item.kind.rawValue) \(row.item.identifier.description) <bdi>\(row.name ?? "")</bdi> \(badge(row))\
            \(uses(row))</li>

            """
        }
        guard !items.isEmpty else { return "" }
        return """
            <section><h2>Orphans</h2>
            <p>Apple has these, and the catalogue does not name them. They count against Apple\u{2019}s limits.
            <code>retentionctl catalogue apply --prune</code> deletes those that nothing uses.</p>
            <ul class="rows">\(items)</ul>
            </section>

            """
    }

    // MARK: What several sections have

    /// An image that the style sheet has, with its text for people who do not see it.
    private func picture(_ element: String, _ kind: String, _ identifier: UUID, alt: String) -> HTML {
        guard let number = images.number(identifier) else { return "<\(element)>\(alt)</\(element)>\n" }
        return
            "<\(element) class=\"\(kind) i\("\(number)")\" role=\"img\" aria-label=\"\(alt)\"></\(element)>\n"
    }

    private func badge(_ row: CatalogueStatus.Row?) -> HTML {
        let state = row?.state ?? .missing
        let group = StateGroup(state)
        let since: HTML =
            row?.since.map { " <span class=\"soft\">since \(HTML.time($0))</span>" } ?? ""
        return "<span class=\"badge \(group.rawValue)\">\(group.sign) \(state.word)</span>\(since)"
    }

    private func uses(_ row: CatalogueStatus.Row?) -> HTML {
        guard let uses = row?.uses, !uses.isEmpty else { return "" }
        return " <span class=\"soft\">used by <bdi>\(uses.joined(separator: ", "))</bdi></span>"
    }

    private static func anchor(_ item: CatalogueItem) -> String { item.identifier.description }
}

/// The states with the same sign, word and colour. The raw values are the classes in the style sheet.
private enum StateGroup: String, CaseIterable {
    case approved, pending, rejected, missing, orphaned

    init(_ state: CatalogueStatus.State) {
        self =
            switch state {
            case .listed(.approved): .approved
            case .listed(.rejected): .rejected
            // A state that Apple adds one day is not the state of something that may be shown.
            case .listed(.pending), .listed(.other): .pending
            case .missing: .missing
            case .orphaned: .orphaned
            }
    }

    var sign: String {
        switch self {
        case .approved: "\u{2713}"
        case .pending: "\u{2026}"
        case .rejected: "\u{2715}"
        case .missing, .orphaned: "\u{2013}"
        }
    }

    var word: String {
        switch self {
        case .approved: "approved"
        case .pending: "under review"
        case .rejected: "rejected"
        case .missing: "not uploaded"
        case .orphaned: "orphaned"
        }
    }
}
