internal import DataFiles

/// The keys that one kind of object in the source may have.
package struct Keys {
    /// The keys, in the order in which messages list them.
    package let names: [String]

    package init(_ names: [String]) {
        self.names = names
    }

    package static let root = Keys([
        "$schema", "include", "format", "app", "environment", "metadata", "killSwitch", "locales", "products",
        "facts",
        "messages", "unapproved", "segments", "holdout", "caps", "rules", "default", "tests",
    ])
    package static let app = Keys(["appAppleId", "bundleId"])
    package static let locales = Keys(["fallback", "last"])
    package static let product = Keys(["group"])
    package static let message = Keys(["kind", "ids", "whenUnapproved"])
    package static let holdout = Keys(["salt", "unit", "basisPoints", "serve", "until"])
    package static let caps = Keys(["offer"])
    package static let offerCaps = Keys([
        "maxAccepted", "minDaysSinceLast", "acceptedFact", "lastFact", "whenUnknown",
    ])
    package static let rule = Keys(["id", "enabled", "when", "window", "rollout", "serve", "variants"])
    package static let window = Keys(["from", "to"])
    package static let rollout = Keys(["salt", "unit", "basisPoints"])
    package static let variants = Keys(["salt", "unit", "arms"])
    package static let arm = Keys(["name", "weight", "serve"])
    package static let defaultOutcome = Keys(["serve"])
    package static let group = Keys(
        ConditionOperation.allCases.filter { $0.operand == .conditions }.map(\.word))
    package static let operations = Keys(ConditionOperation.predicates.map(\.word))
    package static let predicate = Keys(["fact"] + operations.names)
    package static let condition = Keys(group.names + [ConditionOperation.segment.word] + predicate.names)
    package static let test = Keys(["name", "given", "expect"])
    package static let given = Keys([
        "productId", "userLocale", "originalTransactionId", "now", "facts", "factsAgeSeconds",
    ])
    package static let expect = Keys(["rule", "default", "arm", "message", "serve", "reason"])
}
