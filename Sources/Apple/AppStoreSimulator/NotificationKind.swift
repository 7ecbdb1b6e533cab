/// A type and subtype of notifications, with what is special about its content.
package struct NotificationKind: Sendable, CustomStringConvertible {
    package let type: String
    /// `subtype`; nil when a notification of this kind has none.
    package let subtype: String?
    package let object: NotificationObject
    /// Changes an ordinary notification into one of this kind.
    let change: Change

    /// The notification, its subscription, and the time of signing.
    typealias Change =
        @Sendable (inout NotificationPayload, SubscriptionSample, _ signedDate: Int64) -> Void

    init(
        _ type: String,
        _ subtype: String? = nil,
        _ object: NotificationObject = .data,
        _ change: @escaping Change = { _, _, _ in }
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

    /// Returns a documented kind that the caller names in its source.
    ///
    /// - Precondition: there is such a kind.
    package static func known(_ type: String, _ subtype: String? = nil) -> NotificationKind {
        guard let kind = NotificationKind(type, subtype) else {
            preconditionFailure("\(type) \(subtype ?? "") is not documented")
        }
        return kind
    }

    package var description: String { subtype.map { "\(type).\($0)" } ?? type }

    /// Every kind that Apple has documented.
    ///
    /// Source: Apple, App Store Server Notifications, notificationType and subtype (2.23). Apple does not say which type
    /// comes with INCREASE_QUANTITY and DECREASE_QUANTITY; both change what renews.
    package static let documented: [NotificationKind] = renewing + ending + others
}

extension NotificationKind {
    static let renewing: [NotificationKind] = [
        NotificationKind("SUBSCRIBED", "INITIAL_BUY"),
        NotificationKind("SUBSCRIBED", "RESUBSCRIBE") { payload, sample, _ in
            // A return after a lapse is a purchase with the first transaction's identifier.
            payload.transaction?.set("transactionId", text: String(sample.transactionId + 100))
            payload.transaction?.set("originalPurchaseDate", number: sample.purchaseDate - 90 * day)
        },
        NotificationKind("DID_RENEW") { payload, _, _ in renew(&payload) },
        NotificationKind("DID_RENEW", "BILLING_RECOVERY") { payload, _, _ in renew(&payload) },
        NotificationKind("DID_CHANGE_RENEWAL_PREF") { _, _, _ in },
        NotificationKind("DID_CHANGE_RENEWAL_PREF", "UPGRADE") { payload, sample, _ in
            upgrade(&payload, sample)
        },
        NotificationKind("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE") { payload, sample, _ in
            payload.renewalInfo?.set("autoRenewProductId", text: sample.otherProductId)
        },
        NotificationKind("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY") { payload, _, _ in
            payload.transaction?.set("quantity", number: 2)
            payload.transaction?.set("additionalTransactionReason", text: "SEAT_ADDITION")
            payload.renewalInfo?.set("renewalQuantity", number: 7)
        },
        NotificationKind("DID_CHANGE_RENEWAL_PREF", "DECREASE_QUANTITY") { payload, _, _ in
            payload.transaction?.set("quantity", number: 5)
            payload.renewalInfo?.set("renewalQuantity", number: 3)
        },
        NotificationKind("DID_CHANGE_RENEWAL_STATUS") { payload, _, _ in
            payload.renewalInfo?.set("autoRenewStatus", number: 0)
            payload.renewalInfo?.set("priceIncreaseStatus", number: 0)
        },
        NotificationKind("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"),
        NotificationKind("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED") { payload, _, _ in
            payload.renewalInfo?.set("autoRenewStatus", number: 0)
        },
        NotificationKind("OFFER_REDEEMED") { payload, sample, _ in redeem(&payload, sample) },
        NotificationKind("OFFER_REDEEMED", "UPGRADE") { payload, sample, _ in
            upgrade(&payload, sample)
            redeem(&payload, sample)
        },
        NotificationKind("OFFER_REDEEMED", "DOWNGRADE") { payload, sample, _ in
            payload.renewalInfo?.set("autoRenewProductId", text: sample.otherProductId)
            redeem(&payload, sample)
        },
        NotificationKind("PRICE_INCREASE", "PENDING") { payload, sample, _ in
            raisePrice(&payload, sample, status: 0)
        },
        NotificationKind("PRICE_INCREASE", "ACCEPTED") { payload, sample, _ in
            raisePrice(&payload, sample, status: 1)
        },
        NotificationKind("RENEWAL_EXTENDED") { payload, sample, _ in
            payload.transaction?.set("expiresDate", number: sample.expiresDate + 7 * day)
            payload.renewalInfo?.set("renewalDate", number: sample.expiresDate + 7 * day)
        },
        NotificationKind("RENEWAL_EXTENSION", "SUMMARY", .summary),
        NotificationKind("RENEWAL_EXTENSION", "FAILURE"),
    ]

    static let ending: [NotificationKind] = [
        NotificationKind("DID_FAIL_TO_RENEW") { payload, _, _ in
            payload.object.set("status", number: 3)
            payload.renewalInfo?.set("isInBillingRetryPeriod", boolean: true)
        },
        NotificationKind("DID_FAIL_TO_RENEW", "GRACE_PERIOD") { payload, sample, _ in
            payload.object.set("status", number: 4)
            payload.renewalInfo?.set("isInBillingRetryPeriod", boolean: true)
            payload.renewalInfo?.set("gracePeriodExpiresDate", number: sample.expiresDate + 16 * day)
        },
        NotificationKind("GRACE_PERIOD_EXPIRED") { payload, _, _ in
            payload.object.set("status", number: 3)
            payload.renewalInfo?.set("isInBillingRetryPeriod", boolean: true)
        },
        NotificationKind("EXPIRED", "VOLUNTARY") { payload, _, _ in expire(&payload, intent: 1) },
        NotificationKind("EXPIRED", "BILLING_RETRY") { payload, _, _ in expire(&payload, intent: 2) },
        NotificationKind("EXPIRED", "PRICE_INCREASE") { payload, _, _ in expire(&payload, intent: 3) },
        NotificationKind("EXPIRED", "PRODUCT_NOT_FOR_SALE") { payload, _, _ in expire(&payload, intent: 4) },
        NotificationKind("REFUND") { payload, _, signedDate in
            revoke(&payload, "REFUND_FULL", signedDate)
            payload.transaction?.set("revocationPercentage", number: 100_000)
        },
        NotificationKind("REFUND", "SEATS") { payload, _, _ in
            payload.transaction?.set("quantity", number: 5)
            payload.transaction?.set(
                "multiSeatInfo", json: #"{"invitationManagement":"DEVELOPER","revokedSeatQuantity":2}"#)
        },
        NotificationKind("REFUND_DECLINED"),
        NotificationKind("REFUND_REVERSED"),
        NotificationKind("CONSUMPTION_REQUEST") { payload, _, _ in
            payload.object.set("consumptionRequestReason", text: "UNINTENDED_PURCHASE")
        },
        NotificationKind("REVOKE") { payload, _, signedDate in
            revoke(&payload, "FAMILY_REVOKE", signedDate)
            payload.transaction?.set("inAppOwnershipType", text: "FAMILY_SHARED")
            payload.transaction?.set("price", number: nil)
            payload.transaction?.set("currency", text: nil)
        },
    ]

    static let others: [NotificationKind] = [
        NotificationKind("ONE_TIME_CHARGE") { payload, _, _ in
            payload.transaction?.set("type", text: "Consumable")
            payload.transaction?.set("expiresDate", number: nil)
            payload.transaction?.set("subscriptionGroupIdentifier", text: nil)
            payload.renewalInfo = nil
            payload.object.set("status", number: nil)
        },
        NotificationKind("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", .externalPurchaseToken),
        NotificationKind("EXTERNAL_PURCHASE_TOKEN", "CREATED", .externalPurchaseToken) { payload, _, date in
            payload.object.set("tokenExpirationDate", number: date + 365 * day)
            payload.object.set("tokenType", text: "SERVICES")
        },
        NotificationKind("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", .externalPurchaseToken) {
            payload, _, date in
            payload.object.set("tokenExpirationDate", number: date + 30 * day)
            payload.object.set("tokenType", text: "ACQUISITION")
        },
        NotificationKind("RESCIND_CONSENT", nil, .appData),
        NotificationKind("METADATA_UPDATE") { payload, _, _ in useAdvancedCommerce(&payload) },
        NotificationKind("MIGRATION") { payload, sample, _ in
            useAdvancedCommerce(&payload)
            payload.transaction?.set(
                "previousOriginalTransactionId", text: String(sample.originalTransactionId - 1))
        },
        NotificationKind("PRICE_CHANGE") { payload, _, _ in useAdvancedCommerce(&payload) },
        NotificationKind("UNCLAIM_SEATS", nil, .unclaimInfo),
        NotificationKind("TEST") { payload, _, _ in
            payload.transaction = nil
            payload.renewalInfo = nil
            payload.object.set("status", number: nil)
        },
    ]

    private static let day: Int64 = 86_400_000

    private static func renew(_ payload: inout NotificationPayload) {
        payload.transaction?.set("transactionReason", text: "RENEWAL")
    }

    /// An upgrade is a new purchase that takes effect at once.
    private static func upgrade(_ payload: inout NotificationPayload, _ sample: SubscriptionSample) {
        payload.transaction?.set("productId", text: sample.otherProductId)
        payload.transaction?.set("transactionReason", text: "PURCHASE")
        payload.renewalInfo?.set("productId", text: sample.otherProductId)
        payload.renewalInfo?.set("autoRenewProductId", text: sample.otherProductId)
    }

    /// A sample that names an offer for the coming period has it in its renewal info. Any other sample gets an offer that
    /// is in force at once.
    private static func redeem(_ payload: inout NotificationPayload, _ sample: SubscriptionSample) {
        guard sample.renewalOffer == nil else { return }
        let offer = SubscriptionOffer(identifier: "half_price", price: sample.price / 2, period: "P1M")
        if var transaction = payload.transaction {
            offer.write(to: &transaction)
            payload.transaction = transaction
        }
        if var renewalInfo = payload.renewalInfo {
            offer.write(to: &renewalInfo)
            payload.renewalInfo = renewalInfo
        }
    }

    private static func raisePrice(
        _ payload: inout NotificationPayload, _ sample: SubscriptionSample, status: Int64
    ) {
        payload.renewalInfo?.set("priceIncreaseStatus", number: status)
        payload.renewalInfo?.set("renewalPrice", number: sample.price * 12 / 10)
    }

    private static func expire(_ payload: inout NotificationPayload, intent: Int64) {
        payload.object.set("status", number: 2)
        payload.renewalInfo?.set("autoRenewStatus", number: 0)
        payload.renewalInfo?.set("expirationIntent", number: intent)
        payload.renewalInfo?.set("isInBillingRetryPeriod", boolean: false)
    }

    private static func revoke(_ payload: inout NotificationPayload, _ type: String, _ signedDate: Int64) {
        payload.object.set("status", number: 5)
        payload.transaction?.set("revocationDate", number: signedDate - 60_000)
        payload.transaction?.set("revocationReason", number: 0)
        payload.transaction?.set("revocationType", text: type)
    }

    private static func useAdvancedCommerce(_ payload: inout NotificationPayload) {
        let item = #"{"SKU":"com.example.sku","displayName":"Plan","description":"A plan","price":9990}"#
        payload.transaction?.set(
            "advancedCommerceInfo", json: #"{"items":[\#(item)],"period":"P1M","taxCode":"C003-00-2"}"#)
        payload.renewalInfo?.set(
            "advancedCommerceInfo", json: #"{"items":[\#(item)],"period":"P1M","taxCode":"C003-00-2"}"#)
    }
}
