internal import SQL

/// Does something with each column of a set. The set calls it with each column's name and property, in the order of the
/// statements.
protocol ColumnVisitor {
    mutating func visit(_ name: StaticString, _ value: inout String?)
    mutating func visit(_ name: StaticString, _ value: inout Int64?)
    /// Visits a column that has 1 for true and 0 for false.
    mutating func visit(_ name: StaticString, _ value: inout Bool?)
}

/// Collects the names of the columns.
struct ColumnNames: ColumnVisitor {
    private(set) var names: [SQLText] = []

    mutating func visit(_ name: StaticString, _: inout String?) { names.append(SQLText(name)) }
    mutating func visit(_ name: StaticString, _: inout Int64?) { names.append(SQLText(name)) }
    mutating func visit(_ name: StaticString, _: inout Bool?) { names.append(SQLText(name)) }
}

/// Collects the values for the database, and the names of the columns whose values do not fit.
struct ColumnValues: ColumnVisitor {
    private(set) var values: [SQLValue] = []
    private(set) var unfit: Set<String>

    init(_ leading: [SQLValue], unfit: Set<String>) {
        self.unfit = unfit
        values.reserveCapacity(60)
        values += leading
    }

    mutating func visit(_ name: StaticString, _ text: inout String?) {
        guard let text else { return values.append(.null) }
        if ColumnText.fits(text) { return values.append(.text(text)) }
        unfit.insert(name.description)
        values.append(.null)
    }

    mutating func visit(_: StaticString, _ number: inout Int64?) { values.append(SQLValue(number)) }
    mutating func visit(_: StaticString, _ flag: inout Bool?) {
        values.append(SQLValue(flag.map { $0 ? 1 : 0 }))
    }
}

/// Sets the properties to the values of a row.
struct ColumnReading<Row: SQLColumns>: ColumnVisitor {
    private let row: Row
    /// The column of the next value.
    private(set) var place: Int
    /// The first error. The properties after it stay as they are.
    private(set) var error: SQLError?

    init(_ row: Row, from place: Int) {
        self.row = row
        self.place = place
    }

    mutating func visit(_: StaticString, _ text: inout String?) {
        guard error == nil else { return }
        do throws(SQLError) { text = try row.optionalText(place) } catch { self.error = error }
        place += 1
    }

    mutating func visit(_: StaticString, _ number: inout Int64?) {
        guard error == nil else { return }
        do throws(SQLError) { number = try row.optionalInteger(place) } catch { self.error = error }
        place += 1
    }

    mutating func visit(_: StaticString, _ flag: inout Bool?) {
        var number: Int64?
        visit("", &number)
        if error == nil { flag = number.map { $0 != 0 } }
    }
}
