/// The keys that one kind of object of the source may have.
struct Keys {
    /// Those that are compiled.
    let supported: [String]
    /// Those that the language has and this version cannot compile.
    let later: [String]

    init(_ supported: [String], later: [String] = []) {
        self.supported = supported
        self.later = later
    }

    static let root = Keys(
        [
            "$schema", "format", "app", "environment", "metadata", "killSwitch", "locales", "messages",
            "rules",
            "default",
        ],
        later: ["products", "facts", "segments", "holdout", "caps", "tests"]
    )
    static let app = Keys(["appAppleId", "bundleId"])
    static let locales = Keys(["fallback", "last"])
    static let message = Keys(["kind", "ids"])
    static let rule = Keys(["id", "when", "enabled", "window", "serve"], later: ["rollout", "variants"])
    static let window = Keys(["from", "to"])
    static let serve = Keys(
        ["message"],
        later: [
            "switch", "offer", "advancedCommerce", "productId", "billingPlanType", "offerIdentifier",
            "request",
        ]
    )
    static let defaultOutcome = Keys(["serve"])
    static let group = Keys(["all", "any", "not"])
    static let operations = Keys(
        ["eq", "ne", "in", "notIn", "prefix"],
        later: ["gt", "gte", "lt", "lte", "exists", "between", "olderThanDays", "youngerThanDays"]
    )
    static let condition = Keys(
        group.supported + ["fact"] + operations.supported,
        later: ["segment"] + operations.later
    )
    /// Facts that the server will know; those of a facts file have names of the author's own.
    static let factsLater = ["factsFound", "factsAgeSeconds"]
}
