internal import AppStoreServerAPI
internal import System

// MARK: - Summary

extension PageIndex {
    /// The app, where the states come from, how many items have each state, and links.
    var summary: HTML {
        let (resolved, catalogue) = (page.resolved, page.catalogue)
        let counts =
            "App \(resolved.appAppleId). \(CountText.of(catalogue.messages.count, "message")) with "
            + "\(CountText.of(resolved.messages.count, "text")) in \(CountText.of(catalogue.locales.count, "locale")), "
            + "\(CountText.of(catalogue.images.count, "image")), \(CountText.of(catalogue.products.count, "product"))."
        let server: HTML = page.server.map { ", from the server \(name: $0)" } ?? ""
        return """
            <header id="top">
            <h1>Retention messages of \(name: resolved.bundleId) in \(resolved.environment.rawValue)</h1>
            <p>\(counts)</p>
            <p>States: Apple\u{2019}s lists of \(Words.time(page.time))\(server).</p>
            <p>Real-time URL: \(realtimeURL)</p>
            <div class="tiles">\(tiles)</div>
            <nav aria-label="Sections"><a href="#review">Review</a> <a href="#coverage">Coverage</a> \
            <a href="#messages">Messages</a> <a href="#images">Images</a> <a href="#orphans">Orphans</a> </nav>
            </header>

            """
    }

    private var realtimeURL: HTML {
        let wanted = page.resolved.realtimeURL
        let named: HTML = wanted.map { "<code>\(name: $0)</code>" } ?? "the catalogue names none"
        return switch page.realtimeURL {
        case nil: "\(named). At Apple none is set."
        case wanted: "\(named). Apple has it."
        case let other?: "\(named). Apple has another: <code>\(name: other)</code>"
        }
    }

    /// The number of images and messages in each state.
    private var tiles: [HTML] {
        let orphanCount = page.status.rows.count(where: \.state.isOrphaned)
        let counts = Dictionary(grouping: page.status.rows.filter { !$0.state.isOrphaned }) {
            StateGroup($0.state)
        }.mapValues(\.count)
        var tiles: [HTML] = StateGroup.allCases.reversed().compactMap { group in
            counts[group].map {
                "<div class=\"tile \(group.rawValue)\"><b>\($0)</b>\(.sign(group.sign)) \(group.word)</div>\n"
            }
        }
        if orphanCount > 0 {
            tiles.append("<div class=\"tile unknown\"><b>\(orphanCount)</b>orphaned</div>\n")
        }
        return tiles
    }
}

// MARK: - Review

extension PageIndex {
    /// What Apple does not show yet: the images and messages that are not approved, the worst first.
    var review: HTML {
        let groups: [HTML] = StateGroup.allCases.compactMap { group in
            let entries = group == .approved ? [] : entries(group)
            guard !entries.isEmpty else { return nil }
            let count = CountText.of(entries.reduce(0) { $0 + $1.items.count }, "item")
            // A long list waits until somebody wants it.
            return .disclosure(
                "<span class=\"badge \(group.rawValue)\">\(.sign(group.sign)) \(count) \(group.word)</span>",
                isOpen: entries.count <= 12, "<ul class=\"rows\">\(entries.map(row))</ul>\n")
        }
        let note: HTML =
            page.status.rows.contains { $0.since != nil }
            ? "<p class=\"soft small\">A time is the one at which this machine first saw the state.</p>\n"
            : ""
        let isEmpty = page.resolved.messages.isEmpty && page.resolved.images.isEmpty
        let clear = isEmpty ? "The catalogue is empty." : "Apple has approved everything."
        return """
            <section id="review"><h2>Review</h2>
            \(groups)\(note)\(groups.isEmpty ? "<p>\(clear)</p>\n" : "" as HTML)</section>

            """
    }

    /// An image, or a message with the locales of its texts, with its state and its users.
    private func row(_ entry: ReviewEntry) -> HTML {
        var links = HTML.link(entry.name, entry.items.first.flatMap { anchors[$0.item] })
        if entry.kind == .message {
            let locales = entry.items.map { HTML.link($0.locale, anchors[$0.item]) }
            links = "\(.link(entry.name, HTMLAnchor.id("m", entry.name))): \(locales, separator: ", ")"
        }
        var times: HTML = ""
        if let first = entry.times.min().map(Words.time), let last = entry.times.max().map(Words.time) {
            let others = first == last ? "" : ", the newest since \(last)"
            times = "<span class=\"soft small\">since \(first)\(others)</span>"
        }
        return """
            <li><span class="grow">\(entry.kind.rawValue) \(links)</span>\(entry.states.map(HTML.badge))\(times)\
            <span class="soft small">\(users(of: entry))</span></li>

            """
    }

    /// What uses an image or a message: messages, or rules and default messages.
    private func users(of entry: ReviewEntry) -> HTML {
        let identifiers = entry.items.map(\.item.identifier)
        let users =
            entry.kind == .image
            ? identifiers.flatMap { self.users[$0] ?? [] } : page.uses.rules(of: identifiers)
        let count = identifiers.reduce(0) { $0 + (defaults[$1]?.count ?? 0) }
        guard !users.isEmpty || count > 0 else { return "not used" }
        let rest = count == 0 ? "" : (users.isEmpty ? "" : "; ") + CountText.of(count, "default message")
        return "used by \(.names(users, limit: 5))\(rest)"
    }

    /// The items of the catalogue that have a state of one group, images first, in the order of the catalogue.
    private func entries(_ group: StateGroup) -> [ReviewEntry] {
        var entries: [ReviewEntry] = []
        func add(_ item: CatalogueItem, _ name: String, locale: String) {
            let state = rows[item]?.state ?? .missing
            guard StateGroup(state) == group else { return }
            // The texts of one message stand one after the other.
            let isNext = item.kind == .message && entries.last?.kind == .message && entries.last?.name == name
            if !isNext { entries.append(ReviewEntry(kind: item.kind, name: name)) }
            let last = entries.count - 1
            entries[last].items.append((item, locale))
            if !entries[last].states.contains(state) { entries[last].states.append(state) }
            if let time = rows[item]?.since { entries[last].times.append(time) }
        }
        for image in page.resolved.images {
            add(CatalogueItem(.image, image.identifier), image.names.joined(separator: ", "), locale: "")
        }
        for message in page.resolved.messages {
            add(CatalogueItem(.message, message.identifier), message.name, locale: message.locale)
        }
        return entries
    }
}

/// Images or messages with one state: one image, or all texts of a message that have the state.
private struct ReviewEntry {
    let kind: CatalogueItem.Kind
    let name: String
    /// The items with the names of their links: the locale of a text, nothing for an image.
    var items: [(item: CatalogueItem, locale: String)] = []
    var states: [CatalogueStatus.State] = []
    /// The times since which the items have the state, as far as they are known.
    var times: [Int64] = []
}

extension CatalogueUses {
    /// The rules that use any of some messages, each once.
    func rules(of identifiers: [UUID]) -> [String] {
        var seen: Set<String> = []
        return identifiers.flatMap { rules[$0] ?? [] }.filter { seen.insert($0).inserted }
    }
}

// MARK: - Coverage

extension PageIndex {
    private static let answers = [
        ("rules", "\u{25C6}", "A rule may answer."),
        ("default", "\u{25CF}", "No rule may answer. Apple shows the default message."),
        (
            "nothing", "\u{2715}",
            "Apple shows no message: none is set as default, or Apple has not approved it."
        ),
        (
            "unknown", "?",
            "It is not known whether a default message is set. The option --refresh asks Apple."
        ),
    ]

    private static func answer(_ word: String) -> HTML {
        "\(.sign(answers.first { $0.0 == word }?.1 ?? "")) \(word)"
    }

    /// The answer for each product in each locale.
    var coverage: HTML {
        let legend: [HTML] = Self.answers.map { word, _, meaning in
            "<li><span class=\"cell c-\(word)\">\(Self.answer(word))</span><span>\(meaning)</span></li>\n"
        }
        return """
            <section id="coverage"><h2>Coverage</h2>
            <p>What a subscriber of a product would see. Messages that App Store Connect is configured to show are not known here.</p>
            <ul class="legend">\(legend)</ul>
            \(page.coverage.cells.isEmpty ? "<p>The catalogue has no products.</p>" : coverageTable)
            </section>

            """
    }

    /// The table scrolls by itself, also with the keyboard.
    private var coverageTable: HTML {
        let coverage = page.coverage
        let locales: [HTML] = coverage.locales.map { "<th scope=\"col\">\(name: $0)</th>" }
        let rows: [HTML] = coverage.products.enumerated().map { row, product in
            let count = coverage.locales.count
            let cells: [HTML] = coverage.cells[row * count..<(row + 1) * count].map { cell in
                let rules = cell.rules.joined(separator: ", ")
                return
                    "<td class=\"cell c-\(cell.word)\" title=\"\(attribute: rules)\">\(Self.answer(cell.word))</td>"
            }
            return "<tr><th scope=\"row\">\(name: product)</th>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" role="region" aria-label="Coverage table" tabindex="0"><table>\
            <thead><tr><th scope="col">Product</th>\(locales)</tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
    }
}

// MARK: - Images and orphans

extension PageIndex {
    /// The images with their states and the messages that use them.
    var images: HTML {
        let images: HTML =
            page.resolved.images.isEmpty
            ? "<p>The catalogue has no images.</p>"
            : "<div class=\"pictures\">\(page.resolved.images.map(image))</div>"
        return """
            <section id="images"><h2>Images</h2>
            \(images)
            </section>

            """
    }

    private func image(_ image: ResolvedCatalogue.Image) -> HTML {
        let row = rows[CatalogueItem(.image, image.identifier)]
        let picture = pictures[image.identifier]
        let kind = image.size == .fullSize ? "image" : "image square"
        let revision: HTML = image.revision == 1 ? "" : .property("Revision", "\(Int(image.revision))")
        let users = (users[image.identifier] ?? []).map { HTML.link($0, HTMLAnchor.id("m", $0)) }
        return """
            <article class="picture" id="\(attribute: picture?.anchor ?? "")">\
            \(.picture("div", kind, picture, alt: "The image \(image.names.joined(separator: ", "))"))\
            <h4>\(.names(image.names))\(.badge(row?.state ?? .missing))\(.since(row?.since))</h4>
            <dl class="small">\(.property("File", "\(name: image.file), \(image.size.rawValue)"))\
            \(.identifier(image.identifier, isPinned: image.isPinned))\(revision)\
            \(.property("Used by", users.isEmpty ? "no message" : "\(users, separator: ", ")"))</dl>
            </article>

            """
    }

    /// What Apple has and the catalogue does not name.
    var orphans: HTML {
        let orphans = page.status.rows.filter(\.state.isOrphaned)
        guard !orphans.isEmpty else {
            return """
                <section id="orphans"><h2>Orphans</h2>
                <p>Apple has nothing that the catalogue does not name.</p>
                </section>

                """
        }
        let rows: [HTML] = orphans.map { row in
            let named: HTML = row.name.map { " \(name: $0)" } ?? ""
            let users: HTML =
                row.uses.isEmpty ? "" : "<span class=\"soft small\">used by \(.names(row.uses))</span>"
            return """
                <li><span class="grow">\(row.item.kind.rawValue) <code>\(row.item.identifier.description)</code>\(named)</span>\
                \(.badge(row.state))\(.since(row.since))\(users)</li>

                """
        }
        let list = HTML.disclosure(
            "\(CountText.of(orphans.count, "orphan"))", isOpen: orphans.count <= 12,
            "<ul class=\"rows\">\(rows)</ul>\n")
        return """
            <section id="orphans"><h2>Orphans</h2>
            <p>Apple has these images and messages, and the catalogue does not name them. They count against Apple\u{2019}s limits. \
            The command <code>retentionctl catalogue apply --prune</code> deletes those that nothing uses.</p>
            \(list)</section>

            """
    }
}
