internal import SQL

/// The values of a signed payload that have columns of their own. All are optional: a value that the payload lacks, or that
/// does not fit its column, is NULL.
public protocol ColumnSet: Sendable, Hashable {
    /// Makes a set without values.
    init()
}

/// A set whose columns this module knows.
protocol TableColumns: ColumnSet {
    static var columns: [Column<Self>] { get }
}

extension TableColumns {
    /// The names of the columns, as a list for a statement.
    static var names: [SQLText] { columns.map { SQLText($0.name) } }

    /// Returns the values for the database. A value that does not fit is NULL, and the name of its column is added to
    /// `unfit`.
    func values(marking unfit: inout Set<String>) -> [SQLValue] {
        Self.columns.map { column in
            if let value = column.value(in: self) { return value }
            unfit.insert(column.name.description)
            return .null
        }
    }

    /// Reads the values of a row from the column `place` on.
    init(_ row: SQLRow, from place: Int) throws(SQLError) {
        self.init()
        var place = place
        for column in Self.columns {
            try column.read(row, place, into: &self)
            place += 1
        }
    }
}

/// The names of columns whose values did not fit, as the store keeps them.
enum UnfitColumns {
    /// Returns the value of the column `unfit`: the names in alphabetical order with a space between, or NULL.
    static func value(_ names: Set<String>) -> SQLValue {
        names.isEmpty ? .null : .text(names.sorted().joined(separator: " "))
    }

    /// Returns the names in a value of the column `unfit`.
    static func names(_ text: String?) -> Set<String> {
        Set((text ?? "").split(separator: " ").map(String.init))
    }
}
