internal import AppStoreServerAPI
internal import JSON
internal import System

extension AppStoreSimulator {
    /// Get Transaction History, version 2: sorted by the last change, so that a transaction that changes while a client reads
    /// pages comes a second time.
    func transactionHistory(_ identifier: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        let filter = try TransactionHistoryFilter(call.target)
        let (number, subscriber) = try subscriber(identifier, call)
        let words = [String(number)] + filter.words
        var last: Int64?
        if let revision = call.target.values(of: "revision").first {
            guard let position = HistoryPosition(token: revision, of: words) else {
                throw .apple(.invalidRequestRevision)
            }
            last = position.number
        }
        let rest = subscriber.transactions.filter { transaction in
            guard let last else { return filter.matches(transaction) }
            let follows = filter.isDescending ? transaction.change < last : transaction.change > last
            return follows && filter.matches(transaction)
        }.sorted { filter.isDescending ? $0.change > $1.change : $0.change < $1.change }
        let page = rest.prefix(SimulatorLimits.pageCount)
        var list: [JSONNode] = []
        for transaction in page { list.append(.string(try signed(transaction.members, call))) }
        let next = HistoryPosition(milliseconds: 0, number: page.last?.change ?? last ?? 0, of: words)
        return SimulatorAnswer(
            .object(
                [("revision", .string(next.token)), ("hasMore", .boolean(page.count < rest.count))]
                    + Self.owner(call) + [("signedTransactions", .array(list))]
            )
        )
    }
}

/// The filters of Get Transaction History, checked.
private struct TransactionHistoryFilter {
    private let startDate: Int64
    private let endDate: Int64
    private let productIds: [String]
    private let productTypes: [String]
    private let groups: [String]
    private let ownership: String?
    private let revoked: Bool?
    let isDescending: Bool
    /// Everything that must be the same for each page.
    let words: [String]

    /// The words for the types of products, as a request and as a transaction has them.
    private static let types = [
        "AUTO_RENEWABLE": "Auto-Renewable Subscription", "NON_RENEWABLE": "Non-Renewing Subscription",
        "CONSUMABLE": "Consumable", "NON_CONSUMABLE": "Non-Consumable",
    ]

    init(_ target: RequestTarget) throws(SimulatorProblem) {
        let date = { (name: String, code: AppStoreServerAPIErrorCode) throws(SimulatorProblem) -> Int64? in
            guard let text = target.values(of: name).first else { return nil }
            guard let time = Int64(text), time >= 0 else { throw .apple(code) }
            return time
        }
        startDate = try date("startDate", .invalidStartDate) ?? 0
        endDate = try date("endDate", .invalidEndDate) ?? .max
        guard startDate <= endDate else { throw .apple(.invalidEndDate) }
        productIds = target.values(of: "productId")
        guard productIds.allSatisfy({ (1...SimulatorLimits.productIdLength).contains($0.count) }) else {
            throw .apple(.invalidProductId)
        }
        productTypes = target.values(of: "productType")
        guard productTypes.allSatisfy({ Self.types[$0] != nil }) else { throw .apple(.invalidProductType) }
        groups = target.values(of: "subscriptionGroupIdentifier")
        guard groups.allSatisfy({ UInt64($0) != nil }) else {
            throw .apple(.invalidSubscriptionGroupIdentifier)
        }
        let flag = { (name: String, code: AppStoreServerAPIErrorCode) throws(SimulatorProblem) -> Bool? in
            // Apple's Python library sends "True" and "False".
            guard let text = target.values(of: name).first?.lowercased() else { return nil }
            guard text == "true" || text == "false" else { throw .apple(code) }
            return text == "true"
        }
        let excluded = try flag("excludeRevoked", .invalidExcludeRevoked)
        let revoked = try flag("revoked", .invalidRevoked)
        self.revoked = revoked ?? (excluded == true ? false : nil)
        ownership = target.values(of: "inAppOwnershipType").first
        guard ownership.map(["PURCHASED", "FAMILY_SHARED", "ASSIGNED"].contains) ?? true else {
            throw .apple(.invalidInAppOwnershipType)
        }
        let sort = target.values(of: "sort").first ?? "ASCENDING"
        guard sort == "ASCENDING" || sort == "DESCENDING" else { throw .apple(.invalidSort) }
        isDescending = sort == "DESCENDING"
        words = target.parameters.filter { $0.name != "revision" }.map { "\($0.name)=\($0.value)" }.sorted()
    }

    func matches(_ transaction: SimulatedSubscriber.Transaction) -> Bool {
        let members = transaction.members
        let has = { (list: [String], value: String?) in list.isEmpty || value.map(list.contains) == true }
        let types = productTypes.compactMap { Self.types[$0] }
        guard let date = members.number("purchaseDate"), date >= startDate, date < endDate,
            has(productIds, members.text("productId")), has(types, members.text("type")),
            has(groups, members.text("subscriptionGroupIdentifier")),
            has(ownership.map { [$0] } ?? [], members.text("inAppOwnershipType"))
        else { return false }
        return revoked.map { $0 == (members.number("revocationDate") != nil) } ?? true
    }
}
