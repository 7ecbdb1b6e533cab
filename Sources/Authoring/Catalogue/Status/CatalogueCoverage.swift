internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

/// For each product and locale of a catalogue: which answer a subscriber would get.
///
/// Apple asks the server, and shows its answer, only where a default message is set. What App Store Connect is configured to
/// show is not known to this program.
public struct CatalogueCoverage: Sendable, Hashable {
    /// The state of a default message at Apple, as far as the journal knows.
    public enum DefaultState: String, Sendable, Hashable {
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
    public struct Cell: Sendable, Hashable {
        public let place: ProductLocale
        /// The rules that may answer, in their order.
        public let rules: [String]
        /// The state of the default message.
        public let defaultState: DefaultState

        /// The answer as a word: `rules`, `default`, `nothing`, and `unknown` when the default message is not known.
        public var word: String {
            switch defaultState {
            case .set: rules.isEmpty ? "default" : "rules"
            case .notApproved: rules.isEmpty ? "nothing" : "rules"
            case .unset: "nothing"
            case .unknown: "unknown"
            }
        }
    }

    /// The products in the order of the catalogue.
    public let products: [String]
    /// The locales in the order of the catalogue.
    public let locales: [String]
    /// The cells: for each product one for each locale.
    public let cells: [Cell]

    /// Combines the journal, Apple's lists and rules.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue with its products and locales.
    ///   - knowledge: what the journal knows of default messages.
    ///   - inventory: Apple's lists.
    ///   - rules: returns for a product, and for each of the locales, the names of the rules that may answer.
    public init(
        _ catalogue: Catalogue, knowledge: JournalKnowledge, inventory: AppleInventory,
        rules: (_ product: String, _ locales: [String]) -> [[String]]
    ) {
        products = catalogue.products.map(\.name)
        locales = catalogue.locales
        let states = inventory.states
        var cells: [Cell] = []
        for product in products {
            let names = rules(product, locales)
            for (index, locale) in locales.enumerated() {
                let place = ProductLocale(product: product, locale: locale)
                let state: DefaultState
                if let known = knowledge.defaults[place] {
                    state =
                        known.identifier.map { identifier in
                            states[CatalogueItem(.message, identifier)] == .approved ? .set : .notApproved
                        } ?? .unset
                } else {
                    state = .unknown
                }
                cells.append(
                    Cell(
                        place: place, rules: names.indices.contains(index) ? names[index] : [],
                        defaultState: state)
                )
            }
        }
        self.cells = cells
    }

    /// The coverage as lines for a terminal: a row for each product, a column for each locale.
    public var text: [String] {
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

    /// The coverage as a JSON object.
    public var json: JSONNode {
        let list = cells.map { cell in
            JSONNode.object([
                ("product", .string(cell.place.product)), ("locale", .string(cell.place.locale)),
                ("answer", .string(cell.word)), ("rules", .array(cell.rules.map { .string($0) })),
                ("default", .string(cell.defaultState.rawValue)), ("appStoreConnect", .string("unknown")),
            ])
        }
        return .object([("cells", .array(list))])
    }
}
