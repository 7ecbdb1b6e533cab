internal import AppStoreServerAPI
internal import JSON
internal import System

/// For each product and locale of a catalogue: which answer a subscriber would get.
///
/// Apple asks the server, and shows its answer, only where a default message is set. What App Store Connect is configured to
/// show is not known to this program.
package struct CatalogueCoverage: Sendable, Hashable {
    /// The state of a default message at Apple, as far as is known.
    package enum DefaultState: String, Sendable, Hashable {
        /// A default message is set, and Apple has approved it.
        case set
        /// A default message is set, and Apple does not list it as approved.
        case notApproved = "not-approved"
        /// No default message is set.
        case unset
        /// It is not known which default message is set.
        case unknown
    }

    /// The answers of one product in one locale.
    package struct Cell: Sendable, Hashable {
        package let place: ProductLocale
        /// The rules that may answer, in their order.
        package let rules: [String]
        package let defaultState: DefaultState

        /// The answer as a word: `rules`, `default`, `nothing`, and `unknown` when the default message is not known.
        package var word: String {
            switch defaultState {
            case .set: rules.isEmpty ? "default" : "rules"
            case .notApproved: rules.isEmpty ? "nothing" : "rules"
            case .unset: "nothing"
            case .unknown: "unknown"
            }
        }
    }

    package let products: [String]
    package let locales: [String]
    /// The cells: for each product one for each locale.
    package let cells: [Cell]

    /// `rules` returns for a product, and for each of the locales, the names of the rules that may answer.
    package init(
        _ catalogue: Catalogue, _ state: AppleState,
        rules: (_ product: String, _ locales: [String]) -> [[String]]
    ) {
        products = catalogue.products.map(\.name)
        locales = catalogue.locales
        var cells: [Cell] = []
        for product in products {
            let names = rules(product, locales)
            for (index, locale) in locales.enumerated() {
                let place = ProductLocale(product: product, locale: locale)
                var known = DefaultState.unknown
                if let found = state.defaults[place] {
                    known =
                        found.identifier.map { state.isApproved(.message, $0) ? .set : .notApproved }
                        ?? .unset
                }
                cells.append(
                    Cell(
                        place: place, rules: names.indices.contains(index) ? names[index] : [],
                        defaultState: known)
                )
            }
        }
        self.cells = cells
    }

    /// The coverage as lines for a terminal: a row for each product, a column for each locale.
    package var text: [String] {
        var table = [["product"] + locales]
        for (index, product) in products.enumerated() {
            let row = cells[index * locales.count..<(index + 1) * locales.count]
            table.append([product] + row.map(\.word))
        }
        return TextTable.lines(table) + [
            "What App Store Connect is configured to show is not known here. Apple asks the server only where a default "
                + "message is set."
        ]
    }

    var json: JSONNode {
        let list = cells.map { cell in
            JSONNode.object([
                ("product", .string(cell.place.product)), ("locale", .string(cell.place.locale)),
                ("answer", .string(cell.word)), ("rules", .array(cell.rules.map { .string($0) })),
                ("default", .string(cell.defaultState.rawValue)), ("appStoreConnect", .string("unknown")),
            ])
        }
        return .array(list)
    }
}
