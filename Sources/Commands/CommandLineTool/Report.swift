package import JSON
internal import System

/// What a command did or found: one JSON document, or the same as lines and tables for a person.
package struct Report {
    private let members: [(String, JSONNode)]
    private let title: String?

    /// The title is the first line for people. The document does not have it.
    package init(_ members: [(String, JSONNode)], title: String? = nil) {
        self.members = members
        self.title = title
    }

    package func print(json: Bool) {
        if json { Console.print(.object(members)) } else { Console.print(lines: lines) }
    }

    package var lines: [String] {
        let lines = Self.lines(members)
        return title.map { [$0] + lines.map { "  \($0)" } } ?? lines
    }

    package static func line(_ members: [(String, JSONNode)]) -> String { word(.object(members)) }

    /// The widest table that is shown as one, without its last column. A wider one is shown row by row.
    private static let tableWidth = 120

    private static func lines(_ members: [(String, JSONNode)]) -> [String] {
        let width = members.filter { isWord($0.1) }.map(\.0.count).max() ?? 0
        return members.flatMap { name, value -> [String] in
            switch value {
            case .object(let inner) where !inner.isEmpty: [name] + lines(inner).map { "  \($0)" }
            case .array(let rows) where !isWord(value): [name] + table(rows).map { "  \($0)" }
            default: [padded(name, width) + "  " + word(value, name)]
            }
        }
    }

    private static func table(_ rows: [JSONNode]) -> [String] {
        let objects = rows.map(\.members)
        var names: [String] = []
        for (name, _) in objects.joined() where !names.contains(name) { names.append(name) }
        let cells = objects.map { members in
            names.map { name in members.first { $0.0 == name }.map { word($0.1, name) } ?? "" }
        }
        let widths = names.indices.map { column in
            (cells.map { $0[column].count } + [names[column].count]).max() ?? 0
        }
        guard widths.dropLast().reduce(0, { $0 + $1 + 2 }) <= tableWidth else {
            return objects.flatMap { row in
                lines(row).enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
            }
        }
        return ([names] + cells).map { row in
            let line = zip(row, widths).map(padded).joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func isWord(_ value: JSONNode) -> Bool {
        switch value {
        case .object(let members): members.isEmpty
        case .array(let elements): elements.allSatisfy { $0.members.isEmpty }
        default: true
        }
    }

    private static func word(_ value: JSONNode, _ name: String = "") -> String {
        switch value {
        case .string(let text): text
        case .null: "-"
        case .integer(let number) where isTime(name, number): CivilTime(milliseconds: number).description
        case .array(let elements): elements.isEmpty ? "-" : elements.map { word($0) }.joined(separator: ", ")
        case .object(let members):
            members.isEmpty ? "-" : members.map { word($0.1, $0.0) }.joined(separator: " ")
        default: String(decoding: value.serialized(), as: UTF8.self)
        }
    }

    /// True for milliseconds since 1970. A version, which also has `from` and `to`, is a small number.
    private static func isTime(_ name: String, _ number: Int64) -> Bool {
        number >= 100_000_000_000
            && (name.hasSuffix("At") || name.hasSuffix("Date") || ["from", "to", "before"].contains(name))
    }
}

extension JSONNode {
    fileprivate var members: [(String, JSONNode)] {
        if case .object(let members) = self { members } else { [] }
    }
}
