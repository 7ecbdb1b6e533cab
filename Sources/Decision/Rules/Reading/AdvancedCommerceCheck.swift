public import JSON
internal import System

/// Apple's SubscriptionModifyInAppRequest without the members that are known only when it is signed, and with exactly
/// one change item, as Apple requires beside a retention message.
public enum AdvancedCommerceCheck {
    public static let own = Keys(["operation", "version", "transactionId"])
    /// Members of Apple's request that are not allowed beside a retention message.
    public static let unfit = Keys(["addItems", "removeItems"])
    public static let request = Keys([
        "retainBillingCycle", "changeItems", "requestInfo", "currency", "storefront", "taxCode",
        "descriptors", "periodChange",
    ])
    /// Empty: every member of `requestInfo` differs between subscribers.
    public static let requestInfo = Keys([])
    public static let perSubscriber = Keys(["appAccountToken", "consistencyToken"])
    public static let changeItem = Keys([
        "SKU", "currentSKU", "displayName", "description", "price", "proratedPrice", "effective", "reason",
        "offer",
    ])
    public static let offer = Keys(["period", "periodCount", "price", "reason"])
    public static let descriptors = Keys(["effective", "displayName", "description"])
    public static let periodChange = Keys(["effective", "period"])

    public static let effective = ["IMMEDIATELY", "NEXT_BILL_CYCLE"]
    public static let reasons = ["UPGRADE", "DOWNGRADE", "APPLY_OFFER"]
    public static let retentionReason = "RETENTION"
    public static let offerReasons = ["ACQUISITION", "WIN_BACK", retentionReason]
    public static let offerPeriods = ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P9M", "P1Y"]
    public static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    public static func check(_ value: SourceValue) {
        checkMembers(value)
        _ = value.required("retainBillingCycle")?.boolean
        let currency = value.member("currency")?.threeLetters("a currency", "ISO 4217, as EUR")
        _ = value.member("storefront")?.threeLetters("a storefront", "ISO 3166-1 alpha-3, as DEU")
        _ = value.member("taxCode")?.string(limitBytes: RulesSourceLimits.stringByteCount)
        if let items = value.required("changeItems") { check(changeItems: items, currency) }
        if let info = value.member("requestInfo"), info.isObject { check(requestInfo: info) }
        if let descriptors = value.member("descriptors"), descriptors.isObject {
            descriptors.checkKeys(Self.descriptors)
            _ = descriptors.required("effective")?.word(of: effective)
            checkTexts(descriptors.member("displayName"), descriptors.member("description"))
        }
        if let change = value.member("periodChange"), change.isObject {
            change.checkKeys(periodChange)
            _ = change.required("effective")?.word(of: effective)
            _ = change.required("period")?.word(of: periods)
        }
    }

    private static func checkMembers(_ value: SourceValue) {
        for name in own.names { value.member(name)?.reportOwn(name) }
        for name in unfit.names {
            value.member(name)?.reportKey(
                .unknownKey, "\"\(name)\" is not for retention messages",
                hint: "Apple takes one element of \"changeItems\" here")
        }
        value.checkKeys(request, knowing: own.names + unfit.names)
    }

    private static func check(requestInfo value: SourceValue) {
        let name = "requestReferenceId"
        value.member(name)?.reportOwn(name)
        for name in perSubscriber.names {
            value.member(name)?.reportKey(
                .badValue, "\"\(name)\" is of one subscriber, and the rules are for many",
                hint: "leave it out")
        }
        value.checkKeys(requestInfo, knowing: [name] + perSubscriber.names)
    }

    private static func check(changeItems value: SourceValue, _ currency: String?) {
        guard let items = value.elements(limit: 1) else { return }
        guard let item = items.first else {
            value.report(.badValue, "an empty list", hint: "Apple takes one change item")
            return
        }
        guard item.isObject else { return }
        item.checkKeys(changeItem)
        for name in ["SKU", "currentSKU"] {
            item.required(name)?.checkSKU()
        }
        checkTexts(item.required("displayName"), item.required("description"))
        _ = item.required("price")?.price(in: currency)
        let prorated = item.member("proratedPrice")
        _ = prorated?.price(in: currency)
        let moment = item.required("effective")?.word(of: effective)
        if let prorated, moment == "NEXT_BILL_CYCLE" {
            prorated.reportKey(
                .unknownKey, "\"proratedPrice\" is for a change that is effective IMMEDIATELY",
                hint: "leave it out")
        }
        _ = item.required("reason")?.word(of: reasons)
        if let offer = item.member("offer"), offer.isObject { check(offer: offer, currency) }
    }

    private static func check(offer value: SourceValue, _ currency: String?) {
        value.checkKeys(Self.offer)
        _ = value.required("period")?.word(of: offerPeriods)
        let count = value.required("periodCount")
        let number = count?.integer(in: 1...12, "periodCount")
        let price = value.required("price")?.price(in: currency)
        if let count, let number, number != 1, price == 0 {
            count.report(.badValue, "a free trial has a periodCount of 1", hint: "a longer \"period\"")
        }
        _ = value.required("reason")?.word(of: offerReasons)
    }

    private static func checkTexts(_ displayName: SourceValue?, _ description: SourceValue?) {
        displayName?.checkText(limitCharacters: RulesSourceLimits.displayNameCharacterCount)
        description?.checkText(limitCharacters: RulesSourceLimits.descriptionCharacterCount)
    }
}

extension SourceValue {
    fileprivate func reportOwn(_ name: String) {
        reportKey(.badValue, "the service puts \"\(name)\" into each request", hint: "leave it out")
    }

    /// Checks a string of 1 to `limit` characters. Apple does not say how it counts; its Python library counts code points.
    @discardableResult
    fileprivate func checkText(limitCharacters limit: Int) -> String? {
        guard let text = string else { return nil }
        let count = text.unicodeScalars.count
        if count == 0 {
            report(.badValue, "an empty string")
        } else if count > limit {
            report(.badValue, "\(count) characters, more than the limit of \(limit)")
        }
        return text
    }

    fileprivate func checkSKU() {
        guard let text = checkText(limitCharacters: RulesSourceLimits.skuCharacterCount) else { return }
        _ = checkIdentifier(text)
    }

    /// Reports a price, in thousandths, that is negative or has more decimals than Apple allows in the currency.
    fileprivate func price(in currency: String?) -> Int64? {
        guard let price = integer(in: 0...Int64.max, "a price, in thousandths of the currency,") else {
            return nil
        }
        guard let currency, let decimals = AdvancedCommerceCurrency.decimals(of: currency) else {
            return price
        }
        let step: Int64 = decimals == 0 ? 1000 : 10
        guard price.isMultiple(of: step) else {
            report(
                .badValue, "a price in \(currency) has \(decimals == 0 ? "no" : "two") decimals",
                hint: "a multiple of \(step), because the price is in thousandths")
            return nil
        }
        return price
    }

    fileprivate func word(of words: [String]) -> String? {
        choice(of: words, named: { $0 }, RulesReason.badValue) {
            "\"\($0)\" is not a value that Apple knows"
        }
    }

    fileprivate func threeLetters(_ what: String, _ standard: String) -> String? {
        guard let text = string else { return nil }
        guard text.utf8.count == 3,
            text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            report(.badValue, "\(what) has three upper-case letters", hint: standard)
            return nil
        }
        return text
    }
}

/// How many decimals a price may have. One with more makes the payment sheet fail. Source: Apple, Advanced Commerce
/// API.
public enum AdvancedCommerceCurrency {
    private static let withoutDecimals: Set<String> = [
        "CLP", "COP", "DKK", "HKD", "HUF", "IDR", "INR", "JPY", "KRW", "KZT", "MXN", "NGN",
        "NOK", "PHP", "PKR", "RUB", "SEK", "THB", "TWD", "TZS", "VND",
    ]
    private static let withTwoDecimals: Set<String> = [
        "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "EGP", "EUR", "GBP", "ILS",
        "MYR", "NZD", "PEN", "PLN", "QAR", "RON", "SAR", "SGD", "TRY", "USD", "ZAR",
    ]

    public static func decimals(of currency: String) -> Int? {
        if withoutDecimals.contains(currency) { return 0 }
        return withTwoDecimals.contains(currency) ? 2 : nil
    }
}
