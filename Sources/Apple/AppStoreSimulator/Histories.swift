internal import AppStoreServerAPI
internal import Cryptography
internal import JSON
internal import System

extension AppStoreSimulator {
    /// A notification belongs to a range by the time of its first attempt, once that has ended; Apple does not say more.
    func notificationHistory(_ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        let environment = call.request.environment
        guard let root = call.request.root else { throw .badRequest }
        let filter = try NotificationHistoryFilter(root, environment: environment, now: call.now)
        let notices = state[call.app.bundleId][environment].notices
        if let identifier = filter.transactionId {
            try checkTransaction(identifier)
            guard notices.notifications.contains(where: { $0.transactionIds.contains(identifier) }) else {
                throw .apple(.transactionIdNotFound)
            }
        }
        var index = 0
        if let token = call.target.values(of: "paginationToken").first {
            guard let position = HistoryPosition(token: token) else {
                throw .apple(.invalidPaginationToken)
            }
            guard position.milliseconds + SimulatorLimits.pageTokenMilliseconds > call.now else {
                throw .apple(.paginationTokenExpired)
            }
            index = Int(clamping: position.number)
        }
        var found: [SentNotification] = []
        while index < notices.notifications.count, found.count < SimulatorLimits.pageCount {
            let notification = notices.notifications[index]
            if filter.matches(notification, at: call.now) { found.append(notification.item) }
            index += 1
        }
        let hasMore = notices.notifications[min(index, notices.notifications.count)...]
            .contains { filter.matches($0, at: call.now) }
        let next = HistoryPosition(milliseconds: call.now, number: Int64(index))
        return SimulatorAnswer(
            json: NotificationHistoryResponse(
                paginationToken: hasMore ? next.token : nil, notifications: found))
    }

    func checkTransaction(_ identifier: String) throws(SimulatorAnswer) {
        try Self.checkForm(of: identifier)
        if let refusal = configuration.refusals[identifier] { throw .apple(refusal) }
    }

    static func checkForm(of identifier: String) throws(SimulatorAnswer) {
        // A 64-bit number has at most 20 digits.
        guard identifier.wholeMatch(of: /[0-9]{1,20}/) != nil else { throw .apple(.invalidTransactionId) }
    }
}

private struct NotificationHistoryFilter {
    let startDate: Int64
    let endDate: Int64
    let type: String?
    let subtype: String?
    let transactionId: String?
    let onlyFailures: Bool

    init(_ root: JSONValue, environment: Environment, now: Int64) throws(SimulatorAnswer) {
        guard let start = root.member("startDate")?.int64, start >= 0 else { throw .apple(.invalidStartDate) }
        guard let end = root.member("endDate")?.int64, end >= 0 else { throw .apple(.invalidEndDate) }
        guard start <= end else { throw .apple(.startDateAfterEndDate) }
        guard start >= now - (environment == .production ? 180 : 30) * 86_400_000 else {
            throw .apple(.startDateTooFarInPast)
        }
        let type = try Self.text(root, "notificationType", .invalidNotificationType)
        let subtype = try Self.text(root, "notificationSubtype", .invalidNotificationType)
        transactionId = try Self.text(root, "transactionId", .invalidTransactionId)
        guard type == nil || transactionId == nil else { throw .apple(.multipleFiltersSupplied) }
        let kinds = NotificationKind.documented.filter { $0.type == type }
        let isKnown = subtype == nil ? !kinds.isEmpty : kinds.contains { $0.subtype == subtype }
        guard isKnown || type == nil && subtype == nil else { throw .apple(.invalidNotificationType) }
        if let flag = root.member("onlyFailures"), flag.kind != .null {
            guard let flag = flag.boolean else { throw .badRequest }
            onlyFailures = flag
        } else {
            onlyFailures = false
        }
        (startDate, endDate) = (start, end)
        (self.type, self.subtype) = (type, subtype)
    }

    private static func text(_ root: JSONValue, _ name: String, _ code: AppStoreServerAPIErrorCode)
        throws(SimulatorAnswer) -> String?
    {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let text = value.string else { throw .apple(code) }
        return text
    }

    func matches(_ notification: SimulatedNotification, at now: Int64) -> Bool {
        guard let first = notification.attempts.first?.milliseconds,
            (startDate...max(startDate, min(endDate, now))).contains(first),
            !onlyFailures || !notification.isDelivered, type == nil || notification.type == type,
            subtype == nil || notification.subtype == subtype
        else { return false }
        return transactionId.map(notification.transactionIds.contains) ?? true
    }
}

extension AppStoreSimulator {
    /// How long the token of a test notification is good: six months. Source: Apple, Get Test Notification Status.
    private static let testTokenMilliseconds: Int64 = 183 * 86_400_000

    mutating func requestTestNotification(_ call: Call, using random: inout some RandomNumberGenerator)
        throws(SimulatorAnswer) -> SimulatorAnswer
    {
        guard state[call.app.bundleId][call.request.environment].notices.url != nil else {
            throw .apple(.serverNotificationURLNotFound)
        }
        let kind = NotificationKind.known("TEST")
        let token = "\(UUID(randomFrom: &random))_\(call.now)"
        _ = try notify(
            // A test notification has no transaction, so this subscriber never exists.
            NotificationEvent(kind: kind, subscriber: 1), of: call.app, in: call.request.environment,
            testToken: token, at: call.now, using: &random)
        return SimulatorAnswer(json: TestNotification(testNotificationToken: token))
    }

    func testNotificationStatus(_ token: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        let parts = token.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUID(String(parts[0])) != nil, let time = Int64(parts[1]), time >= 0 else {
            throw .apple(.invalidTestNotificationToken)
        }
        let notices = state[call.app.bundleId][call.request.environment].notices
        guard let found = notices.notifications.last(where: { $0.testToken == token }),
            !found.attempts.isEmpty,
            call.now - time < Self.testTokenMilliseconds
        else { throw .apple(.testNotificationNotFound) }
        return SimulatorAnswer(json: found.item)
    }
}

extension AppStoreSimulator {
    /// Sorted by the last change, so that a transaction that changes while a client reads pages comes a second time.
    func transactionHistory(_ identifier: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        let filter = try TransactionHistoryFilter(call.target)
        let subscriber = try subscriber(identifier, call).subscriber
        var last: Int64?
        if let revision = call.target.values(of: "revision").first {
            guard let position = HistoryPosition(token: revision) else {
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
        let next = HistoryPosition(milliseconds: 0, number: page.last?.change ?? last ?? 0)
        return SimulatorAnswer(
            .object(
                [("revision", .string(next.token)), ("hasMore", .boolean(page.count < rest.count))]
                    + Self.owner(call) + [("signedTransactions", .array(list))]
            )
        )
    }
}

private struct TransactionHistoryFilter {
    private let startDate: Int64
    private let endDate: Int64
    private let productIds: [String]
    private let productTypes: [String]
    private let groups: [String]
    private let ownership: String?
    private let revoked: Bool?
    let isDescending: Bool

    private static let types = [
        "AUTO_RENEWABLE": "Auto-Renewable Subscription", "NON_RENEWABLE": "Non-Renewing Subscription",
        "CONSUMABLE": "Consumable", "NON_CONSUMABLE": "Non-Consumable",
    ]

    init(_ target: RequestTarget) throws(SimulatorAnswer) {
        let date = { (name: String, code: AppStoreServerAPIErrorCode) throws(SimulatorAnswer) -> Int64? in
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
        let flag = { (name: String, code: AppStoreServerAPIErrorCode) throws(SimulatorAnswer) -> Bool? in
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

extension AppStoreSimulator {
    func subscriptionStatuses(_ identifier: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        var wanted: Set<Int64> = []
        for text in call.target.values(of: "status") {
            guard let status = Int64(text), (1...5).contains(status) else { throw .apple(.invalidStatus) }
            wanted.insert(status)
        }
        let (number, subscriber) = try subscriber(identifier, call)
        var groups: [JSONNode] = []
        if let status = subscriber.status, let renewal = subscriber.renewalInfo,
            let last = subscriber.transactions.last(where: { $0.members.number("expiresDate") != nil }),
            wanted.isEmpty || wanted.contains(status)
        {
            let item = JSONNode.object([
                ("originalTransactionId", .string(String(number))), ("status", .integer(status)),
                ("signedTransactionInfo", .string(try signed(last.members, call))),
                ("signedRenewalInfo", .string(try signed(renewal, call))),
            ])
            let group = last.members.text("subscriptionGroupIdentifier") ?? ""
            groups.append(
                .object([
                    ("subscriptionGroupIdentifier", .string(group)), ("lastTransactions", .array([item])),
                ])
            )
        }
        return SimulatorAnswer(.object(Self.owner(call) + [("data", .array(groups))]))
    }

    func transactionInfo(_ identifier: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        try checkTransaction(identifier)
        let notices = state[call.app.bundleId][call.request.environment].notices
        guard !notices.isAppTransaction(identifier) else { throw .apple(.appTransactionIdNotSupported) }
        let transactions = notices.subscriber(identifier)?.subscriber.transactions ?? []
        let found = transactions.first { $0.transactionId == identifier } ?? transactions.first
        guard let found else { throw .apple(.transactionIdNotFound) }
        return SimulatorAnswer(.object([("signedTransactionInfo", .string(try signed(found.members, call)))]))
    }

    func subscriber(_ identifier: String, _ call: Call) throws(SimulatorAnswer) -> (
        id: Int64, subscriber: SimulatedSubscriber
    ) {
        try checkTransaction(identifier)
        let notices = state[call.app.bundleId][call.request.environment].notices
        guard let found = notices.subscriber(identifier) else { throw .apple(.transactionIdNotFound) }
        return found
    }

    func signed(_ members: PayloadMembers, _ call: Call) throws(SimulatorAnswer) -> String {
        var members = members
        members.set("signedDate", number: call.now)
        guard let jws = try? configuration.signer?.compact(members.json) else { throw .apple(.internalError) }
        return String(decoding: jws, as: UTF8.self)
    }

    /// The members that say whose answer it is. Apple sends no number of the app in Sandbox.
    static func owner(_ call: Call) -> [(String, JSONNode)] {
        let environment = call.request.environment
        let number: [(String, JSONNode)] =
            environment == .production ? [("appAppleId", .integer(call.app.appAppleId))] : []
        return [
            ("environment", .string(environment.rawValue)), ("bundleId", .string(call.app.bundleId)),
        ] + number
    }
}

/// The place of the next page, as a token that a client must not change: the time of giving it, and a number.
struct HistoryPosition {
    let milliseconds: Int64
    let number: Int64

    var token: String {
        String(decoding: Base64URL.encode(Array("\(milliseconds).\(number)".utf8).span), as: UTF8.self)
    }
}

extension HistoryPosition {
    init?(token: String) {
        guard let bytes = Base64URL.decode(Array(token.utf8).span) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".").compactMap { Int64($0) }
        guard parts.count == 2, parts[0] >= 0, parts[1] >= 0 else { return nil }
        self.init(milliseconds: parts[0], number: parts[1])
    }
}
