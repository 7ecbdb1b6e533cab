import NotificationStore
import SubscriberHistory

/// Writes the payloads that Apple would send about one subscriber.
///
/// Each event moves the subscriber on and sends a notification with a new copy of a transaction and a new renewal info, all
/// signed at ``now``. A test moves the time with ``to(_:)``; renewals move it themselves.
struct Life {
    static let day: Int64 = 86_400_000
    /// The time of day 0: 2026-01-01, milliseconds since 1970.
    static let birth: Int64 = 1_767_225_600_000

    /// What the store has.
    var payloads = SubscriberPayloads()
    /// The time of the next event, milliseconds since 1970.
    var now = Life.birth
    /// False while what Apple sends gets lost.
    var isDelivered = true
    /// False while notifications come without a transaction, or without a renewal info.
    var (hasTransaction, hasRenewal) = (true, true)
    /// Changes a transaction before Apple signs it.
    var alteringTransaction: @Sendable (inout TransactionColumns) -> Void = { _ in }
    /// Changes a renewal info before Apple signs it.
    var alteringRenewal: @Sendable (inout RenewalColumns) -> Void = { _ in }
    /// The columns that do not fit, of transactions, renewal infos and notifications.
    var unfit: Set<String> = []

    /// The plan that runs, and the one of the coming period.
    var (plan, coming) = (Plan.monthly, Plan.monthly)
    /// The offer of the running period with the number of periods that it still lasts, and the one of the coming period.
    var (offer, promised): (Offer?, Offer?) = (nil, nil)
    /// The latest state of each transaction, in the order of the purchases.
    var transactions: [TransactionColumns] = []
    /// The state of them to which a story returns.
    var saved: [TransactionColumns] = []
    /// The latest renewal info.
    var renewal = RenewalColumns()
    /// `data.status` of the next notification.
    var status: Int64 = 1
    /// `originalTransactionId`.
    var subscriber = "1000"
    /// `inAppOwnershipType` of the next transaction.
    var ownership: String? = "PURCHASED"
    /// The transactions that have a second identifier.
    var twins: Set<String> = []
    /// How many payloads were signed.
    private var count = 0

    /// Returns the time of a day, milliseconds since 1970.
    static func time(_ days: Double) -> Int64 { birth + Int64((days * Double(day)).rounded()) }

    /// Moves the time to a day.
    mutating func to(_ days: Double) { now = Self.time(days) }

    /// The place of the running transaction.
    var place: Int { transactions.count - 1 }

    /// Runs events of which nothing arrives.
    mutating func losing(_ events: (inout Life) -> Void) {
        isDelivered = false
        events(&self)
        isDelivered = true
    }

    /// Sends a notification about the transaction at a place; nil for the last one.
    mutating func notify(_ type: String, _ subtype: String? = nil, about place: Int? = nil) {
        let transaction = transactions[place ?? self.place]
        let renewal = isDelivered && hasRenewal ? signRenewal() : nil
        let copy = isDelivered && hasTransaction ? sign(transaction) : nil
        guard isDelivered else { return }
        var columns = NotificationColumns()
        columns.type = type
        columns.subtype = subtype
        columns.version = "2.0"
        columns.signedAt = now
        columns.object = "data"
        columns.status = unfit.contains("status") ? nil : status
        columns.originalTransactionID = subscriber
        columns.transactionID = copy?.columns.transactionID
        columns.productID = transaction.productID
        let evidence = Evidence(.notification, name("n"), signedAt: now)
        payloads.notifications.append(HistoryPayload(evidence, columns, unfit: unfit))
        payloads.renewalOfNotification[evidence.name] = renewal
    }

    /// Gives the whole history, as Apple's server does.
    mutating func sync() { sync(Set(transactions.compactMap(\.originalTransactionID))) }

    /// Gives the whole history of the subscription since it moved to Advanced Commerce.
    mutating func syncAlone() { sync([subscriber]) }

    private mutating func sync(_ subscriptions: Set<String>) {
        guard isDelivered else { return }
        for transaction in transactions
        where transaction.originalTransactionID.map(subscriptions.contains) ?? false { sign(transaction) }
        _ = signRenewal()
        for subscription in subscriptions { payloads.syncedAt[subscription] = now }
    }

    /// Adds a copy of a transaction.
    @discardableResult
    mutating func sign(_ transaction: TransactionColumns) -> HistoryPayload<TransactionColumns> {
        var columns = transaction
        columns.signedAt = now
        if let id = columns.transactionID, twins.contains(id), count % 2 == 0 {
            columns.transactionID = id + "-again"
        }
        alteringTransaction(&columns)
        let payload = HistoryPayload(Evidence(.transaction, name("t"), signedAt: now), columns, unfit: unfit)
        payloads.transactions.append(payload)
        return payload
    }

    /// The offer of the coming period, and its price.
    private var comingOffer: Offer? {
        promised ?? (coming.product == plan.product ? offer.flatMap { $0.periods > 1 ? $0 : nil } : nil)
    }
    var comingPrice: Int64? { comingOffer.map { $0.price } ?? coming.price }

    /// Adds a copy of the renewal info, and returns its name.
    mutating func signRenewal() -> String {
        var columns = renewal
        columns.signedAt = now
        columns.originalTransactionID = subscriber
        columns.productID = transactions.last?.productID
        columns.renewalProductID = coming.product
        let offer = comingOffer
        columns.renewalPrice = comingPrice
        columns.offerType = offer?.type
        columns.offerIdentifier = offer?.identifier
        columns.offerDiscountType = offer?.discount
        columns.renewsAt = transactions.last?.expiresAt
        alteringRenewal(&columns)
        let payload = HistoryPayload(Evidence(.renewal, name("r"), signedAt: now), columns, unfit: unfit)
        payloads.renewals.append(payload)
        return payload.evidence.name
    }

    /// Returns the next digest. Digests do not follow the order of the events.
    private mutating func name(_ kind: String) -> String {
        count += 1
        let mixed = UInt64(count) &* 0x9E37_79B9_7F4A_7C15
        return kind + String(mixed ^ mixed >> 29, radix: 16)
    }
}
