/// The facts that follow from notifications and transactions.
///
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
    /// The number of periods that the customer paid and did not get back.
    case paidPeriods
    case paidMonths
    /// How often the customer bought again after a time without the subscription.
    case returns
    case inTrial
    /// True in a period with an introductory offer, free or paid.
    case inIntroOffer
    /// True in a period with a promotional offer or a retention offer.
    case inRetentionOffer
    case inOffer
    case familyShared
    /// The number of accepted promotional offers and retention offers.
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
    /// The number of transactions that Apple refunded, in full or in part.
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

    enum Kind { case boolean, date, integer, string }

    var kind: Kind {
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

/// The codes of storefronts: three letters, as in signed payloads, by the two letters that most other software has (ISO 3166-1;
/// XK and XKS stand for Kosovo, which has no code there, and many write UK for GB).
package enum StorefrontCodes {
    package static let byTwoLetters: [String: String] = {
        let pairs = text.split(separator: " ").map { ($0.prefix(2), $0.suffix(3)) }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0), String($1)) })
    }()

    private static let text = """
        AD:AND AE:ARE AF:AFG AG:ATG AI:AIA AL:ALB AM:ARM AO:AGO AQ:ATA AR:ARG AS:ASM AT:AUT AU:AUS AW:ABW AX:ALA AZ:AZE \
        BA:BIH BB:BRB BD:BGD BE:BEL BF:BFA BG:BGR BH:BHR BI:BDI BJ:BEN BL:BLM BM:BMU BN:BRN BO:BOL BQ:BES BR:BRA BS:BHS \
        BT:BTN BV:BVT BW:BWA BY:BLR BZ:BLZ CA:CAN CC:CCK CD:COD CF:CAF CG:COG CH:CHE CI:CIV CK:COK CL:CHL CM:CMR CN:CHN \
        CO:COL CR:CRI CU:CUB CV:CPV CW:CUW CX:CXR CY:CYP CZ:CZE DE:DEU DJ:DJI DK:DNK DM:DMA DO:DOM DZ:DZA EC:ECU EE:EST \
        EG:EGY EH:ESH ER:ERI ES:ESP ET:ETH FI:FIN FJ:FJI FK:FLK FM:FSM FO:FRO FR:FRA GA:GAB GB:GBR GD:GRD GE:GEO GF:GUF \
        GG:GGY GH:GHA GI:GIB GL:GRL GM:GMB GN:GIN GP:GLP GQ:GNQ GR:GRC GS:SGS GT:GTM GU:GUM GW:GNB GY:GUY HK:HKG HM:HMD \
        HN:HND HR:HRV HT:HTI HU:HUN ID:IDN IE:IRL IL:ISR IM:IMN IN:IND IO:IOT IQ:IRQ IR:IRN IS:ISL IT:ITA JE:JEY JM:JAM \
        JO:JOR JP:JPN KE:KEN KG:KGZ KH:KHM KI:KIR KM:COM KN:KNA KP:PRK KR:KOR KW:KWT KY:CYM KZ:KAZ LA:LAO LB:LBN LC:LCA \
        LI:LIE LK:LKA LR:LBR LS:LSO LT:LTU LU:LUX LV:LVA LY:LBY MA:MAR MC:MCO MD:MDA ME:MNE MF:MAF MG:MDG MH:MHL MK:MKD \
        ML:MLI MM:MMR MN:MNG MO:MAC MP:MNP MQ:MTQ MR:MRT MS:MSR MT:MLT MU:MUS MV:MDV MW:MWI MX:MEX MY:MYS MZ:MOZ NA:NAM \
        NC:NCL NE:NER NF:NFK NG:NGA NI:NIC NL:NLD NO:NOR NP:NPL NR:NRU NU:NIU NZ:NZL OM:OMN PA:PAN PE:PER PF:PYF PG:PNG \
        PH:PHL PK:PAK PL:POL PM:SPM PN:PCN PR:PRI PS:PSE PT:PRT PW:PLW PY:PRY QA:QAT RE:REU RO:ROU RS:SRB RU:RUS RW:RWA \
        SA:SAU SB:SLB SC:SYC SD:SDN SE:SWE SG:SGP SH:SHN SI:SVN SJ:SJM SK:SVK SL:SLE SM:SMR SN:SEN SO:SOM SR:SUR SS:SSD \
        ST:STP SV:SLV SX:SXM SY:SYR SZ:SWZ TC:TCA TD:TCD TF:ATF TG:TGO TH:THA TJ:TJK TK:TKL TL:TLS TM:TKM TN:TUN TO:TON \
        TR:TUR TT:TTO TV:TUV TW:TWN TZ:TZA UA:UKR UG:UGA UM:UMI US:USA UY:URY UZ:UZB VA:VAT VC:VCT VE:VEN VG:VGB VI:VIR \
        VN:VNM VU:VUT WF:WLF WS:WSM XK:XKS YE:YEM YT:MYT ZA:ZAF ZM:ZMB ZW:ZWE UK:GBR
        """
}
