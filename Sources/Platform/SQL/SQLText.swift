/// The text of one SQL statement. It can only be made of literals in the source, so no value from outside can become a part
/// of it: values are passed beside it, one for each `?`.
///
/// The same text works on SQLite and on PostgreSQL, whose driver counts the question marks (`$1`, `$2`, …).
package struct SQLText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let description: String

    package init(stringLiteral literal: StaticString) {
        description = literal.description
    }

    package init(_ literal: StaticString) {
        description = literal.description
    }

    init(joining text: String) {
        description = text
    }

    package static func + (first: SQLText, second: SQLText) -> SQLText {
        SQLText(joining: first.description + second.description)
    }

    package static func += (text: inout SQLText, addition: SQLText) {
        text = text + addition
    }

    package static func list(_ texts: [SQLText], separator: SQLText = ", ") -> SQLText {
        SQLText(joining: texts.map(\.description).joined(separator: separator.description))
    }

    package func replacing(_ part: StaticString, with other: StaticString) -> SQLText {
        SQLText(joining: description.replacing(part.description, with: other.description))
    }
}

extension SQLText {
    /// Returns the statement of PostgreSQL that keeps a comment of a column, or of the table when `column` is nil. Such a
    /// statement takes no values, so the comment is written as a quoted text.
    ///
    /// Stops the process when a name has other characters than small letters and `_`: names are those of the program.
    package static func comment(_ comment: String, onTable table: String, column: String? = nil) -> SQLText {
        let names = [table] + (column.map { [$0] } ?? [])
        let isPlain = names.allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        }
        precondition(isPlain && !comment.utf8.contains(0), "a name of the program")
        let kind = column == nil ? "TABLE" : "COLUMN"
        let quoted = comment.replacing("'", with: "''")
        return SQLText(joining: "COMMENT ON \(kind) \(names.joined(separator: ".")) IS '\(quoted)'")
    }
}

/// The list of values behind `IN` in a condition. A statement with the list has one text for every number of values, so that
/// its prepared form is used again: values beyond the length of the list are for another run of the statement, and in place
/// of missing ones stands NULL, which equals nothing.
package struct SQLList: Sendable {
    package let count: Int
    package let text: SQLText

    package init(count: Int) {
        precondition(count > 0, "a list with places")
        self.count = count
        text = "(" + .list([SQLText](repeating: "?", count: count)) + ")"
    }

    package func pages(of values: some Collection<SQLValue>) -> [[SQLValue]] {
        var pages: [[SQLValue]] = []
        var rest = values[...]
        while !rest.isEmpty {
            let page = rest.prefix(count)
            pages.append(page + [SQLValue](repeating: .null, count: count - page.count))
            rest = rest.dropFirst(count)
        }
        return pages
    }
}
