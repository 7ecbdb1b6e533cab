/// Offers and prices.
extension FactDefinition {
    private static let offerCount: Set<MissingReason> = .ofPresent.union([.noValue])
    private static let lastOffer: Set<MissingReason> = offerCount.union([.neverHappened])
    /// When a count of offers is missing.
    private static let noOffers =
        noLife + " Also missing when a notification says that an offer was accepted and no payload names "
        + "that offer. " + assumption
    /// When a fact about the last offer is missing.
    private static let noLastOffer =
        "Missing when there was no such offer, and when a later one, or an earlier begin of this one, may "
        + "be unknown."
    /// When a fact about the running period's offer is missing.
    private static let noRunningOffer =
        "Missing without a transaction of the running period, and from the end of the last known period on "
        + "while nothing says what came afterwards. False once a payload says that the subscription has ended."

    static let ofOffers: [FactDefinition] = [
        FactDefinition(
            .inTrial,
            "True in a free trial: the running period has an introductory offer that costs nothing.",
            transaction: "offerType offerDiscountType price expiresDate revocationDate",
            missing: .ofPresent.union([.noValue]),
            noRunningOffer
                + " Also missing when the transaction of an introductory offer has neither a price above 0 nor "
                + "`offerDiscountType`: the period may be a free trial.",
            example: "A new subscriber is in the first free week: `true`."
        ),
        FactDefinition(
            .inIntroOffer, "True in a period with an introductory offer, free or paid.",
            transaction: "offerType expiresDate revocationDate", missing: .ofPresent, noRunningOffer,
            example: "A new subscriber pays 0.99 for each of the first three months: `true`."),
        FactDefinition(
            .inRetentionOffer,
            "True in a period with a promotional offer (type 2) or a retention offer of App Store Connect "
                + "(type 5). False between the acceptance of an offer and the period for which it holds.",
            transaction: "offerType expiresDate revocationDate",
            missing: .ofPresent,
            noRunningOffer,
            example: "A subscriber pays half the price in this month and the next two: `true`."
        ),
        FactDefinition(
            .inOffer,
            "True in a period with an offer of any type: a free trial, an introductory price, a promotional "
                + "offer, an offer code, a win-back offer or a retention offer. False between the acceptance of "
                + "an offer and the period for which it holds.",
            transaction: "offerType expiresDate revocationDate",
            missing: .ofPresent,
            noRunningOffer,
            example: "A subscriber came back with a win-back offer for this month: `true`."
        ),
        FactDefinition(
            .offersAccepted,
            unit: "offers",
            "How many promotional offers (type 2) and retention offers (type 5) the subscriber accepted. An "
                + "offer counts from the acceptance on, and once, however many periods it lasts. The same "
                + "offer in the next period counts again when a notification, a purchase or a renewal info "
                + "shows that it was accepted again, or when it is no offer that is paid in each period. What a "
                + "family or an organization that pays for the subscriber accepts does not count.",
            transaction: "offerType offerIdentifier offerDiscountType transactionReason purchaseDate",
            renewal: "offerType offerIdentifier",
            notification: "notificationType",
            missing: offerCount,
            noOffers,
            example: "A subscriber accepted half the price for three months in May, and nothing else: `1`."
        ),
        FactDefinition(
            .promotionalOffersAccepted, unit: "offers",
            "How many of these are promotional offers (type 2), which `retentiond` signs.",
            transaction: "offerType offerIdentifier offerDiscountType transactionReason purchaseDate",
            renewal: "offerType offerIdentifier", notification: "notificationType", missing: offerCount,
            noOffers, example: "A subscriber accepted one promotional offer and one retention offer: `1`."),
        FactDefinition(
            .retentionOffersAccepted, unit: "offers",
            "How many of these are retention offers (type 5), which App Store Connect makes.",
            transaction: "offerType offerIdentifier offerDiscountType transactionReason purchaseDate",
            renewal: "offerType offerIdentifier", notification: "notificationType", missing: offerCount,
            noOffers, example: "A subscriber accepted one promotional offer and one retention offer: `1`."),
        FactDefinition(
            .winBackOffersAccepted, unit: "offers",
            "How many win-back offers (type 4) the subscriber accepted. `offersAccepted` leaves them out.",
            transaction: "offerType offerIdentifier offerDiscountType transactionReason purchaseDate",
            renewal: "offerType offerIdentifier", notification: "notificationType", missing: offerCount,
            noOffers, example: "A subscriber left and came back with a win-back offer: `1`."),
        FactDefinition(
            .lastOfferAt,
            "When the subscriber accepted the last promotional or retention offer: the time of the first payload "
                + "that names it.",
            transaction: "offerType offerIdentifier purchaseDate",
            renewal: "offerType offerIdentifier signedDate",
            missing: lastOffer,
            noLastOffer,
            example: "A subscriber accepted on 20 May an offer for the month from 1 June: "
                + "`2026-05-20T18:00:00Z`."
        ),
        FactDefinition(
            .lastOfferIdentifier, "The identifier of the last promotional or retention offer.",
            transaction: "offerType offerIdentifier purchaseDate", renewal: "offerType offerIdentifier",
            missing: lastOffer, noLastOffer,
            example: "A subscriber accepted half the price for three months: `save50_3m`."),
        FactDefinition(
            .lastOfferType, unit: "Apple's number of the type",
            "The type of the last promotional or retention offer: 2 or 5.",
            transaction: "offerType offerIdentifier purchaseDate", renewal: "offerType offerIdentifier",
            missing: lastOffer, noLastOffer,
            example: "A subscriber accepted an offer that `retentiond` signed: `2`."),
    ]

    static let ofPrices: [FactDefinition] = [
        FactDefinition(
            .price,
            unit: "thousandths of the currency's unit",
            "What the running period cost, with its offer applied. Where the subscriber pays for seats, the "
                + "average of one seat, without those that were added later.",
            transaction: "price",
            missing: .ofTransaction,
            noTransaction,
            example: "A month for 9.99 euros: `9990`."
        ),
        FactDefinition(
            .renewalPrice,
            unit: "thousandths of the currency's unit",
            "What the coming period will cost, with its offer applied. Where the subscriber pays for seats, "
                + "the average of one seat.",
            renewal: "renewalPrice",
            missing: .ofRenewal,
            noRenewal,
            example: "The price rises from 9.99 to 11.99 euros at the next renewal: `11990`."
        ),
        FactDefinition(
            .currency, "The currency of `price`, ISO 4217. It does not tell the country.",
            transaction: "currency", missing: .ofTransaction, noTransaction,
            example: "A subscriber pays in euros: `EUR`."),
        FactDefinition(
            .storefront,
            "The country of the App Store, in the three letters of ISO 3166-1 alpha-3: `JPN`, not `JP`.",
            transaction: "storefront", missing: .ofTransaction, noTransaction,
            example: "A subscriber buys in the App Store of Japan: `JPN`."),
        FactDefinition(
            .billingPlanType,
            "How the subscriber pays for a plan of a year: `BILLED_UPFRONT`, or `MONTHLY` with a commitment "
                + "of twelve months.",
            transaction: "billingPlanType",
            missing: .ofTransaction,
            noTransaction,
            example: "A subscriber pays an annual plan month by month: `MONTHLY`."
        ),
        FactDefinition(
            .seats,
            unit: "seats",
            "How many seats the running period has: those that it began with and those that were added, without those "
                + "that Apple refunded.",
            transaction: "quantity additionalTransactionReason purchaseDate expiresDate revocationDate "
                + "revokedSeatQuantity",
            notification: "notificationType subtype",
            missing: .ofTransaction.union([.seatsChanged, .unknownValue]),
            noTransaction
                + " Also missing when Apple's payloads tell of seats that were added or refunded, and not how "
                + "many.",
            example: "A team of five: `5`."
        ),
    ]
}
