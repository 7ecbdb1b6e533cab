internal import Catalogue
internal import Vocabulary

extension HTMLWriter {
    /// Adds what Apple has and the catalogue does not name.
    mutating func orphans(_ page: CataloguePage) {
        let orphans = page.status.rows.filter { row in
            if case .orphaned = row.state { true } else { false }
        }
        open("section", ["id": "orphans"])
        block("h2") { $0.text("Orphans") }
        if orphans.isEmpty {
            let words =
                page.source == .journal
                ? "The journal knows of nothing at Apple that the catalogue does not name."
                : "Apple has nothing that the catalogue does not name."
            block("p") { $0.text(words) }
        } else {
            block("p") {
                $0.text("Apple has these images and messages, and the catalogue does not name them. ")
                $0.text("They count against Apple\u{2019}s limits. The command ")
                $0.element("code") { $0.text("retentionctl catalogue prune") }
                $0.text(" deletes those that nothing uses.")
            }
            disclosure(isOpen: orphans.count <= 12) {
                $0.text(Words.count(orphans.count, "orphan"))
            } content: { details in
                details.block("ul", ["class": "rows"]) { list in
                    for orphan in orphans { list.orphan(orphan) }
                }
            }
        }
        close("section", endsLine: true)
    }

    private mutating func orphan(_ row: CatalogueStatus.Row) {
        block("li") { item in
            item.element("span", ["class": "grow"]) {
                $0.text("\(row.item.kind.rawValue) ")
                $0.element("code") { $0.text(row.item.identifier.description) }
                if let name = row.name {
                    $0.text(" ")
                    $0.name(name)
                }
            }
            item.badge(row.state)
            item.since(row.since)
            if !row.uses.isEmpty {
                item.element("span", ["class": "soft small"]) {
                    $0.text("used by ")
                    $0.names(row.uses)
                }
            }
        }
    }
}
