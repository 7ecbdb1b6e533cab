internal import Catalogue
internal import Vocabulary

extension HTMLWriter {
    /// Adds the answer for each product in each locale.
    mutating func coverage(_ page: CataloguePage) {
        open("section", ["id": "coverage"])
        block("h2") { $0.text("Coverage") }
        legend()
        let coverage = page.coverage
        if coverage.cells.isEmpty {
            block("p") { $0.text("The catalogue has no products.") }
        } else {
            table(coverage)
            reasons(page)
        }
        close("section", endsLine: true)
    }

    private static let meanings = [
        ("rules", "A rule may answer."),
        ("default", "No rule may answer. Apple shows the default message."),
        ("nothing", "Apple shows no message: none is set as default, or Apple has not approved it."),
        ("unknown", "It is not known whether a default message is set. The option --refresh asks Apple."),
    ]

    private static let signs = [
        "rules": "\u{25C6}", "default": "\u{25CF}", "nothing": "\u{2715}", "unknown": "?",
    ]

    private mutating func legend() {
        block("p") {
            $0.text("What a subscriber of a product would see. ")
            $0.text("Messages that App Store Connect is configured to show are not known here.")
        }
        block("ul", ["class": "legend"]) { list in
            for (word, meaning) in Self.meanings {
                list.block("li") {
                    $0.element("span", ["class": "cell c-\(word)"]) { $0.answer(word) }
                    $0.element("span") { $0.text(meaning) }
                }
            }
        }
    }

    private mutating func answer(_ word: String) {
        sign(Self.signs[word] ?? "")
        text(" \(word)")
    }

    /// Adds the table. It scrolls by itself, also with the keyboard.
    private mutating func table(_ coverage: CatalogueCoverage) {
        open("div", ["class": "scroll", "role": "region", "aria-label": "Coverage table", "tabindex": "0"])
        open("table")
        block("thead") { head in
            head.open("tr")
            head.element("th", ["scope": "col"]) { $0.text("Product") }
            for locale in coverage.locales { head.element("th", ["scope": "col"]) { $0.name(locale) } }
            head.close("tr")
        }
        open("tbody")
        for (row, product) in coverage.products.enumerated() {
            open("tr")
            element("th", ["scope": "row"]) { $0.name(product) }
            for cell in coverage.row(row) {
                element("td", ["class": "cell c-\(cell.word)"]) { $0.answer(cell.word) }
            }
            close("tr", endsLine: true)
        }
        close("tbody")
        close("table")
        close("div", endsLine: true)
    }

    /// Adds for each product which rules and default messages give the answers. Locales with the same reasons share a line.
    private mutating func reasons(_ page: CataloguePage) {
        let wanted = Dictionary(page.status.defaults.map { ($0.place, $0) }) { first, _ in first }
        let groups = Dictionary(page.catalogue.products.map { ($0.name, $0.group) }) { first, _ in first }
        disclosure {
            $0.text("Rules and default messages of each product")
        } content: { details in
            for (row, product) in page.coverage.products.enumerated() {
                details.block("h3") {
                    $0.name(product)
                    guard let group = groups[product].flatMap({ $0 }) else { return }
                    $0.element("span", ["class": "soft small"]) {
                        $0.text(" group ")
                        $0.name(group)
                    }
                }
                details.block("ul", ["class": "rows"]) { list in
                    for reason in CoverageReason.all(page.coverage.row(row), wanted) { list.reason(reason) }
                }
            }
        }
    }

    private mutating func reason(_ reason: CoverageReason) {
        block("li") { item in
            item.element("span", ["class": "badge c-\(reason.word)"]) { $0.answer(reason.word) }
            item.element("span", ["class": "grow"]) {
                $0.names(reason.locales)
                $0.text(": ")
                if !reason.rules.isEmpty {
                    $0.text("rules ")
                    $0.names(reason.rules)
                    $0.text("; ")
                }
                $0.defaultMessage(reason)
            }
        }
    }

    private mutating func defaultMessage(_ reason: CoverageReason) {
        text(reason.known)
        guard let message = reason.message else { return text("; the catalogue names none") }
        text("; the catalogue names ")
        link(message, HTMLAnchor.id("m", message))
        if reason.isOther { text(", and Apple has another one") }
    }
}

extension CatalogueCoverage {
    /// The cells of a product.
    func row(_ index: Int) -> ArraySlice<Cell> {
        cells[index * locales.count..<(index + 1) * locales.count]
    }
}
