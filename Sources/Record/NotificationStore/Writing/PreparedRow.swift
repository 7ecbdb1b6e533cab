internal import SQL

/// A row that is ready to be written, but perhaps for the number of its header.
struct PreparedRow: Sendable {
    let table: StoreTable
    let form: JWSForm
    /// All values in the order of ``StoreTable/columns``, with the number of the header if it was known.
    private let values: [SQLValue]
    private let headerNumber: Int64?

    /// Makes a row of its values without those of the JWS. `headers` are those that have numbers.
    init(_ table: StoreTable, values: consuming [SQLValue], form: JWSForm, _ headers: HeaderNumbers) {
        self.table = table
        self.form = form
        switch form {
        case .parts(let headerText, let payload, let signature):
            headerNumber = headers.number(of: headerText.span)
            values += [SQLValue(headerNumber), .bytes(signature), .bytes(payload), .null]
        case .whole(let jws):
            headerNumber = nil
            values += [.null, .null, .null, .bytes(jws)]
        }
        self.values = values
    }

    /// The text of the header, when the row refers to one.
    var headerText: [UInt8]? {
        if case .parts(let headerText, _, _) = form { headerText } else { nil }
    }

    /// All values in the order of ``StoreTable/columns``.
    func values(headerNumber number: Int64?) -> [SQLValue] {
        // Nearly always the header is an old one, and the values are not copied.
        guard number != headerNumber else { return values }
        var values = values
        values[values.count - Self.valuesFromHeader] = SQLValue(number)
        return values
    }

    /// How many values the number of the header and those after it are.
    private static let valuesFromHeader = 4
}

/// An item that is ready to be written.
struct PreparedItem: Sendable {
    /// The row that says whether the item is there already.
    let row: PreparedRow
    /// The rows of nested parts.
    let nested: [PreparedRow]
    /// Returns the subscribers, and for a notification itself, whose tombstones keep the item out. Only a store that has
    /// tombstones calls this.
    let subjects: @Sendable () -> [TombstoneSubject]
    /// The statement and the values that find the item in the store.
    let search: (text: SQLText, values: [SQLValue])
}
