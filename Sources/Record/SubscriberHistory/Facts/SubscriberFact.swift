internal import Facts

/// Each is missing when the payloads do not show it: half a history must not look like a new customer.
package enum SubscriberFact: Int, Sendable, Hashable, CaseIterable {
    case currentProductId
    case renewalProductId
    case subscriptionGroup
    case status
    case autoRenew
    case autoRenewOffAt
    case firstPurchaseAt
    /// The start of the latest time of service; Apple ignores lapses of up to 60 days.
    case subscribedAt
    case expiresAt
    case renewsAt
    case paidPeriods
    case paidMonths
    case returns
    case inTrial
    /// True in a period with an introductory offer, free or paid.
    case inIntroOffer
    /// True in a period with a promotional offer or a retention offer.
    case inRetentionOffer
    case inOffer
    case familyShared
    case offersAccepted
    case promotionalOffersAccepted
    /// The number of accepted retention offers of App Store Connect.
    case retentionOffersAccepted
    case winBackOffersAccepted
    /// The first evidence of the last accepted promotional or retention offer.
    case lastOfferAt
    case lastOfferIdentifier
    /// The type of that offer: 2 promotional, 5 retention offer.
    case lastOfferType
    /// What the running period cost, in thousandths of the currency's unit; of one seat on average where there are seats.
    case price
    /// The price of the coming period, in thousandths; offers are applied.
    case renewalPrice
    case currency
    case storefront
    case billingPlanType
    case seats
    case refunds
    case lastRefundAt
    case cancellations
    case lastCancelAt
    case advancedCommerceSku
    case appAccountToken
    case historyComplete

    package var name: String { Self.names[rawValue] }

    package init?(name: String) {
        guard let place = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: place)
    }

    private static let names = allCases.map { String(describing: $0) }

    var kind: ValueKind {
        switch self {
        case .autoRenew, .inTrial, .inIntroOffer, .inRetentionOffer, .inOffer, .familyShared,
            .historyComplete:
            .boolean
        case .autoRenewOffAt, .firstPurchaseAt, .subscribedAt, .expiresAt, .renewsAt, .lastOfferAt,
            .lastRefundAt, .lastCancelAt:
            .date
        case .paidPeriods, .paidMonths, .offersAccepted, .promotionalOffersAccepted, .retentionOffersAccepted,
            .winBackOffersAccepted, .lastOfferType, .price, .renewalPrice, .seats, .refunds, .cancellations,
            .returns:
            .integer
        case .currentProductId, .renewalProductId, .subscriptionGroup, .lastOfferIdentifier, .currency,
            .storefront, .billingPlanType, .advancedCommerceSku, .appAccountToken, .status:
            .string
        }
    }

    package var type: String {
        if self == .status { return Self.typeOfStatus }
        return switch kind {
        case .boolean: "bool"
        case .date: "date"
        case .integer: "int"
        case .string: "string"
        }
    }

    private static let typeOfStatus =
        "enum(\(SubscriptionStatus.allCases.map(\.name).joined(separator: ", ")))"
}
