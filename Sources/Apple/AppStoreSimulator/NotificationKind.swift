package struct NotificationKind: Sendable, CustomStringConvertible {
    package let type: String
    package let subtype: String?
    package let object: NotificationObject
    /// Changes an ordinary notification into one of this kind.
    let change: @Sendable (inout NotificationPayload) -> Void

    init(
        _ type: String, _ subtype: String? = nil, _ object: NotificationObject = .data,
        _ change: @escaping @Sendable (inout NotificationPayload) -> Void = { _ in }
    ) {
        self.type = type
        self.subtype = subtype
        self.object = object
        self.change = change
    }

    package init?(_ type: String, _ subtype: String? = nil) {
        guard let kind = Self.documented.first(where: { $0.type == type && $0.subtype == subtype }) else {
            return nil
        }
        self = kind
    }

    /// A kind that the caller names in its source, so that it exists.
    package static func known(_ type: String, _ subtype: String? = nil) -> NotificationKind {
        guard let kind = NotificationKind(type, subtype) else {
            preconditionFailure("\(type) \(subtype ?? "") is not documented")
        }
        return kind
    }

    package var description: String { subtype.map { "\(type).\($0)" } ?? type }

    /// Source: Apple, notificationType and subtype (2.23). Apple does not say which type INCREASE_QUANTITY comes with.
    package static let documented: [NotificationKind] = renewing + ending + others
}

extension NotificationKind {
    static let renewing: [NotificationKind] = [
        .init("SUBSCRIBED", "INITIAL_BUY"),
        .init("SUBSCRIBED", "RESUBSCRIBE") {
            // A return after a lapse is a purchase with the first transaction's identifier.
            $0.transaction?.set("transactionId", text: String($0.sample.transactionId + 100))
            $0.transaction?.set("originalPurchaseDate", number: $0.sample.purchaseDate - 90 * day)
        },
        .init("DID_RENEW") { $0.transaction?.set("transactionReason", text: "RENEWAL") },
        .init("DID_RENEW", "BILLING_RECOVERY") { $0.transaction?.set("transactionReason", text: "RENEWAL") },
        .init("DID_CHANGE_RENEWAL_PREF"),
        .init("DID_CHANGE_RENEWAL_PREF", "UPGRADE") { $0.upgrade() },
        .init("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE") { $0.downgrade() },
        .init("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY") {
            $0.transaction?.set("quantity", number: 2)
            $0.transaction?.set("additionalTransactionReason", text: "SEAT_ADDITION")
            $0.renewalInfo?.set("renewalQuantity", number: 7)
        },
        .init("DID_CHANGE_RENEWAL_PREF", "DECREASE_QUANTITY") {
            $0.transaction?.set("quantity", number: 5)
            $0.renewalInfo?.set("renewalQuantity", number: 3)
        },
        .init("DID_CHANGE_RENEWAL_STATUS") {
            $0.renewalInfo?.set("autoRenewStatus", number: 0)
            $0.renewalInfo?.set("priceIncreaseStatus", number: 0)
        },
        .init("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"),
        .init("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED") {
            $0.renewalInfo?.set("autoRenewStatus", number: 0)
        },
        .init("OFFER_REDEEMED") { $0.redeem() },
        .init("OFFER_REDEEMED", "UPGRADE") {
            $0.upgrade()
            $0.redeem()
        },
        .init("OFFER_REDEEMED", "DOWNGRADE") {
            $0.downgrade()
            $0.redeem()
        },
        .init("PRICE_INCREASE", "PENDING") { $0.raisePrice(status: 0) },
        .init("PRICE_INCREASE", "ACCEPTED") { $0.raisePrice(status: 1) },
        .init("RENEWAL_EXTENDED") {
            $0.transaction?.set("expiresDate", number: $0.sample.expiresDate + 7 * day)
            $0.renewalInfo?.set("renewalDate", number: $0.sample.expiresDate + 7 * day)
        },
        .init("RENEWAL_EXTENSION", "SUMMARY", .summary),
        .init("RENEWAL_EXTENSION", "FAILURE"),
    ]

    static let ending: [NotificationKind] = [
        .init("DID_FAIL_TO_RENEW") { $0.failToRenew(status: 3) },
        .init("DID_FAIL_TO_RENEW", "GRACE_PERIOD") {
            $0.failToRenew(status: 4)
            $0.renewalInfo?.set("gracePeriodExpiresDate", number: $0.sample.expiresDate + 16 * day)
        },
        .init("GRACE_PERIOD_EXPIRED") { $0.failToRenew(status: 3) },
        .init("EXPIRED", "VOLUNTARY") { $0.expire(intent: 1) },
        .init("EXPIRED", "BILLING_RETRY") { $0.expire(intent: 2) },
        .init("EXPIRED", "PRICE_INCREASE") { $0.expire(intent: 3) },
        .init("EXPIRED", "PRODUCT_NOT_FOR_SALE") { $0.expire(intent: 4) },
        .init("REFUND") {
            $0.revoke("REFUND_FULL")
            $0.transaction?.set("revocationPercentage", number: 100_000)
        },
        .init("REFUND", "SEATS") {
            $0.transaction?.set("quantity", number: 5)
            $0.transaction?.set(
                "multiSeatInfo", json: #"{"invitationManagement":"DEVELOPER","revokedSeatQuantity":2}"#)
        },
        .init("REFUND_DECLINED"),
        .init("REFUND_REVERSED"),
        .init("CONSUMPTION_REQUEST") {
            $0.object.set("consumptionRequestReason", text: "UNINTENDED_PURCHASE")
        },
        .init("REVOKE") {
            $0.revoke("FAMILY_REVOKE")
            $0.transaction?.set("inAppOwnershipType", text: "FAMILY_SHARED")
            $0.transaction?.set("price", number: nil)
            $0.transaction?.set("currency", text: nil)
        },
    ]

    static let others: [NotificationKind] = [
        .init("ONE_TIME_CHARGE") {
            $0.transaction?.set("type", text: "Consumable")
            $0.transaction?.set("expiresDate", number: nil)
            $0.transaction?.set("subscriptionGroupIdentifier", text: nil)
            $0.renewalInfo = nil
            $0.object.set("status", number: nil)
        },
        .init("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", .externalPurchaseToken),
        .init("EXTERNAL_PURCHASE_TOKEN", "CREATED", .externalPurchaseToken) {
            $0.object.set("tokenExpirationDate", number: $0.signedDate + 365 * day)
            $0.object.set("tokenType", text: "SERVICES")
        },
        .init("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", .externalPurchaseToken) {
            $0.object.set("tokenExpirationDate", number: $0.signedDate + 30 * day)
            $0.object.set("tokenType", text: "ACQUISITION")
        },
        .init("RESCIND_CONSENT", nil, .appData),
        .init("METADATA_UPDATE") { $0.useAdvancedCommerce() },
        .init("MIGRATION") {
            $0.useAdvancedCommerce()
            let previous = String($0.sample.originalTransactionId - 1)
            $0.transaction?.set("previousOriginalTransactionId", text: previous)
        },
        .init("PRICE_CHANGE") { $0.useAdvancedCommerce() },
        .init("UNCLAIM_SEATS", nil, .unclaimInfo),
        .init("TEST") {
            $0.transaction = nil
            $0.renewalInfo = nil
            $0.object.set("status", number: nil)
        },
    ]

    private static let day: Int64 = 86_400_000
}

extension NotificationPayload {
    /// An upgrade is a new purchase that takes effect at once.
    fileprivate mutating func upgrade() {
        transaction?.set("productId", text: sample.otherProductId)
        transaction?.set("transactionReason", text: "PURCHASE")
        renewalInfo?.set("productId", text: sample.otherProductId)
        downgrade()
    }

    fileprivate mutating func downgrade() {
        renewalInfo?.set("autoRenewProductId", text: sample.otherProductId)
    }

    /// A sample without an offer for the coming period gets one that is in force at once.
    fileprivate mutating func redeem() {
        guard sample.renewalOffer == nil else { return }
        let offer = SubscriptionOffer(identifier: "half_price", price: sample.price / 2, period: "P1M")
        transaction?.set(offer)
        renewalInfo?.set(offer)
    }

    fileprivate mutating func raisePrice(status: Int64) {
        renewalInfo?.set("priceIncreaseStatus", number: status)
        renewalInfo?.set("renewalPrice", number: sample.price * 12 / 10)
    }

    fileprivate mutating func failToRenew(status: Int64) {
        object.set("status", number: status)
        renewalInfo?.set("isInBillingRetryPeriod", boolean: true)
    }

    fileprivate mutating func expire(intent: Int64) {
        object.set("status", number: 2)
        renewalInfo?.set("autoRenewStatus", number: 0)
        renewalInfo?.set("expirationIntent", number: intent)
        renewalInfo?.set("isInBillingRetryPeriod", boolean: false)
    }

    fileprivate mutating func revoke(_ type: String) {
        object.set("status", number: 5)
        transaction?.set("revocationDate", number: signedDate - 60_000)
        transaction?.set("revocationReason", number: 0)
        transaction?.set("revocationType", text: type)
    }

    fileprivate mutating func useAdvancedCommerce() {
        let item = #"{"SKU":"com.example.sku","displayName":"Plan","description":"A plan","price":9990}"#
        let info = #"{"items":[\#(item)],"period":"P1M","taxCode":"C003-00-2"}"#
        transaction?.set("advancedCommerceInfo", json: info)
        renewalInfo?.set("advancedCommerceInfo", json: info)
    }
}
