internal import JSON
internal import Vocabulary

/// A payload that Apple signs as a JWS of its own: a transaction, a renewal info or an app transaction.
protocol SignedContent: Sendable {
    /// Reads the payload of a JWS whose signature is valid.
    init(_ object: JSONValue)

    /// When Apple signed the payload, milliseconds since 1970. The certificates must be valid at this time.
    var signedMilliseconds: Int64? { get }

    /// Checks that the payload belongs to `owner`.
    ///
    /// - Throws: `app-differs`, `environment-differs`.
    func check(_ owner: PayloadOwner) throws(VerificationError)
}

extension Transaction: SignedContent {
    init(_ object: JSONValue) {
        var reader = MemberReader()
        readIdentity(object, &reader)
        readPurchase(object, &reader)
        readOffer(object, &reader)
        if let commitment = reader.object("commitmentInfo", of: object) {
            self.commitment = Commitment(
                billingPeriodNumber: reader.int32("billingPeriodNumber", of: commitment),
                totalBillingPeriods: reader.int32("totalBillingPeriods", of: commitment),
                commitmentExpiresDate: reader.date("commitmentExpiresDate", of: commitment),
                commitmentPrice: reader.integer("commitmentPrice", of: commitment))
        }
        let seats = reader.object("multiSeatInfo", of: object)
        revokedSeatQuantity = reader.int32("revokedSeatQuantity", of: seats)
        let commerce = reader.object("advancedCommerceInfo", of: object)
        advancedCommerceSKUs = reader.strings("items", of: commerce, each: "SKU")
        unusableMembers = reader.unusable
    }

    private mutating func readIdentity(_ object: JSONValue, _ reader: inout MemberReader) {
        transactionId = reader.string("transactionId", of: object)
        originalTransactionId = reader.string("originalTransactionId", of: object)
        previousOriginalTransactionId = reader.string("previousOriginalTransactionId", of: object)
        webOrderLineItemId = reader.string("webOrderLineItemId", of: object)
        appTransactionId = reader.string("appTransactionId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        signedDate = reader.integer("signedDate", of: object)
        productId = reader.string("productId", of: object)
        subscriptionGroupIdentifier = reader.string("subscriptionGroupIdentifier", of: object)
        type = reader.string("type", of: object)
        quantity = reader.int32("quantity", of: object)
        appAccountToken = reader.token("appAccountToken", of: object)
        inAppOwnershipType = reader.string("inAppOwnershipType", of: object)
        transactionReason = reader.string("transactionReason", of: object)
        additionalTransactionReason = reader.string("additionalTransactionReason", of: object)
    }

    private mutating func readPurchase(_ object: JSONValue, _ reader: inout MemberReader) {
        purchaseDate = reader.date("purchaseDate", of: object)
        originalPurchaseDate = reader.date("originalPurchaseDate", of: object)
        expiresDate = reader.date("expiresDate", of: object)
        isUpgraded = reader.boolean("isUpgraded", of: object)
        price = reader.integer("price", of: object)
        currency = reader.string("currency", of: object)
        storefront = reader.string("storefront", of: object)
        storefrontId = reader.string("storefrontId", of: object)
        revocationDate = reader.date("revocationDate", of: object)
        revocationReason = reader.int32("revocationReason", of: object)
        revocationType = reader.string("revocationType", of: object)
        revocationPercentage = reader.int32("revocationPercentage", of: object)
        billingPlanType = reader.string("billingPlanType", of: object)
    }

    private mutating func readOffer(_ object: JSONValue, _ reader: inout MemberReader) {
        offerType = reader.int32("offerType", of: object)
        offerIdentifier = reader.string("offerIdentifier", of: object)
        offerDiscountType = reader.string("offerDiscountType", of: object)
        offerPeriod = reader.string("offerPeriod", of: object)
    }

    var signedMilliseconds: Int64? { signedDate }

    func check(_ owner: PayloadOwner) throws(VerificationError) {
        try owner.check(bundleId: bundleId, unusable: unusableMembers)
        try owner.check(environment: environment)
    }
}

extension RenewalInfo: SignedContent {
    init(_ object: JSONValue) {
        var reader = MemberReader()
        readRenewal(object, &reader)
        expirationIntent = reader.int32("expirationIntent", of: object)
        isInBillingRetryPeriod = reader.boolean("isInBillingRetryPeriod", of: object)
        gracePeriodExpiresDate = reader.date("gracePeriodExpiresDate", of: object)
        priceIncreaseStatus = reader.int32("priceIncreaseStatus", of: object)
        offerType = reader.int32("offerType", of: object)
        offerIdentifier = reader.string("offerIdentifier", of: object)
        offerDiscountType = reader.string("offerDiscountType", of: object)
        offerPeriod = reader.string("offerPeriod", of: object)
        eligibleWinBackOfferIds = reader.strings("eligibleWinBackOfferIds", of: object)
        renewalBillingPlanType = reader.string("renewalBillingPlanType", of: object)
        if let commitment = reader.object("commitmentInfo", of: object) {
            self.commitment = Commitment(
                commitmentAutoRenewProductId: reader.string("commitmentAutoRenewProductId", of: commitment),
                commitmentAutoRenewStatus: reader.int32("commitmentAutoRenewStatus", of: commitment),
                commitmentRenewalBillingPlanType: reader.string(
                    "commitmentRenewalBillingPlanType", of: commitment),
                commitmentRenewalDate: reader.date("commitmentRenewalDate", of: commitment),
                commitmentRenewalPrice: reader.integer("commitmentRenewalPrice", of: commitment))
        }
        let commerce = reader.object("advancedCommerceInfo", of: object)
        advancedCommerceSKUs = reader.strings("items", of: commerce, each: "SKU")
        unusableMembers = reader.unusable
    }

    private mutating func readRenewal(_ object: JSONValue, _ reader: inout MemberReader) {
        originalTransactionId = reader.string("originalTransactionId", of: object)
        appTransactionId = reader.string("appTransactionId", of: object)
        environment = reader.string("environment", of: object)
        signedDate = reader.integer("signedDate", of: object)
        appAccountToken = reader.token("appAccountToken", of: object)
        productId = reader.string("productId", of: object)
        autoRenewProductId = reader.string("autoRenewProductId", of: object)
        autoRenewStatus = reader.int32("autoRenewStatus", of: object)
        renewalDate = reader.date("renewalDate", of: object)
        renewalPrice = reader.integer("renewalPrice", of: object)
        currency = reader.string("currency", of: object)
        renewalQuantity = reader.int32("renewalQuantity", of: object)
        recentSubscriptionStartDate = reader.date("recentSubscriptionStartDate", of: object)
    }

    var signedMilliseconds: Int64? { signedDate }

    func check(_ owner: PayloadOwner) throws(VerificationError) {
        try owner.check(environment: environment)
    }
}

extension AppTransaction: SignedContent {
    init(_ object: JSONValue) {
        var reader = MemberReader()
        appTransactionId = reader.string("appTransactionId", of: object)
        bundleId = reader.string("bundleId", of: object)
        appAppleId = reader.integer("appAppleId", of: object)
        receiptType = reader.string("receiptType", of: object)
        receiptCreationDate = reader.integer("receiptCreationDate", of: object)
        applicationVersion = reader.string("applicationVersion", of: object)
        originalApplicationVersion = reader.string("originalApplicationVersion", of: object)
        originalPurchaseDate = reader.date("originalPurchaseDate", of: object)
        preorderDate = reader.date("preorderDate", of: object)
        originalPlatform = reader.string("originalPlatform", of: object)
        unusableMembers = reader.unusable
    }

    var signedMilliseconds: Int64? { receiptCreationDate }

    func check(_ owner: PayloadOwner) throws(VerificationError) {
        // Outside of Production, the number may be another one or none.
        let isProduction = owner.environment == .production
        try owner.check(
            bundleId: bundleId,
            appAppleId: isProduction ? appAppleId : nil,
            unusable: unusableMembers.filter { isProduction || $0 != "appAppleId" }
        )
        try owner.check(environment: receiptType)
    }
}
