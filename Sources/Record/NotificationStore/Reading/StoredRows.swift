internal import SQL

/// A notification as the store has it, without its JWS.
public struct NotificationRow: Sendable, Hashable {
    /// The number in the order of storing.
    public let id: Int64
    /// What tells the notification from every other.
    public let app: String
    /// The environment as Apple spells it.
    public let environment: String
    /// `notificationUUID`.
    public let uuid: String
    /// How the program got it first.
    public let source: String
    /// The time at which the program got it first, milliseconds since 1970.
    public let receivedAt: Int64
    /// The values of its payload.
    public let values: StoredColumns<NotificationColumns>
    /// The codes of the checks that nested parts failed, by the name of the part: `transaction`, `renewal`,
    /// `app_transaction`.
    public let faults: [String: String]
    /// The names of columns whose values did not fit. A list of marked notifications has those of nested parts too, such as
    /// `transaction.price`.
    public let unfit: Set<String>
    /// The digest of the nested renewal info; nil when there is none, or when it failed its check.
    public let renewalDigest: [UInt8]?

    /// The values of its payload.
    public var columns: NotificationColumns { values.columns }

    /// The columns of a statement that reads such rows.
    static let names: [SQLText] =
        ["id"] + StoreTable.notifications.leading + [
            "transaction_fault", "renewal_fault", "app_transaction_fault", "unfit", "renewal_digest",
        ]
        + NotificationColumns.names

    /// Further columns of such a statement: what did not fit in nested parts.
    static let unfitOfParts: [SQLText] = [
        "(SELECT t.unfit FROM transactions AS t WHERE t.digest = transaction_digest)",
        "(SELECT r.unfit FROM renewals AS r WHERE r.digest = renewal_digest)",
        "(SELECT a.unfit FROM app_transactions AS a WHERE a.digest = app_transaction_digest)",
    ]

    init(_ row: some SQLColumns, hasUnfitOfParts: Bool = false) throws(SQLError) {
        id = try row.integer(0)
        app = try row.text(1)
        environment = try row.text(2)
        uuid = try row.text(3)
        source = try row.text(4)
        receivedAt = try row.integer(5)
        var faults: [String: String] = [:]
        if let code = try row.optionalText(6) { faults["transaction"] = code }
        if let code = try row.optionalText(7) { faults["renewal"] = code }
        if let code = try row.optionalText(8) { faults["app_transaction"] = code }
        self.faults = faults
        var unfit = UnfitColumns.names(try row.optionalText(9))
        if hasUnfitOfParts {
            for (place, part) in ["transaction", "renewal", "app_transaction"].enumerated() {
                let names = UnfitColumns.names(try row.optionalText(Self.names.count + place))
                unfit.formUnion(names.map { "\(part).\($0)" })
            }
        }
        self.unfit = unfit
        renewalDigest = try row.optionalBytes(10)
        values = StoredColumns(try NotificationColumns(row, from: 11))
    }
}

/// A transaction, a renewal info or an app transaction as the store has it, without its JWS.
public struct PartRow<Columns: ColumnSet>: Sendable, Hashable {
    /// The number in the order of storing.
    public let id: Int64
    /// SHA-256 of the JWS.
    public let digest: [UInt8]
    /// The bundle identifier of the app.
    public let app: String
    /// The environment as Apple spells it.
    public let environment: String
    /// How the program got it first.
    public let source: String
    /// The time at which the program got it first, milliseconds since 1970.
    public let receivedAt: Int64
    /// The values of its payload.
    public let values: StoredColumns<Columns>
    /// The names of columns whose values did not fit.
    public let unfit: Set<String>

    /// The values of its payload.
    public var columns: Columns { values.columns }
}

extension PartRow where Columns: TableColumns {
    /// The columns of a statement that reads such rows.
    static func names(_ table: StoreTable) -> [SQLText] {
        ["id"] + table.leading + ["unfit"] + Columns.readNames
    }

    init(_ row: some SQLColumns) throws(SQLError) {
        id = try row.integer(0)
        digest = try row.bytes(1)
        app = try row.text(2)
        environment = try row.text(3)
        source = try row.text(4)
        receivedAt = try row.integer(5)
        unfit = UnfitColumns.names(try row.optionalText(6))
        values = StoredColumns(try Columns(row, from: 7))
    }
}

/// The values of a row, which those who hold the row share: they are dozens, and copying them takes longer than reading one.
public final class StoredColumns<Columns: ColumnSet>: Sendable, Hashable {
    public let columns: Columns

    public init(_ columns: Columns) {
        self.columns = columns
    }

    /// Two are equal when their values are.
    public static func == (left: StoredColumns, right: StoredColumns) -> Bool {
        left === right || left.columns == right.columns
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(columns)
    }
}
