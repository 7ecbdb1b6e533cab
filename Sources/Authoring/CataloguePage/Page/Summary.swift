internal import Catalogue
internal import Vocabulary

extension HTMLWriter {
    /// Adds the beginning of the body: the app, where the states come from, how many items have each state, and links.
    mutating func summary(_ page: CataloguePage, _ index: PageIndex) {
        open("header", ["id": "top"])
        markup("\n")
        block("h1") { page.summaryTitle(&$0) }
        block("p") { $0.text(page.summaryCounts) }
        block("p") { $0.source(page.source) }
        block("p") { $0.realtimeURL(wanted: page.resolved.realtimeURL, page.realtimeURL) }
        tiles(page)
        block("div", ["class": "choices"]) { $0.lookChoice() }
        block("nav", ["aria-label": "Sections"]) { nav in
            for (anchor, word) in [
                ("#review", "Review"), ("#coverage", "Coverage"), ("#messages", "Messages"),
                ("#images", "Images"),
                ("#orphans", "Orphans"), ("#findings", "Findings"),
            ] {
                nav.element("a", ["href": anchor]) { $0.text(word) }
                nav.markup(" ")
            }
        }
        close("header", endsLine: true)
    }

    /// Adds the number of images and messages in each state.
    private mutating func tiles(_ page: CataloguePage) {
        var counts: [StateGroup: Int] = [:]
        var orphanCount = 0
        for row in page.status.rows {
            if case .orphaned = row.state {
                orphanCount += 1
            } else {
                counts[StateGroup(row.state), default: 0] += 1
            }
        }
        block("div", ["class": "tiles"]) { tiles in
            for group in StateGroup.allCases.reversed() where counts[group] != nil {
                tiles.block("div", ["class": "tile \(group.rawValue)"]) {
                    $0.element("b") { $0.text("\(counts[group] ?? 0)") }
                    $0.sign(group.sign)
                    $0.text(" \(group.word)")
                }
            }
            guard orphanCount > 0 else { return }
            tiles.block("div", ["class": "tile unknown"]) {
                $0.element("b") { $0.text("\(orphanCount)") }
                $0.text("orphaned")
            }
        }
    }

    private mutating func source(_ source: StateSource) {
        switch source {
        case .lists(let time, let server):
            text("States: Apple\u{2019}s lists of \(Words.time(time))")
            if let server {
                text(", from the server ")
                name(server)
            }
            text(".")
        case .inventory(let file):
            text("States: Apple\u{2019}s lists in the file ")
            name(file)
            text(".")
        case .journal:
            text("States: what this machine\u{2019}s journal saw last. Apple was not asked for this page.")
        }
    }

    private mutating func realtimeURL(wanted: String?, _ known: KnownURL) {
        text("Real-time URL: ")
        if let wanted {
            element("code") { $0.name(wanted) }
        } else {
            text("the catalogue names none")
        }
        switch known {
        case .unknown: text(". Whether Apple has it is not known.")
        case .unset: text(". At Apple none is set.")
        case .set(wanted): text(". Apple has it.")
        case .set(let other):
            text(". Apple has another: ")
            element("code") { $0.name(other) }
        }
    }

    /// Adds the choice between light and dark.
    private mutating func lookChoice() {
        element("label") { label in
            label.text("Appearance")
            label.open("select", ["id": "look", "autocomplete": "off"])
            for (value, word) in [("", "As this device"), ("light", "Light"), ("dark", "Dark")] {
                label.element("option", ["value": value]) { $0.text(word) }
            }
            label.close("select")
        }
    }

    /// Adds the end of the body.
    mutating func footer() {
        block("footer", ["id": "end", "class": "small"]) {
            $0.text(
                """
                Made by retentionctl. The file has no scripts and loads nothing from elsewhere.
                """
            )
        }
    }
}

extension CataloguePage {
    fileprivate func summaryTitle(_ title: inout HTMLWriter) {
        title.text("Retention messages of ")
        title.name(resolved.bundleId)
        title.text(" in \(resolved.environment.rawValue)")
    }

    fileprivate var summaryCounts: String {
        let texts = resolved.messages.count
        return "App \(resolved.appAppleId). \(Words.count(catalogue.messages.count, "message")) with "
            + "\(Words.count(texts, "text")) in \(Words.count(catalogue.locales.count, "locale")), "
            + "\(Words.count(catalogue.images.count, "image")), \(Words.count(catalogue.products.count, "product"))."
    }
}
