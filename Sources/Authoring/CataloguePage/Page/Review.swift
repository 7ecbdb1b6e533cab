internal import Catalogue
internal import Vocabulary

extension HTMLWriter {
    /// Adds what Apple does not show yet: the images and messages that are not approved, the worst first.
    mutating func review(_ page: CataloguePage, _ index: PageIndex) {
        open("section", ["id": "review"])
        block("h2") { $0.text("Review") }
        var isClear = true
        for group in StateGroup.allCases where group != .approved {
            let entries = ReviewEntry.all(page, index) { $0 == group }
            guard !entries.isEmpty else { continue }
            isClear = false
            self.group(group, entries, page, index)
        }
        held(page, index)
        if page.status.rows.contains(where: { $0.since != nil }) {
            block("p", ["class": "soft small"]) {
                $0.text("A time is the one at which this machine first saw the state.")
            }
        }
        if isClear {
            let isEmpty = page.resolved.messages.isEmpty && page.resolved.images.isEmpty
            block("p") { $0.text(isEmpty ? "The catalogue is empty." : "Apple has approved everything.") }
        }
        close("section", endsLine: true)
    }

    private mutating func group(
        _ group: StateGroup, _ entries: [ReviewEntry], _ page: CataloguePage, _ index: PageIndex
    ) {
        let count = entries.reduce(0) { $0 + $1.items.count }
        // A long list waits until somebody wants it.
        disclosure(isOpen: entries.count <= 12) {
            $0.element("span", ["class": "badge \(group.rawValue)"]) {
                $0.sign(group.sign)
                $0.text(" \(Words.count(count, "item")) \(group.word)")
            }
        } content: { details in
            details.block("ul", ["class": "rows"]) { list in
                for entry in entries { list.entry(entry, page, index) }
            }
        }
    }

    /// Adds an image, or a message with the locales of its texts, with its state and its users.
    private mutating func entry(_ entry: ReviewEntry, _ page: CataloguePage, _ index: PageIndex) {
        block("li") { line in
            line.element("span", ["class": "grow"]) {
                $0.text("\(entry.kind.rawValue) ")
                $0.entryLinks(entry, index)
            }
            for state in entry.states { line.badge(state) }
            if let first = entry.times.min().map(Words.time), let last = entry.times.max().map(Words.time) {
                let others = first == last ? "" : ", the newest since \(last)"
                line.element("span", ["class": "soft small"]) { $0.text("since \(first)\(others)") }
            }
            line.element("span", ["class": "soft small"]) { $0.entryUsers(entry, page, index) }
        }
    }

    private mutating func entryLinks(_ entry: ReviewEntry, _ index: PageIndex) {
        guard entry.kind == .message else {
            return link(entry.name, entry.items.first.flatMap { index.anchors[$0.item] })
        }
        link(entry.name, HTMLAnchor.id("m", entry.name))
        for (place, entry) in entry.items.enumerated() {
            text(place == 0 ? ": " : ", ")
            link(entry.locale, index.anchors[entry.item])
        }
    }

    /// Adds what uses an image or a message: messages, or rules and default messages.
    private mutating func entryUsers(_ entry: ReviewEntry, _ page: CataloguePage, _ index: PageIndex) {
        let identifiers = entry.items.map(\.item.identifier)
        let users =
            entry.kind == .image
            ? identifiers.flatMap { index.users[$0] ?? [] } : page.uses.rules(of: identifiers)
        let defaults = identifiers.reduce(0) { $0 + (index.defaults[$1]?.count ?? 0) }
        guard !users.isEmpty || defaults > 0 else { return text("not used") }
        text("used by ")
        names(users, limit: 5)
        if defaults > 0 { text((users.isEmpty ? "" : "; ") + Words.count(defaults, "default message")) }
    }

    /// Adds the approved messages that Apple does not show, because one of their images is not approved.
    private mutating func held(_ page: CataloguePage, _ index: PageIndex) {
        let held = page.resolved.messages.filter { message in
            index.stateGroup(CatalogueItem(.message, message.identifier)) == .approved
                && !index.obstacles(message).isEmpty
        }
        guard !held.isEmpty else { return }
        disclosure(isOpen: held.count <= 12) {
            $0.text("\(Words.count(held.count, "approved text")) with an image that is not approved")
        } content: { details in
            details.block("p") { $0.text("Apple shows a message only when its images are approved too.") }
            details.block("ul", ["class": "names"]) { list in
                for message in held {
                    let anchor = index.anchors[CatalogueItem(.message, message.identifier)]
                    list.block("li") { $0.link("\(message.name) \(message.locale)", anchor) }
                }
            }
        }
    }
}

extension CatalogueUses {
    /// The rules that use any of some messages, each once.
    func rules(of identifiers: [UUID]) -> [String] {
        var seen: Set<String> = []
        return identifiers.flatMap { rules[$0] ?? [] }.filter { seen.insert($0).inserted }
    }
}
