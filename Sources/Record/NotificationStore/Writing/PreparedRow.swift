internal import SQL

/// A row that is ready to be written, but for the number of its header.
struct PreparedRow: Sendable {
    let table: StoreTable
    let form: JWSForm
    /// The values in the order of ``StoreTable/columns``, without those of the JWS.
    private let values: [SQLValue]

    init(_ table: StoreTable, values: [SQLValue], form: JWSForm) {
        self.table = table
        self.form = form
        self.values = values
    }

    /// The text of the header, when the row refers to one.
    var headerText: [UInt8]? {
        if case .parts(let headerText, _, _) = form { headerText } else { nil }
    }

    /// The values of the unique index by which the database recognizes a second copy.
    var key: [SQLValue] { Array(values[..<table.keyCount]) }

    /// All values in the order of ``StoreTable/columns``.
    func values(headerNumber: Int64?) -> [SQLValue] {
        switch form {
        case .parts(_, let payload, let signature):
            values + [SQLValue(headerNumber), .bytes(signature), .bytes(payload), .null]
        case .whole(let jws): values + [.null, .null, .null, .bytes(jws)]
        }
    }
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
}
