/// The filters of Get Transaction History, version 2. A filter without a value lets all transactions through.
///
/// Source: Apple, Get Transaction History (V2).
public struct TransactionHistoryRequest: Sendable, Hashable {
    public enum Sort: String, Sendable, Hashable, CaseIterable {
        /// The transaction that was changed last comes last.
        case ascending = "ASCENDING"
        /// The transaction that was changed last comes first.
        case descending = "DESCENDING"
    }

    /// The first `purchaseDate`, milliseconds since 1970.
    public var startDate: Int64?
    /// The `purchaseDate` before which the wanted ones lie.
    public var endDate: Int64?
    public var productIds: [String] = []
    /// The types of products: `AUTO_RENEWABLE`, `NON_RENEWABLE`, `CONSUMABLE`, `NON_CONSUMABLE`.
    public var productTypes: [String] = []
    /// The order by the last change; nil for Apple's, which is ascending.
    public var sort: Sort?
    public var subscriptionGroupIdentifiers: [String] = []
    /// `PURCHASED`, `FAMILY_SHARED` or `ASSIGNED`.
    public var inAppOwnershipType: String?
    /// True for revoked transactions alone, false for those that are not revoked.
    public var revoked: Bool?

    /// Asks for all transactions.
    public init() {}

    /// The filters as parameters of a query, in the order of Apple's libraries.
    var parameters: [(name: String, value: String)] {
        var list: [(String, String)] = []
        if let startDate { list.append(("startDate", String(startDate))) }
        if let endDate { list.append(("endDate", String(endDate))) }
        list += productIds.map { ("productId", $0) }
        list += productTypes.map { ("productType", $0) }
        if let sort { list.append(("sort", sort.rawValue)) }
        list += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0) }
        if let inAppOwnershipType { list.append(("inAppOwnershipType", inAppOwnershipType)) }
        if let revoked { list.append(("revoked", revoked ? "true" : "false")) }
        return list
    }
}

/// One page of Get Transaction History.
///
/// Source: Apple, HistoryResponse.
public struct TransactionHistoryResponse: Sendable, Hashable {
    /// The revision with which the next page is asked for, and later what has changed since; nil when Apple sent none.
    public let revision: String?
    /// True when a page follows.
    public let hasMore: Bool
    /// `Production` or `Sandbox`, as Apple spells it.
    public let environment: String
    /// The bundle identifier of the app.
    public let bundleId: String
    /// Apple's number of the app. Apple does not send it in Sandbox.
    public let appAppleId: Int64?
    /// The JWS of the transactions.
    public let signedTransactions: [String]

    public init(
        revision: String?, hasMore: Bool, environment: String, bundleId: String, appAppleId: Int64?,
        signedTransactions: [String]
    ) {
        self.revision = revision
        self.hasMore = hasMore
        self.environment = environment
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.signedTransactions = signedTransactions
    }
}
