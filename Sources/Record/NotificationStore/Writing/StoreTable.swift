internal import SQL

enum StoreTable: String, Sendable, CaseIterable {
    case notifications
    case transactions
    case renewals
    case appTransactions = "app_transactions"

    var name: SQLText {
        switch self {
        case .notifications: "notifications"
        case .transactions: "transactions"
        case .renewals: "renewals"
        case .appTransactions: "app_transactions"
        }
    }

    /// The columns whose values are not from the payload and stand before those that are.
    var leading: [SQLText] {
        switch self {
        case .notifications: ["app", "environment", "uuid", "source", "received_at"]
        default: ["digest", "app", "environment", "source", "received_at"]
        }
    }

    var payloadColumns: [SQLText] {
        switch self {
        case .notifications: NotificationColumns.names
        case .transactions: TransactionColumns.names
        case .renewals: RenewalColumns.names
        case .appTransactions: AppTransactionColumns.names
        }
    }

    static let nestedColumns: [SQLText] = [
        "transaction_digest", "transaction_offset", "transaction_fault",
        "renewal_digest", "renewal_offset", "renewal_fault",
        "app_transaction_digest", "app_transaction_offset", "app_transaction_fault",
    ]

    static let jwsColumns: [SQLText] = ["unfit", "header_id", "signature", "payload", "raw"]

    /// All columns but `id`, in the order in which this module writes and reads them.
    var columns: [SQLText] {
        leading + payloadColumns + (self == .notifications ? Self.nestedColumns : []) + Self.jwsColumns
    }

    var insertion: SQLText {
        let marks = [SQLText](repeating: "?", count: columns.count)
        return "INSERT INTO " + name + " (" + .list(columns) + ") VALUES (" + .list(marks) + ") ON CONFLICT ("
            + .list(Array(leading[..<keyCount])) + ") DO NOTHING"
    }

    /// How many of the leading columns the unique index has by which a second copy of a row is recognized.
    var keyCount: Int { self == .notifications ? 3 : 1 }

    var search: SQLText {
        let key: SQLText =
            self == .notifications ? "app = ? AND environment = ? AND uuid = ?" : "digest = ?"
        return "SELECT 1 FROM " + name + " WHERE " + key
    }

    /// The insertions of all tables. Making a text takes longer than using it.
    static let insertions = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.insertion) })
}
