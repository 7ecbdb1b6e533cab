package import AppStoreServerAPI
package import JSON
package import System

package struct CatalogueStatus: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// Apple lists it with this state.
        case listed(ReviewState)
        /// The catalogue wants it, and Apple does not list it.
        case missing
        /// Apple lists it with this state, and the catalogue does not name it.
        case orphaned(ReviewState)

        package var word: String {
            switch self {
            case .listed(let state): state.rawValue
            case .missing: "missing"
            case .orphaned(let state): "orphaned \(state.rawValue)"
            }
        }
    }

    package struct Row: Sendable, Hashable {
        package let item: CatalogueItem
        /// With the locale of a message; the name of its upload for an orphan; nil when no name is known.
        package let name: String?
        package let state: State
        /// The time when this machine first saw the state; nil for what was never listed.
        package let since: Int64?
        /// The rules and default messages that use a message, or the messages that use an image.
        package let uses: [String]
    }

    package struct DefaultRow: Sendable, Hashable {
        package enum State: Sendable, Hashable {
            /// The message that the catalogue wants is set.
            case set
            case other(UUID)
            case unset
            case unknown

            var word: String {
                switch self {
                case .set: "set"
                case .other: "other"
                case .unset: "unset"
                case .unknown: "unknown"
                }
            }
        }

        package let place: ProductLocale
        package let message: String
        package let identifier: UUID
        package let state: State
        /// The time of the knowledge; nil when nothing is known.
        package let since: Int64?
    }

    package let environment: Environment
    package let bundleId: String
    package let rows: [Row]
    package let defaults: [DefaultRow]

    package init(_ catalogue: ResolvedCatalogue, _ known: AppleState, uses: CatalogueUses) {
        environment = catalogue.environment
        bundleId = catalogue.bundleId
        var defaultCounts: [UUID: Int] = [:]
        for entry in catalogue.defaults { defaultCounts[entry.identifier, default: 0] += 1 }
        var imageUsers: [UUID: [String]] = [:]
        for message in catalogue.messages {
            for image in Set(message.images) {
                imageUsers[image, default: []].append("\(message.name) \(message.locale)")
            }
        }
        func row(_ item: CatalogueItem, _ name: String, _ users: [String]) -> Row {
            Row(
                item: item, name: name,
                state: known.items[item]?.state.map { .listed($0) } ?? .missing,
                since: known.items[item]?.since, uses: users)
        }
        let images = catalogue.images.map { image in
            row(
                CatalogueItem(.image, image.identifier), image.names.joined(separator: ", "),
                imageUsers[image.identifier] ?? [])
        }
        let messages = catalogue.messages.map { message in
            let count = defaultCounts[message.identifier] ?? 0
            let defaults = count == 0 ? [] : [CountText.of(count, "default message")]
            return row(
                CatalogueItem(.message, message.identifier), "\(message.name) \(message.locale)",
                (uses.rules[message.identifier] ?? []) + defaults)
        }
        // A message that the catalogue no longer names stays the default message until Apple has approved the new one.
        let places = known.defaultPlaces
        let orphans = CataloguePlan(catalogue, known).orphans.map { orphan in
            let count = places[orphan.item.identifier]?.count ?? 0
            let defaults = count == 0 ? [] : [CountText.of(count, "default message")]
            return Row(
                item: orphan.item, name: orphan.name, state: .orphaned(orphan.state),
                since: known.items[orphan.item]?.since,
                uses: (uses.rules[orphan.item.identifier] ?? []) + defaults)
        }
        rows = images + messages + orphans
        defaults = catalogue.defaults.map { entry in
            let place = ProductLocale(product: entry.product, locale: entry.locale)
            let found = known.defaults[place]
            let state: DefaultRow.State =
                switch found?.identifier {
                case entry.identifier: .set
                case let other?: .other(other)
                case nil: found == nil ? .unknown : .unset
                }
            return DefaultRow(
                place: place, message: entry.message, identifier: entry.identifier, state: state,
                since: found?.time)
        }
    }
}

extension CatalogueStatus {
    /// The status as lines for a terminal: the images and messages, then the default messages of each product by state.
    package var text: [String] {
        var table = rows.map { row in
            [
                row.item.kind.rawValue, row.name ?? "-", row.state.word,
                row.since.map { "\(CivilTime(milliseconds: $0))" } ?? "-", row.item.identifier.description,
                row.uses.isEmpty ? "-" : row.uses.joined(separator: ", "),
            ]
        }
        table += defaults.map { row in
            [
                "default", "\(row.place.product) \(row.place.locale)", row.state.word,
                row.since.map { "\(CivilTime(milliseconds: $0))" } ?? "-", row.identifier.description,
                row.message,
            ]
        }
        return ["\(bundleId) in \(environment.rawValue)"] + TextTable.lines(table)
    }

    package func json(_ coverage: CatalogueCoverage) -> JSONNode {
        .object([
            ("app", .string(bundleId)), ("environment", .string(environment.rawValue)),
            ("items", .array(rows.map(\.json))), ("defaults", .array(defaults.map(\.json))),
            ("coverage", coverage.json),
        ])
    }
}

extension CatalogueStatus.Row {
    fileprivate var json: JSONNode {
        let (word, listed): (String, String?) =
            switch state {
            case .listed(let state): ("listed", state.rawValue)
            case .missing: ("missing", nil)
            case .orphaned(let state): ("orphaned", state.rawValue)
            }
        return .object(
            item.json + [
                ("name", JSONNode(name)), ("place", .string(word)), ("state", JSONNode(listed)),
                ("since", .time(since)), ("uses", .array(uses.map { .string($0) })),
            ])
    }
}

extension CatalogueStatus.DefaultRow {
    fileprivate var json: JSONNode {
        var members: [(String, JSONNode)] =
            place.members + [
                ("message", .string(message)), ("identifier", .string(identifier.description)),
                ("state", .string(state.word)),
                ("since", .time(since)),
            ]
        if case .other(let other) = state { members.append(("other", .string(other.description))) }
        return .object(members)
    }
}

/// Writes rows in columns.
package enum TextTable {
    /// Columns with two spaces between them; those in `right` end at the same place.
    package static func lines(_ rows: [[String]], right: Set<Int> = []) -> [String] {
        var widths = [Int](repeating: 0, count: rows.map(\.count).max() ?? 0)
        for row in rows {
            // The last cell of a row may be longer than its column.
            for (column, cell) in row.enumerated() where column < row.count - 1 || right.contains(column) {
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            let line = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: max(0, widths[column] - cell.count))
                return right.contains(column) ? space + cell : cell + space
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

/// Apple asks the server, and shows its answer, only where a default message is set.
package struct CatalogueCoverage: Sendable, Hashable {
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
                        found.identifier.map { state[.message, $0] == .approved ? .set : .notApproved }
                        ?? .unset
                }
                cells.append(
                    Cell(
                        place: place, rules: names.indices.contains(index) ? names[index] : [],
                        defaultState: known))
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
