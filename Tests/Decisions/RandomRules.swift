import Facts
import JSON
import Rules
import Support
import System

/// Random sources, requests and subscribers with few different values, so that rules match often.
struct RandomRules {
    var random: SeededGenerator

    static let products = ["pro", "pro_monthly", "pro_annual", "basic", "p", "zz"]
    static let locales = ["en", "en-US", "en-GB", "en-AU", "de-DE", "es-MX", "es-419", "zh-Hans"]
    static let transactions = ["1", "20", "200", "2000000000000001", "31"]
    static let dates = [
        "2026-11-01T00:00:00Z", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00.001Z", "2026-12-01T00:00:00Z",
    ]
    static let environments = ["Production", "Sandbox", "LocalTesting"]
    static let integers: [Int64] = [.min, .min + 1, -1, 0, 1, 2, 3, 5, .max]
    /// The last two strings look the same but have different bytes.
    static let strings = ["", "a", "ab", "USA", "JPN", "e", "\u{E9}", "e\u{301}"]
    static let storefronts = ["USA", "DEU", "JPN"]
    /// The facts of every source, in their order.
    static let facts: [(name: String, kind: ValueKind, source: String)] = [
        ("count", .integer, "int"), ("since", .date, "date"), ("trial", .boolean, "bool"),
        ("text", .string, "string"), ("storefront", .string, "enum(USA, DEU, JPN)"),
        ("offersAccepted", .integer, "int"), ("lastOfferAt", .date, "date"),
    ]

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func request() -> DecisionRequest {
        let moment = CivilTime(pick(Self.dates))?.milliseconds ?? 0
        return DecisionRequest(
            appAppleId: chance(99) ? 7 : 8,
            environment: pick([.production, .production, .sandbox]),
            productId: pick(Self.products + ["unknown", "pro_monthly_with_a_name_that_is_long"]),
            userLocale: pick(Self.locales + ["fr-FR", "", "-", "en_US"]),
            originalTransactionId: chance(40)
                ? pick(Self.transactions) : String(Int.random(in: 0..<100_000, using: &random)),
            nowMilliseconds: moment + Int64.random(in: -1...1, using: &random),
            signing: pick([[], .offers, .advancedCommerce, .all])
        )
    }

    /// Returns a subscriber. A third of the facts is missing, and some subscribers have no record.
    mutating func subscriber() -> RandomSubscriber {
        let age: Int64? = chance(80) ? pick([0, 60, 3600]) : nil
        guard chance(85) else { return RandomSubscriber(values: nil, ageSeconds: age) }
        let values = Self.facts.map { chance(33) ? nil : value(of: $0.name, $0.kind) }
        return RandomSubscriber(values: values, ageSeconds: age)
    }

    private mutating func value(of fact: String, _ kind: ValueKind) -> FactValue {
        switch kind {
        case .boolean: return .boolean(chance(50))
        case .integer: return .integer(fact == "offersAccepted" ? pick([0, 0, 1, 2]) : pick(Self.integers))
        case .string: return .string(pick(fact == "storefront" ? Self.storefronts : Self.strings))
        case .date:
            // The dates lie around the times of the requests, or whole days before.
            let moment = CivilTime(pick(Self.dates))?.milliseconds ?? 0
            return .date(moment - pick([0, 1, 10, 30]) * 86_400_000 + pick([-1, 0, 1]))
        }
    }

    mutating func source(isKilled: Bool = false) -> JSONNode {
        var messages: [(String, JSONNode)] = []
        var unapproved: [(String, JSONNode)] = []
        for (name, kind) in [
            ("m0", "text"), ("m1", "text"), ("s", "switch"), ("o", "offer"), ("a", "advancedCommerce"),
        ] {
            messages.append((name, message(kind, &unapproved)))
        }
        var members: [(String, JSONNode)] = [
            ("format", .integer(1)),
            ("app", .object([("appAppleId", .integer(7)), ("bundleId", .string("b"))])),
            ("environment", .string(chance(80) ? "Production" : "Sandbox")),
            ("facts", .object(Self.facts.map { ($0.name, .string($0.source)) })),
            ("messages", .object(messages)), ("unapproved", .object(unapproved)),
        ]
        if isKilled || chance(10) { members.append(("killSwitch", .boolean(isKilled))) }
        if chance(70) { members.append(("locales", localeSettings())) }
        let segments = self.segments()
        members.append(("segments", .object(segments.shuffled(using: &random))))
        if chance(40) { members.append(("holdout", holdout())) }
        if chance(60) { members.append(("caps", .object([("offer", caps())]))) }
        let names = segments.map(\.0)
        let rules = (0..<Int.random(in: 0...10, using: &random)).map { rule($0, names) }
        members.append(("rules", .array(rules)))
        if rules.isEmpty || chance(60) { members.append(("default", .object([("serve", serve())]))) }
        return .object(members)
    }

    private mutating func message(_ kind: String, _ unapproved: inout [(String, JSONNode)]) -> JSONNode {
        let locales = Self.locales.shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
        let identifiers = locales.map { locale -> (String, JSONNode) in
            let low = UInt64.random(in: 0...UInt64.max, using: &random)
            return (locale, .string(UUID(high: 1, low: low).description))
        }
        var members: [(String, JSONNode)] = [("kind", .string(kind)), ("ids", .object(identifiers))]
        if chance(30) {
            for case (_, .string(let identifier)) in identifiers where chance(50) {
                unapproved.append((identifier, .string(pick(["PENDING", "REJECTED"]))))
            }
            if chance(60) { members.append(("whenUnapproved", .string(pick(["pass", "fallback"])))) }
        }
        return .object(members)
    }

    /// Each fallback goes from a locale to a later locale of a random order, so there is no cycle.
    private mutating func localeSettings() -> JSONNode {
        let order = Self.locales.shuffled(using: &random)
        var fallbacks: [(String, JSONNode)] = []
        for (index, locale) in order.enumerated().dropLast() where chance(50) {
            fallbacks.append((locale, .string(pick(Array(order[(index + 1)...])))))
        }
        var members: [(String, JSONNode)] = [("fallback", .object(fallbacks))]
        if chance(50) { members.append(("last", .string(pick(Self.locales)))) }
        return .object(members)
    }
}
