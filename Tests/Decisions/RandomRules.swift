import Decisions
import JSON
import Support
import Vocabulary

/// Random sources and requests from a small world, so that matches are frequent.
struct RandomRules {
    var random: SeededGenerator

    private static let products = ["pro", "pro_monthly", "pro_annual", "basic", "p", "zz"]
    private static let locales = ["en", "en-US", "en-GB", "en-AU", "de-DE", "es-MX", "es-419", "zh-Hans"]
    private static let transactions = ["1", "20", "200", "2000000000000001", "31"]
    private static let dates = [
        "2026-11-01T00:00:00Z", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00.001Z", "2026-12-01T00:00:00Z",
    ]
    private static let environments = ["Production", "Sandbox", "LocalTesting"]

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
            originalTransactionId: pick(Self.transactions + ["999"]),
            nowMilliseconds: moment + Int64.random(in: -1...1, using: &random)
        )
    }

    mutating func source() -> JSONNode {
        let names = (0..<Int.random(in: 1...3, using: &random)).map { "m\($0)" }
        var members: [(String, JSONNode)] = [
            ("format", .integer(1)),
            ("app", .object([("appAppleId", .integer(7)), ("bundleId", .string("b"))])),
            ("environment", .string(chance(80) ? "Production" : "Sandbox")),
            ("messages", .object(names.map { ($0, message()) })),
        ]
        if chance(5) { members.append(("killSwitch", .boolean(true))) }
        if chance(70) { members.append(("locales", localeSettings())) }
        let rules = (0..<Int.random(in: 0...6, using: &random)).map { rule($0, names) }
        members.append(("rules", .array(rules)))
        if rules.isEmpty || chance(60) {
            members.append(("default", .object([("serve", serve(names))])))
        }
        return .object(members)
    }

    private mutating func message() -> JSONNode {
        let locales = Self.locales.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
        return .object([
            ("kind", .string("text")),
            (
                "ids",
                .object(
                    locales.map { locale in
                        let low = UInt64.random(in: 0...UInt64.max, using: &random)
                        return (locale, .string(UUID(high: 1, low: low).description))
                    }
                )
            ),
        ])
    }

    /// Fallbacks go from a locale to one later in a random order, so there is no circle.
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

    private mutating func serve(_ names: [String]) -> JSONNode {
        chance(20) ? .string("none") : .object([("message", .string(pick(names)))])
    }

    private mutating func rule(_ index: Int, _ names: [String]) -> JSONNode {
        var members: [(String, JSONNode)] = [("id", .string("r\(index)")), ("serve", serve(names))]
        if chance(90) { members.append(("when", condition(depth: Int.random(in: 0...4, using: &random)))) }
        if chance(15) { members.append(("enabled", .boolean(chance(30)))) }
        if chance(30) {
            let first = Int.random(in: 0..<3, using: &random)
            var window: [(String, JSONNode)] = [("from", .string(Self.dates[first]))]
            if chance(50) {
                window.append(("to", .string(Self.dates[Int.random(in: first + 1..<4, using: &random)])))
            }
            if window.count == 2, chance(50) { window.removeFirst() }
            members.append(("window", .object(window)))
        }
        return .object(members.shuffled(using: &random))
    }

    private mutating func condition(depth: Int) -> JSONNode {
        guard depth > 0, chance(80) else { return predicate() }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .object([("not", condition(depth: depth - 1))])
        case 1: return .object([("all", .array(children(depth)))])
        default: return .object([("any", .array(children(depth)))])
        }
    }

    private mutating func children(_ depth: Int) -> [JSONNode] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in condition(depth: depth - 1) }
    }

    private mutating func predicate() -> JSONNode {
        let (fact, values) = pick([
            ("productId", Self.products), ("userLocale", Self.locales),
            ("language", ["en", "de", "es", "zh", "fr"]), ("environment", Self.environments),
            ("originalTransactionId", Self.transactions), ("now", Self.dates),
        ])
        let operation = pick(["eq", "ne", "in", "notIn"] + (fact == "now" ? [] : ["prefix"]))
        let operand: JSONNode
        switch operation {
        case "in", "notIn":
            operand = .array((0..<Int.random(in: 1...4, using: &random)).map { _ in .string(pick(values)) })
        case "prefix":
            let text = pick(values)
            operand = .string(String(text.prefix(Int.random(in: 1...text.count, using: &random))))
        default: operand = .string(pick(values))
        }
        return .object([("fact", .string(fact)), (operation, operand)])
    }
}
