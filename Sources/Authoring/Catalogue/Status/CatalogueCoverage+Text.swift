public import JSON
internal import Vocabulary

extension CatalogueCoverage {
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
