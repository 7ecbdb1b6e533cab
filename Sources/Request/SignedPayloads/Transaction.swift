internal import JSON
internal import System

/// A transaction that Apple signed: the members that reports and facts need. Every member is optional, and every value is
/// kept as Apple wrote it: an unknown value is not an error. Dates are milliseconds since 1970.
///
/// Source: Apple, JWSTransactionDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
public struct Transaction: Sendable, Hashable {
    public var transactionId: String?
    public var originalTransactionId: String?
    /// `previousOriginalTransactionId`: the identifier before a migration to the Advanced Commerce API.
    public var previousOriginalTransactionId: String?
    public var webOrderLineItemId: String?
    public var appTransactionId: String?
    public var bundleId: String?
    public var environment: String?
    public var signedDate: Int64?
    public var productId: String?
    public var subscriptionGroupIdentifier: String?
    /// `type`: `Auto-Renewable Subscription`, `Non-Consumable`, `Consumable`, `Non-Renewing Subscription`.
    public var type: String?
    public var quantity: Int32?
    public var appAccountToken: String?
    /// `inAppOwnershipType`: `PURCHASED`, `FAMILY_SHARED`, `ASSIGNED`.
    public var inAppOwnershipType: String?
    /// `transactionReason`: `PURCHASE` or `RENEWAL`.
    public var transactionReason: String?
    /// `additionalTransactionReason`: `SEAT_ADDITION` for one of several transactions of the same period.
    public var additionalTransactionReason: String?

    public var purchaseDate: Int64?
    public var originalPurchaseDate: Int64?
    public var expiresDate: Int64?
    public var isUpgraded: Bool?

    /// `price`: what was paid, in thousandths of the currency's unit. With seats it is the average of one seat.
    public var price: Int64?
    public var currency: String?
    public var storefront: String?

    /// `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention offer.
    public var offerType: Int32?
    public var offerIdentifier: String?
    public var offerDiscountType: String?
    public var offerPeriod: String?
    public var revocationDate: Int64?
    /// `revocationReason`: 1 for an issue with the app, 0 for any other reason.
    public var revocationReason: Int32?
    public var revocationType: String?
    /// `revocationPercentage`: the refunded share in thousandths of a percent.
    public var revocationPercentage: Int32?

    public var billingPlanType: String?
    /// `commitmentInfo.billingPeriodNumber` of `commitmentInfo.totalBillingPeriods`.
    public var billingPeriodNumber: Int32?
    public var totalBillingPeriods: Int32?
    /// `multiSeatInfo.revokedSeatQuantity`: the number of seats that were refunded.
    public var revokedSeatQuantity: Int32?
    /// `advancedCommerceInfo.items[].SKU`: the products of the Advanced Commerce API.
    public var advancedCommerceSKUs: [String]?

    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    public var unusableMembers: [String] = []
}

/// What Apple says about the next renewal of a subscription; see ``Transaction``. It has no bundle identifier.
///
/// Source: Apple, JWSRenewalInfoDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
public struct RenewalInfo: Sendable, Hashable {
    public var originalTransactionId: String?
    public var appTransactionId: String?
    public var environment: String?
    public var signedDate: Int64?
    public var appAccountToken: String?
    public var productId: String?
    public var autoRenewProductId: String?
    /// 1 when the subscription renews, 0 when the customer turned renewal off.
    public var autoRenewStatus: Int32?
    /// `renewalDate`: the end of the latest purchase. It may be in the past.
    public var renewalDate: Int64?
    /// `renewalPrice`: the price of the next period in thousandths, with the offer applied.
    public var renewalPrice: Int64?
    public var currency: String?
    public var renewalQuantity: Int32?
    /// `recentSubscriptionStartDate`: the start of the latest run of periods with gaps of at most 60 days.
    public var recentSubscriptionStartDate: Int64?

    /// `expirationIntent`: 1 cancelled, 2 billing error, 3 price increase not accepted, 4 product unavailable, 5 other.
    public var expirationIntent: Int32?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Int64?
    /// `priceIncreaseStatus`: 0 when the customer has not answered yet, 1 when the customer accepted or was only told.
    public var priceIncreaseStatus: Int32?

    public var offerType: Int32?
    public var offerIdentifier: String?
    public var offerDiscountType: String?
    public var offerPeriod: String?
    public var renewalBillingPlanType: String?
    public var advancedCommerceSKUs: [String]?
    public var unusableMembers: [String] = []
}

/// The download of an app, as Apple signed it; see ``Transaction``.
///
/// Source: Apple, AppTransaction (StoreKit) and JWSAppTransactionDecodedPayload (App Store Server API).
public struct AppTransaction: Sendable, Hashable {
    public var appTransactionId: String?
    public var bundleId: String?
    public var appAppleId: Int64?
    public var receiptType: String?
    public var receiptCreationDate: Int64?
    public var applicationVersion: String?
    public var originalApplicationVersion: String?
    public var originalPurchaseDate: Int64?
    public var preorderDate: Int64?
    public var originalPlatform: String?
    public var unusableMembers: [String] = []
}

protocol SignedContent: Sendable {
    init(_ object: JSONValue)

    /// When Apple signed the payload, milliseconds since 1970. The certificates must be valid at this time.
    var signedMilliseconds: Int64? { get }

    func check(_ owner: PayloadOwner) throws(VerificationError)
}

extension Transaction: SignedContent {
    init(_ object: JSONValue) {
        var reader = MemberReader()
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
        purchaseDate = reader.date("purchaseDate", of: object)
        originalPurchaseDate = reader.date("originalPurchaseDate", of: object)
        expiresDate = reader.date("expiresDate", of: object)
        isUpgraded = reader.boolean("isUpgraded", of: object)
        price = reader.integer("price", of: object)
        currency = reader.string("currency", of: object)
        storefront = reader.string("storefront", of: object)
        revocationDate = reader.date("revocationDate", of: object)
        revocationReason = reader.int32("revocationReason", of: object)
        revocationType = reader.string("revocationType", of: object)
        revocationPercentage = reader.int32("revocationPercentage", of: object)
        billingPlanType = reader.string("billingPlanType", of: object)
        offerType = reader.int32("offerType", of: object)
        offerIdentifier = reader.string("offerIdentifier", of: object)
        offerDiscountType = reader.string("offerDiscountType", of: object)
        offerPeriod = reader.string("offerPeriod", of: object)
        let commitment = reader.object("commitmentInfo", of: object)
        billingPeriodNumber = reader.int32("billingPeriodNumber", of: commitment)
        totalBillingPeriods = reader.int32("totalBillingPeriods", of: commitment)
        let seats = reader.object("multiSeatInfo", of: object)
        revokedSeatQuantity = reader.int32("revokedSeatQuantity", of: seats)
        let commerce = reader.object("advancedCommerceInfo", of: object)
        advancedCommerceSKUs = reader.strings("items", of: commerce, each: "SKU")
        unusableMembers = reader.unusable
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
        expirationIntent = reader.int32("expirationIntent", of: object)
        isInBillingRetryPeriod = reader.boolean("isInBillingRetryPeriod", of: object)
        gracePeriodExpiresDate = reader.date("gracePeriodExpiresDate", of: object)
        priceIncreaseStatus = reader.int32("priceIncreaseStatus", of: object)
        offerType = reader.int32("offerType", of: object)
        offerIdentifier = reader.string("offerIdentifier", of: object)
        offerDiscountType = reader.string("offerDiscountType", of: object)
        offerPeriod = reader.string("offerPeriod", of: object)
        renewalBillingPlanType = reader.string("renewalBillingPlanType", of: object)
        let commerce = reader.object("advancedCommerceInfo", of: object)
        advancedCommerceSKUs = reader.strings("items", of: commerce, each: "SKU")
        unusableMembers = reader.unusable
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

/// Reads the members of a payload that Apple signed, and is lenient: a value of the wrong type or outside its range is
/// nil, and the reader remembers the member's name. So nothing that Apple adds or changes makes a payload unreadable.
///
/// A member that is absent or `null` is nil and not unusable.
struct MemberReader {
    private(set) var unusable: [String] = []

    static let int32 = Int64(Int32.min)...Int64(Int32.max)
    /// The dates from 1970 to the end of the year 9999, in milliseconds. Arithmetic with such dates does not overflow.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999

    mutating func string(_ name: StaticString, of object: JSONValue?) -> String? {
        read(name, of: object) { Self.text($0) }
    }

    /// Returns a string as ``string(_:of:)`` does; nil for an empty one, which some libraries write where the app gives none.
    mutating func token(_ name: StaticString, of object: JSONValue?) -> String? {
        if object?.member(name)?.string?.isEmpty == true { return nil }
        return string(name, of: object)
    }

    mutating func integer(
        _ name: StaticString, of object: JSONValue?, in range: ClosedRange<Int64> = .min ... .max
    )
        -> Int64?
    {
        read(name, of: object) { value in
            value.int64.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func int32(_ name: StaticString, of object: JSONValue?) -> Int32? {
        integer(name, of: object, in: Self.int32).map { Int32($0) }
    }

    mutating func date(_ name: StaticString, of object: JSONValue?) -> Int64? {
        integer(name, of: object, in: Self.dates)
    }

    mutating func boolean(_ name: StaticString, of object: JSONValue?) -> Bool? {
        read(name, of: object) { $0.boolean }
    }

    mutating func strings(_ name: StaticString, of object: JSONValue?, each: StaticString) -> [String]? {
        read(name, of: object) { value in
            guard value.kind == .array else { return nil }
            let texts = value.elements.compactMap { $0.member(each).flatMap { Self.text($0) } }
            return texts.count == value.count ? texts : nil
        }
    }

    mutating func object(_ name: StaticString, of object: JSONValue?) -> JSONValue? {
        read(name, of: object) { $0.kind == .object ? $0 : nil }
    }

    private mutating func read<Value>(
        _ name: StaticString, of object: JSONValue?, _ convert: (JSONValue) -> Value?
    ) -> Value? {
        guard let value = object?.member(name), value.kind != .null else { return nil }
        guard let result = convert(value) else {
            unusable.append(name.description)
            return nil
        }
        return result
    }

    private static func text(_ value: JSONValue) -> String? {
        guard let text = value.string, !text.isEmpty,
            text.utf8.count <= SignedPayloadsLimits.identifierByteCount
        else { return nil }
        return text
    }
}
