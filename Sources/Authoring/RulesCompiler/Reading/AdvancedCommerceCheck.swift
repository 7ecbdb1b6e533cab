internal import JSON
internal import Vocabulary

/// Checks the `request` of an `advancedCommerce` outcome. It is Apple's SubscriptionModifyInAppRequest without the
/// members that are known only when the request is signed, and with exactly one change item, as Apple requires beside a
/// retention message.
enum AdvancedCommerceCheck {
    /// The members that the service sets.
    static let own = Keys(["operation", "version", "transactionId"])
    /// Members of Apple's request that are not allowed beside a retention message.
    static let unfit = Keys(["addItems", "removeItems"])
    static let request = Keys([
        "retainBillingCycle", "changeItems", "requestInfo", "currency", "storefront", "taxCode",
        "descriptors", "periodChange",
    ])
    /// Empty: every member of `requestInfo` differs between subscribers.
    static let requestInfo = Keys([])
    static let perSubscriber = Keys(["appAccountToken", "consistencyToken"])
    static let changeItem = Keys([
        "SKU", "currentSKU", "displayName", "description", "price", "proratedPrice", "effective", "reason",
        "offer",
    ])
    static let offer = Keys(["period", "periodCount", "price", "reason"])
    static let descriptors = Keys(["effective", "displayName", "description"])
    static let periodChange = Keys(["effective", "period"])

    static let effective = ["IMMEDIATELY", "NEXT_BILL_CYCLE"]
    static let reasons = ["UPGRADE", "DOWNGRADE", "APPLY_OFFER"]
    static let offerReasons = ["ACQUISITION", "WIN_BACK", "RETENTION"]
    static let offerPeriods = ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P9M", "P1Y"]
    static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    /// Reports everything in the request that Apple would refuse.
    static func check(_ value: SourceValue) {
        checkMembers(value)
        _ = value.required("retainBillingCycle")?.boolean
        if let items = value.required("changeItems") { check(changeItems: items) }
        if let info = value.member("requestInfo"), info.isObject { check(requestInfo: info) }
        for name in ["currency", "storefront", "taxCode"] {
            _ = value.member(name)?.string(limitBytes: RulesCompilerLimits.stringByteCount)
        }
        if let descriptors = value.member("descriptors"), descriptors.isObject {
            descriptors.checkKeys(Self.descriptors)
            descriptors.required("effective")?.checkWord(effective)
            checkTexts(descriptors.member("displayName"), descriptors.member("description"))
        }
        if let change = value.member("periodChange"), change.isObject {
            change.checkKeys(periodChange)
            change.required("effective")?.checkWord(effective)
            change.required("period")?.checkWord(periods)
        }
    }

    private static func checkMembers(_ value: SourceValue) {
        for name in own.names { value.member(name)?.reportOwn(name) }
        for name in unfit.names {
            value.member(name)?.reportKey(
                .unknownKey,
                "\"\(name)\" is not for retention messages",
                hint: "Apple takes one element of \"changeItems\" here"
            )
        }
        value.checkKeys(request, knowing: own.names + unfit.names)
    }

    private static func check(requestInfo value: SourceValue) {
        let name = "requestReferenceId"
        value.member(name)?.reportOwn(name)
        for name in perSubscriber.names {
            value.member(name)?.reportKey(
                .reservedName,
                "\"\(name)\" is of one subscriber, and the rules are for many",
                hint: "leave it out"
            )
        }
        value.checkKeys(requestInfo, knowing: [name] + perSubscriber.names)
    }

    private static func check(changeItems value: SourceValue) {
        guard let items = value.elements(limit: 1) else { return }
        guard let item = items.first else {
            value.report(.emptyList, "an empty list", hint: "Apple takes one change item")
            return
        }
        guard item.isObject else { return }
        item.checkKeys(changeItem)
        for name in ["SKU", "currentSKU"] {
            item.required(name)?.checkSKU()
        }
        checkTexts(item.required("displayName"), item.required("description"))
        item.required("price")?.checkPrice()
        item.member("proratedPrice")?.checkPrice()
        item.required("effective")?.checkWord(effective)
        item.required("reason")?.checkWord(reasons)
        guard let offer = item.member("offer"), offer.isObject else { return }
        offer.checkKeys(Self.offer)
        offer.required("period")?.checkWord(offerPeriods)
        _ = offer.required("periodCount")?.integer(in: 1...12, "periodCount")
        offer.required("price")?.checkPrice()
        offer.required("reason")?.checkWord(offerReasons)
    }

    private static func checkTexts(_ displayName: SourceValue?, _ description: SourceValue?) {
        displayName?.checkText(limitCharacters: RulesCompilerLimits.displayNameCharacterCount)
        description?.checkText(limitCharacters: RulesCompilerLimits.descriptionCharacterCount)
    }
}

extension SourceValue {
    /// Reports a member that only the service may set.
    fileprivate func reportOwn(_ name: String) {
        reportKey(.reservedName, "the service puts \"\(name)\" into each request", hint: "leave it out")
    }

    /// Checks a string of 1 to `limit` characters. Apple does not say how it counts; its Python library counts code points.
    @discardableResult
    fileprivate func checkText(limitCharacters limit: Int) -> String? {
        guard let text = string else { return nil }
        let count = text.unicodeScalars.count
        if count == 0 {
            report(.badLength, "an empty string")
        } else if count > limit {
            report(.badLength, "\(count) characters, more than the limit of \(limit)")
        }
        return text
    }

    fileprivate func checkSKU() {
        guard let text = checkText(limitCharacters: RulesCompilerLimits.skuCharacterCount) else { return }
        _ = checkIdentifier(text)
    }

    /// Checks a price, which is in thousandths of the currency.
    fileprivate func checkPrice() {
        _ = integer(in: 0...Int64.max, "a price, in thousandths of the currency,")
    }

    fileprivate func checkWord(_ words: [String]) {
        _ = choice(of: words, named: { $0 }, .unknownValue) { "\"\($0)\" is no word of Apple's" }
    }
}
