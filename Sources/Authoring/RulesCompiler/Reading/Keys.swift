/// The keys that one kind of object of the source may have.
struct Keys {
    /// The keys, in the order in which people are told about them.
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    static let root = Keys([
        "$schema", "format", "app", "environment", "metadata", "killSwitch", "locales", "products", "facts",
        "messages", "segments", "holdout", "caps", "rules", "default", "tests",
    ])
    static let app = Keys(["appAppleId", "bundleId"])
    static let locales = Keys(["fallback", "last"])
    static let product = Keys(["group"])
    static let message = Keys(["kind", "ids", "masked", "whenUnapproved"])
    static let holdout = Keys(["salt", "unit", "basisPoints", "serve", "until"])
    static let caps = Keys(["offer"])
    static let offerCaps = Keys([
        "maxAccepted", "minDaysSinceLast", "acceptedFact", "lastFact", "whenUnknown",
    ])
    static let rule = Keys(["id", "enabled", "when", "window", "rollout", "serve", "variants"])
    static let window = Keys(["from", "to"])
    static let rollout = Keys(["salt", "unit", "basisPoints"])
    static let variants = Keys(["salt", "unit", "arms"])
    static let arm = Keys(["name", "weight", "serve"])
    static let defaultOutcome = Keys(["serve"])
    static let group = Keys(["all", "any", "not"])
    static let operations = Keys([
        "eq", "ne", "in", "notIn", "gt", "gte", "lt", "lte", "between", "exists", "prefix", "olderThanDays",
        "youngerThanDays",
    ])
    static let condition = Keys(group.names + ["segment", "fact"] + operations.names)
    static let test = Keys(["name", "given", "expect"])
    static let given = Keys([
        "productId", "userLocale", "originalTransactionId", "now", "facts", "factsAgeSeconds",
    ])
    static let expect = Keys(["rule", "default", "arm", "message", "serve", "reason"])
}
