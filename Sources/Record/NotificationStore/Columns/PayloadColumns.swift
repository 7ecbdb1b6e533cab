internal import JSON
internal import SignedPayloads
internal import SQL

/// Apple, JWSTransactionDecodedPayload. Dates are milliseconds since 1970.
package struct TransactionColumns: TableColumns {
    package var originalTransactionID, transactionID, webOrderLineItemID,
        previousOriginalTransactionID, appTransactionID, appAccountToken, productID,
        subscriptionGroupID, type, ownership, reason, additionalReason, currency, storefront,
        offerIdentifier, offerDiscountType, offerPeriod, revocationType, billingPlan, sku: String?
    package var signedAt, purchasedAt, originallyPurchasedAt, expiresAt, quantity, price, offerType,
        revokedAt, revocationReason, revocationPercentage, commitmentPeriod, commitmentPeriods: Int64?
    package var isUpgraded: Bool?
    /// `multiSeatInfo.revokedSeatQuantity`. It has no column: it is read from the payload.
    package var revokedSeatQuantity: Int64?

    static let table = makeTable()

    package init() {}

    init(_ content: Transaction) {
        signedAt = content.signedDate
        originalTransactionID = content.originalTransactionId
        transactionID = content.transactionId
        webOrderLineItemID = content.webOrderLineItemId
        previousOriginalTransactionID = content.previousOriginalTransactionId
        appTransactionID = content.appTransactionId
        appAccountToken = content.appAccountToken
        productID = content.productId
        subscriptionGroupID = content.subscriptionGroupIdentifier
        type = content.type
        ownership = content.inAppOwnershipType
        purchasedAt = content.purchaseDate
        originallyPurchasedAt = content.originalPurchaseDate
        expiresAt = content.expiresDate
        quantity = content.quantity.map(Int64.init)
        revokedSeatQuantity = content.revokedSeatQuantity.map(Int64.init)
        reason = content.transactionReason
        additionalReason = content.additionalTransactionReason
        isUpgraded = content.isUpgraded
        price = content.price
        currency = content.currency
        storefront = content.storefront
        offerType = content.offerType.map(Int64.init)
        offerIdentifier = content.offerIdentifier
        offerDiscountType = content.offerDiscountType
        offerPeriod = content.offerPeriod
        revokedAt = content.revocationDate
        revocationReason = content.revocationReason.map(Int64.init)
        revocationType = content.revocationType
        revocationPercentage = content.revocationPercentage.map(Int64.init)
        billingPlan = content.billingPlanType
        commitmentPeriod = content.billingPeriodNumber.map(Int64.init)
        commitmentPeriods = content.totalBillingPeriods.map(Int64.init)
        if let skus = content.advancedCommerceSKUs, skus.count == 1 { sku = skus[0] }
    }

    mutating func visit(_ visit: inout some ColumnVisitor) {
        visit("signed_at", &signedAt, "Time at which Apple signed it.", "signedDate")
        visit(
            "original_transaction_id", &originalTransactionID, "Identifier of the subscription.",
            "originalTransactionId")
        visit("transaction_id", &transactionID, "Identifier of the purchase or renewal.", "transactionId")
        visit(
            "web_order_line_item_id", &webOrderLineItemID, "Identifier of the period of a subscription.",
            "webOrderLineItemId")
        visit(
            "previous_original_transaction_id", &previousOriginalTransactionID,
            "Identifier that the subscription had before it moved to Advanced Commerce.",
            "previousOriginalTransactionId")
        visit(
            "app_transaction_id", &appTransactionID, "Identifier of the customer's download of the app.",
            "appTransactionId")
        visit(
            "app_account_token", &appAccountToken, "The app's own identifier of the customer.",
            "appAccountToken")
        visit("product_id", &productID, "Product.", "productId")
        visit(
            "subscription_group_id", &subscriptionGroupID, "Subscription group of the product.",
            "subscriptionGroupIdentifier")
        visit("type", &type, "Kind of product, such as Auto-Renewable Subscription.", "type")
        visit("ownership", &ownership, "PURCHASED, FAMILY_SHARED or ASSIGNED.", "inAppOwnershipType")
        visit("purchased_at", &purchasedAt, "Start of the period, or time of the purchase.", "purchaseDate")
        visit(
            "originally_purchased_at", &originallyPurchasedAt, "Time of the first purchase.",
            "originalPurchaseDate")
        visit("expires_at", &expiresAt, "End of the period.", "expiresDate")
        visit("quantity", &quantity, "Number of items or seats.", "quantity")
        visit("reason", &reason, "PURCHASE or RENEWAL.", "transactionReason")
        visit(
            "additional_reason", &additionalReason, "SEAT_ADDITION when seats were added during a period.",
            "additionalTransactionReason")
        visit("is_upgraded", &isUpgraded, "1 when an upgrade ended the period early.", "isUpgraded")
        visitTerms(&visit)
    }

    private mutating func visitTerms(_ visit: inout some ColumnVisitor) {
        visit(
            "price", &price, "Price in thousandths of the currency unit; of one seat where there are seats.",
            "price")
        visit("currency", &currency, "Currency of the price, ISO 4217.", "currency")
        visit("storefront", &storefront, "Country of the App Store, three letters.", "storefront")
        visit(
            "offer_type", &offerType,
            "1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention offer.", "offerType")
        visit("offer_identifier", &offerIdentifier, "Identifier of the offer.", "offerIdentifier")
        visit(
            "offer_discount_type", &offerDiscountType, "FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME.",
            "offerDiscountType")
        visit("offer_period", &offerPeriod, "Length of the offer, ISO 8601.", "offerPeriod")
        visit("revoked_at", &revokedAt, "Time at which Apple refunded or revoked it.", "revocationDate")
        visit(
            "revocation_reason", &revocationReason, "0 other reason, 1 a problem of the app.",
            "revocationReason")
        visit(
            "revocation_type", &revocationType,
            "REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE or ASSIGNMENT_REVOKE.", "revocationType")
        visit(
            "revocation_percentage", &revocationPercentage,
            "Share of the price that was refunded, in thousandths of a percent.", "revocationPercentage")
        visit("billing_plan", &billingPlan, "BILLED_UPFRONT or MONTHLY.", "billingPlanType")
        visit(
            "commitment_period", &commitmentPeriod, "Number of the billing period in a commitment.",
            "commitmentInfo.billingPeriodNumber")
        visit(
            "commitment_periods", &commitmentPeriods, "Number of billing periods of the commitment.",
            "commitmentInfo.totalBillingPeriods")
        visit("sku", &sku, "SKU of the one item of Advanced Commerce.", "advancedCommerceInfo.items")
    }

    static let otherMembers = [
        "multiSeatInfo": ["revoked_seat_quantity"], "revokedSeatQuantity": ["revoked_seat_quantity"],
        "commitmentInfo": ["commitment_period", "commitment_periods"], "advancedCommerceInfo": ["sku"],
    ]

    /// The payload of a transaction that may have seats.
    static var addition: SQLText? {
        "CASE WHEN quantity IS NULL OR quantity > 1 OR additional_reason IS NOT NULL THEN payload END"
    }

    mutating func take(_ payload: [UInt8]) {
        let limits = JSONLimits(byteCount: 1 << 20, depth: 64)
        let document = try? JSONDocument(parsing: payload.span, limits: limits)
        guard let root = document?.root, root.kind == .object, let seats = root.member("multiSeatInfo"),
            seats.kind == .object, let count = seats.member("revokedSeatQuantity")?.int64
        else { return }
        revokedSeatQuantity = Int64(Int32(exactly: count) ?? -1)
    }
}

/// Apple, JWSRenewalInfoDecodedPayload.
package struct RenewalColumns: TableColumns {
    package var originalTransactionID, appTransactionID, appAccountToken, productID, renewalProductID,
        currency, offerIdentifier, offerDiscountType, offerPeriod, renewalBillingPlan, sku: String?
    package var signedAt, autoRenewStatus, expirationIntent, gracePeriodExpiresAt,
        priceIncreaseStatus, subscribedAt, renewsAt, renewalPrice, renewalQuantity, offerType: Int64?
    package var isInBillingRetry: Bool?

    static let table = makeTable()

    package init() {}

    init(_ content: RenewalInfo) {
        signedAt = content.signedDate
        originalTransactionID = content.originalTransactionId
        appTransactionID = content.appTransactionId
        appAccountToken = content.appAccountToken
        productID = content.productId
        renewalProductID = content.autoRenewProductId
        autoRenewStatus = content.autoRenewStatus.map(Int64.init)
        expirationIntent = content.expirationIntent.map(Int64.init)
        isInBillingRetry = content.isInBillingRetryPeriod
        gracePeriodExpiresAt = content.gracePeriodExpiresDate
        priceIncreaseStatus = content.priceIncreaseStatus.map(Int64.init)
        subscribedAt = content.recentSubscriptionStartDate
        renewsAt = content.renewalDate
        renewalPrice = content.renewalPrice
        currency = content.currency
        renewalQuantity = content.renewalQuantity.map(Int64.init)
        offerType = content.offerType.map(Int64.init)
        offerIdentifier = content.offerIdentifier
        offerDiscountType = content.offerDiscountType
        offerPeriod = content.offerPeriod
        renewalBillingPlan = content.renewalBillingPlanType
        if let skus = content.advancedCommerceSKUs, skus.count == 1 { sku = skus[0] }
    }

    static let otherMembers = ["advancedCommerceInfo": ["sku"]]

    mutating func visit(_ visit: inout some ColumnVisitor) {
        visit("signed_at", &signedAt, "Time at which Apple signed it.", "signedDate")
        visit(
            "original_transaction_id", &originalTransactionID, "Identifier of the subscription.",
            "originalTransactionId")
        visit(
            "app_transaction_id", &appTransactionID, "Identifier of the customer's download of the app.",
            "appTransactionId")
        visit(
            "app_account_token", &appAccountToken,
            "The app's own identifier of the customer, for the coming renewal.", "appAccountToken")
        visit("product_id", &productID, "Product of the current period.", "productId")
        visit("renewal_product_id", &renewalProductID, "Product of the coming period.", "autoRenewProductId")
        visit("auto_renew_status", &autoRenewStatus, "0 off, 1 on.", "autoRenewStatus")
        visit(
            "expiration_intent", &expirationIntent,
            "Why it ended: 1 cancelled, 2 billing, 3 price, 4 product gone, 5 other.", "expirationIntent")
        visit(
            "is_in_billing_retry", &isInBillingRetry, "1 while the App Store tries to collect the price.",
            "isInBillingRetryPeriod")
        visit(
            "grace_period_expires_at", &gracePeriodExpiresAt, "End of the grace period.",
            "gracePeriodExpiresDate")
        visit(
            "price_increase_status", &priceIncreaseStatus,
            "0 the customer has not answered a price increase, 1 agreed.", "priceIncreaseStatus")
        visit(
            "subscribed_at", &subscribedAt, "Start of the latest time of service without a long lapse.",
            "recentSubscriptionStartDate")
        visit("renews_at", &renewsAt, "Time of the coming renewal; may lie in the past.", "renewalDate")
        visit(
            "renewal_price", &renewalPrice,
            "Price of the coming period in thousandths of the currency unit, discount included.",
            "renewalPrice")
        visit("currency", &currency, "Currency of the price, ISO 4217.", "currency")
        visit(
            "renewal_quantity", &renewalQuantity, "Number of seats of the coming period.", "renewalQuantity")
        visit(
            "offer_type", &offerType,
            "Offer of the coming period: 1 introductory, 2 promotional, 3 code, 4 win-back, 5 retention.",
            "offerType")
        visit("offer_identifier", &offerIdentifier, "Identifier of the offer.", "offerIdentifier")
        visit(
            "offer_discount_type", &offerDiscountType, "FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME.",
            "offerDiscountType")
        visit("offer_period", &offerPeriod, "Length of the offer, ISO 8601.", "offerPeriod")
        visit(
            "renewal_billing_plan", &renewalBillingPlan, "BILLED_UPFRONT or MONTHLY.",
            "renewalBillingPlanType")
        visit("sku", &sku, "SKU of the one item of Advanced Commerce.", "advancedCommerceInfo.items")
    }
}

/// Apple, JWSAppTransactionDecodedPayload.
package struct AppTransactionColumns: TableColumns {
    package var appTransactionID, applicationVersion, originalApplicationVersion, originalPlatform: String?
    package var signedAt, appAppleID, originallyPurchasedAt, preorderedAt: Int64?

    static let table = makeTable()

    package init() {}

    init(_ content: AppTransaction) {
        signedAt = content.receiptCreationDate
        appTransactionID = content.appTransactionId
        appAppleID = content.appAppleId
        applicationVersion = content.applicationVersion
        originalApplicationVersion = content.originalApplicationVersion
        originalPlatform = content.originalPlatform
        originallyPurchasedAt = content.originalPurchaseDate
        preorderedAt = content.preorderDate
    }

    mutating func visit(_ visit: inout some ColumnVisitor) {
        visit("signed_at", &signedAt, "Time at which Apple signed it.", "receiptCreationDate")
        visit(
            "app_transaction_id", &appTransactionID, "Identifier of the customer's download of the app.",
            "appTransactionId")
        visit("app_apple_id", &appAppleID, "Apple's number of the app.", "appAppleId")
        visit("application_version", &applicationVersion, "Version of the app.", "applicationVersion")
        visit(
            "original_application_version", &originalApplicationVersion,
            "Version of the app that the customer got first.", "originalApplicationVersion")
        visit(
            "original_platform", &originalPlatform, "Platform on which the customer got the app first.",
            "originalPlatform")
        visit(
            "originally_purchased_at", &originallyPurchasedAt,
            "Time at which the customer got the app first.", "originalPurchaseDate")
        visit(
            "preordered_at", &preorderedAt, "Time at which the customer ordered the app before its release.",
            "preorderDate")
    }
}

/// Apple, responseBodyV2DecodedPayload.
package struct NotificationColumns: TableColumns {
    package var type, subtype, version, object, bundleVersion, consumptionRequestReason,
        originalTransactionID, transactionID, productID, appTransactionID: String?
    package var signedAt, appAppleID, status: Int64?

    static let table = makeTable()

    package init() {}

    init(_ content: Notification) {
        type = content.notificationType.rawValue
        subtype = content.subtype?.rawValue
        version = content.version
        signedAt = content.signedDate
        object = content.object?.rawValue
        appAppleID = content.appAppleId
        bundleVersion = content.bundleVersion
        status = content.status.map(Int64.init)
        consumptionRequestReason = content.consumptionRequestReason
        productID = content.productId
    }

    static let otherMembers = ["productId": ["product_id"]]

    mutating func visit(_ visit: inout some ColumnVisitor) {
        visit("type", &type, "Kind of event. Source: notificationType.")
        visit("subtype", &subtype, "Kind of event in more detail.", "subtype")
        visit("version", &version, "Version of the notification's form.", "version")
        visit("signed_at", &signedAt, "Time at which Apple signed it.", "signedDate")
        visit(
            "object", &object,
            "Name of the member with the content: data, summary, externalPurchaseToken, appData or unclaimInfo."
        )
        visit("app_apple_id", &appAppleID, "Apple's number of the app.", "appAppleId")
        visit(
            "bundle_version", &bundleVersion, "Version of the app that the subscriber has.",
            "data.bundleVersion")
        visit(
            "status", &status,
            "State of the subscription: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.",
            "data.status")
        visit(
            "consumption_request_reason", &consumptionRequestReason, "Why the subscriber asks for a refund.",
            "data.consumptionRequestReason")
        visit(
            "original_transaction_id", &originalTransactionID,
            "Identifier of the subscription. Source: originalTransactionId of the nested transaction or renewal info."
        )
        visit(
            "transaction_id", &transactionID,
            "Identifier of the transaction. Source: transactionId of the nested transaction.")
        visit(
            "product_id", &productID,
            "Product. Source: productId of the nested transaction or renewal info, or summary.productId.")
        visit(
            "app_transaction_id", &appTransactionID,
            "Identifier of the customer's download of the app. Source: appTransactionId of a nested part.")
    }
}
