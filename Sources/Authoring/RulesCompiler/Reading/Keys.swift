internal import DataFiles

/// The keys that one kind of object in the source may have.
struct Keys {
    /// The keys, in the order in which messages list them.
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
    static let group = Keys(ConditionOperation.allCases.filter { $0.operand == .conditions }.map(\.word))
    static let operations = Keys(ConditionOperation.predicates.map(\.word))
    static let predicate = Keys(["fact"] + operations.names)
    static let condition = Keys(group.names + [ConditionOperation.segment.word] + predicate.names)
    static let test = Keys(["name", "given", "expect"])
    static let given = Keys([
        "productId", "userLocale", "originalTransactionId", "now", "facts", "factsAgeSeconds",
    ])
    static let expect = Keys(["rule", "default", "arm", "message", "serve", "reason"])
}
