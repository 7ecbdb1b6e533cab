/// The text of one SQL statement. It can only be made of literals in the source, so no value from outside can become a part
/// of it: values are passed beside it, one for each `?`.
///
///     let text: SQLText = "SELECT uuid FROM notifications WHERE app = ?"
///     let rows = try connection.query(text + " LIMIT ?", [.text(app), .integer(10)])
///
/// The same text works on SQLite and on PostgreSQL, whose driver counts the question marks (`$1`, `$2`, …).
public struct SQLText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text as it was written.
    public let description: String

    public init(stringLiteral literal: StaticString) {
        description = literal.description
    }

    public init(_ literal: StaticString) {
        description = literal.description
    }

    init(joining text: String) {
        description = text
    }

    /// Joins two texts.
    public static func + (first: SQLText, second: SQLText) -> SQLText {
        SQLText(joining: first.description + second.description)
    }

    /// Adds a text at the end.
    public static func += (text: inout SQLText, addition: SQLText) {
        text = text + addition
    }

    /// Joins texts, with `separator` between them.
    public static func list(_ texts: [SQLText], separator: SQLText = ", ") -> SQLText {
        SQLText(joining: texts.map(\.description).joined(separator: separator.description))
    }

    /// Returns the text with every occurrence of a literal replaced by another literal.
    public func replacing(_ part: StaticString, with other: StaticString) -> SQLText {
        SQLText(joining: description.replacing(part.description, with: other.description))
    }
}
