internal import SQL

/// One column of a table: its name, and the property that it holds.
struct Column<Record>: Sendable {
    /// The property of a column.
    enum Property: Sendable {
        case text(any WritableKeyPath<Record, String?> & Sendable)
        case integer(any WritableKeyPath<Record, Int64?> & Sendable)
        /// 1 for true and 0 for false.
        case flag(any WritableKeyPath<Record, Bool?> & Sendable)
    }

    let name: StaticString
    let property: Property

    init(_ name: StaticString, _ property: any WritableKeyPath<Record, String?> & Sendable) {
        self.name = name
        self.property = .text(property)
    }

    init(_ name: StaticString, _ property: any WritableKeyPath<Record, Int64?> & Sendable) {
        self.name = name
        self.property = .integer(property)
    }

    init(flag name: StaticString, _ property: any WritableKeyPath<Record, Bool?> & Sendable) {
        self.name = name
        self.property = .flag(property)
    }

    /// Returns the value for the database; nil when the value does not fit the column.
    func value(in record: Record) -> SQLValue? {
        switch property {
        case .text(let path):
            guard let text = record[keyPath: path] else { return .null }
            return ColumnText.fits(text) ? .text(text) : nil
        case .integer(let path): return SQLValue(record[keyPath: path])
        case .flag(let path): return SQLValue(record[keyPath: path].map { $0 ? 1 : 0 })
        }
    }

    /// Sets the property to the value of a row.
    func read(_ row: SQLRow, _ place: Int, into record: inout Record) throws(SQLError) {
        switch property {
        case .text(let path): record[keyPath: path] = try row.optionalText(place)
        case .integer(let path): record[keyPath: path] = try row.optionalInteger(place)
        case .flag(let path): record[keyPath: path] = try row.optionalInteger(place).map { $0 != 0 }
        }
    }
}

/// The limits of texts in columns.
enum ColumnText {
    /// The most bytes of a text. Apple's identifiers are shorter, and PostgreSQL cannot index a text of some thousand bytes.
    static let byteCount = 512

    /// Returns true when both database systems can keep the text. PostgreSQL cannot represent U+0000.
    static func fits(_ text: String) -> Bool { text.utf8.count <= byteCount && !text.utf8.contains(0) }
}
