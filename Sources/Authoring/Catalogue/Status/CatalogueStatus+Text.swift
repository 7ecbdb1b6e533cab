internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

extension CatalogueStatus.DefaultRow.State {
    /// The state as a word.
    var word: String {
        switch self {
        case .set: "set"
        case .other: "other"
        case .unset: "unset"
        case .unknown: "unknown"
        }
    }
}

extension CatalogueStatus {
    /// The status as lines for a terminal: the images and messages, then the default messages of each product by state.
    public var text: [String] {
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

    /// The status as a JSON object.
    public var json: JSONNode {
        .object([
            ("app", .string(bundleId)), ("environment", .string(environment.rawValue)),
            ("items", .array(rows.map(\.json))), ("defaults", .array(defaults.map(\.json))),
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
            case .unknown: ("unknown", nil)
            }
        return .object(
            item.json + [
                ("name", name.map { .string($0) } ?? .null), ("place", .string(word)),
                ("state", listed.map { .string($0) } ?? .null), ("since", since.map(JSONNode.time) ?? .null),
                ("uses", .array(uses.map { .string($0) })),
            ]
        )
    }
}

extension CatalogueStatus.DefaultRow {
    fileprivate var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("product", .string(place.product)), ("locale", .string(place.locale)),
            ("message", .string(message)),
            ("identifier", .string(identifier.description)), ("state", .string(state.word)),
            ("since", since.map(JSONNode.time) ?? .null),
        ]
        if case .other(let other) = state { members.append(("other", .string(other.description))) }
        return .object(members)
    }
}

/// Writes rows in columns.
enum TextTable {
    /// Returns a line for each row. All cells of a column but the last have the same width.
    static func lines(_ rows: [[String]]) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (index, cell) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], cell.count)
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == row.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}
