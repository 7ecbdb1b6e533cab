internal import SQL

/// Which notifications a caller wants to see. A property that is nil lets all through.
public struct NotificationFilter: Sendable {
    /// The bundle identifier of the app.
    public var app: String?
    public var environment: String?
    /// `notificationUUID`.
    public var uuid: String?
    /// `notificationType`.
    public var type: String?
    /// `subtype`.
    public var subtype: String?
    public var originalTransactionID: String?
    public var transactionID: String?
    /// The identifier of the customer's download of the app.
    public var appTransactionID: String?
    public var productID: String?
    /// How the program got it first.
    public var source: StoreSource?
    /// The first time of receipt, milliseconds since 1970.
    public var receivedFrom: Int64?
    /// The time of receipt before which the wanted ones lie.
    public var receivedTo: Int64?
    /// The first time of signing.
    public var signedFrom: Int64?
    /// The time of signing before which the wanted ones lie.
    public var signedTo: Int64?
    /// True for notifications with a nested part that failed its check, or with a value of their own or of a part that did not
    /// fit.
    public var isMarked = false

    public init() {}

    /// True when an index leads to the few rows that the filter lets through.
    var isSelective: Bool { uuid != nil || originalTransactionID != nil || appTransactionID != nil }

    private static let marked: SQLText = """
        (COALESCE(unfit, transaction_fault, renewal_fault, app_transaction_fault) IS NOT NULL
            OR EXISTS (SELECT 1 FROM transactions AS t WHERE t.digest = transaction_digest AND t.unfit IS NOT NULL)
            OR EXISTS (SELECT 1 FROM renewals AS r WHERE r.digest = renewal_digest AND r.unfit IS NOT NULL)
            OR EXISTS (SELECT 1 FROM app_transactions AS a
                WHERE a.digest = app_transaction_digest AND a.unfit IS NOT NULL))
        """

    var conditions: [(text: SQLText, values: [SQLValue])] {
        let texts: [(SQLText, String?)] = [
            ("app = ?", app), ("environment = ?", environment), ("uuid = ?", uuid), ("type = ?", type),
            ("subtype = ?", subtype), ("original_transaction_id = ?", originalTransactionID),
            ("transaction_id = ?", transactionID), ("app_transaction_id = ?", appTransactionID),
            ("product_id = ?", productID), ("source = ?", source?.rawValue),
        ]
        let numbers: [(SQLText, Int64?)] = [
            ("received_at >= ?", receivedFrom), ("received_at < ?", receivedTo),
            ("signed_at >= ?", signedFrom),
            ("signed_at < ?", signedTo),
        ]
        return texts.compactMap { text, value in value.map { (text, [.text($0)]) } }
            + numbers.compactMap { text, value in value.map { (text, [.integer($0)]) } }
            + (isMarked ? [(Self.marked, [])] : [])
    }
}

/// Which page of a list a caller wants.
public struct StorePage: Sendable, Hashable {
    public enum Order: Sendable, Hashable {
        /// The oldest first, in the order of storing.
        case ascending
        /// The newest first.
        case descending
    }

    public var order: Order
    /// The number behind which the page begins, in its order; nil for the first page.
    public var after: Int64?
    /// The most rows of the page, 1 to ``greatestCount``.
    public var count: Int

    /// The most rows of a page.
    public static let greatestCount = 1000

    /// Describes a page.
    public init(_ order: Order = .ascending, after: Int64? = nil, count: Int = 100) {
        self.order = order
        self.after = after
        self.count = min(max(count, 1), Self.greatestCount)
    }
}

/// A page of a list.
public struct StoreList<Row: Sendable>: Sendable {
    /// The rows. There may be fewer than asked for, or none, although more follow: a page takes a limited time.
    public let rows: [Row]
    /// The number behind which the next page begins; nil when nothing follows.
    public let next: Int64?
}
