internal import SQL

/// The values of a signed payload that have columns of their own. All are optional: a value that the payload lacks, or that
/// does not fit its column, is NULL.
public protocol ColumnSet: Sendable, Hashable {
    init()
}

/// A set whose columns this module knows.
protocol TableColumns: ColumnSet {
    /// Calls the visitor with each column, in the order of the statements.
    mutating func visit(_ visitor: inout some ColumnVisitor)

    /// What is read beside the columns, because a value has none.
    static var addition: SQLText? { get }

    /// Takes the values that have no column from the bytes of the addition.
    mutating func take(_ addition: [UInt8])
}

extension TableColumns {
    static var addition: SQLText? { nil }
    mutating func take(_: [UInt8]) {}

    /// The columns, and what is read beside them.
    static var readNames: [SQLText] { names + [addition].compactMap { $0 } }

    /// The names of the columns, as a list for a statement.
    static var names: [SQLText] {
        var (columns, visitor) = (Self(), ColumnNames())
        columns.visit(&visitor)
        return visitor.names
    }

    /// Returns the values of a row for the database: `leading`, those of the columns, and room for some more. A value that
    /// does not fit is NULL, and the name of its column is added to `unfit`.
    func values(after leading: [SQLValue], marking unfit: inout Set<String>) -> [SQLValue] {
        var (columns, visitor) = (self, ColumnValues(leading, unfit: unfit))
        columns.visit(&visitor)
        unfit = visitor.unfit
        return visitor.values
    }

    /// Reads the values of a row from the column `place` on.
    init(_ row: some SQLColumns, from place: Int) throws(SQLError) {
        self.init()
        var visitor = ColumnReading(row, from: place)
        visit(&visitor)
        if let error = visitor.error { throw error }
        guard Self.addition != nil, let bytes = try row.optionalBytes(visitor.place) else { return }
        take(bytes)
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
        guard let text else { return [] }
        return Set(text.split(separator: " ").map(String.init))
    }
}
