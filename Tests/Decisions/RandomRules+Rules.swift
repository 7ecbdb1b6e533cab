import JSON
import System

extension RandomRules {
    mutating func serve() -> JSONNode {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .string("none")
        case 1, 2, 3: return .object([("message", .string(pick(["m0", "m1"])))])
        case 4, 5:
            var members: [(String, JSONNode)] = [
                ("switch", .string("s")), ("productId", .string("pro_annual")),
            ]
            if chance(50) {
                members.append(("billingPlanType", .string(pick(["MONTHLY", "BILLED_UPFRONT"]))))
            }
            return .object(members)
        case 6, 7, 8:
            return .object([
                ("offer", .string("o")), ("productId", .string("pro_monthly")),
                ("offerIdentifier", .string(pick(["half", "third"]))),
            ])
        default:
            return .object([("advancedCommerce", .string("a")), ("request", Self.request)])
        }
    }

    private static let request = JSONNode.object([
        ("retainBillingCycle", .boolean(true)),
        (
            "changeItems",
            .array([
                .object([
                    ("SKU", .string("s")), ("currentSKU", .string("l")), ("displayName", .string("n")),
                    ("description", .string("d")), ("price", .integer(0)),
                    ("effective", .string("IMMEDIATELY")), ("reason", .string("UPGRADE")),
                ])
            ])
        ),
    ])

    mutating func holdout() -> JSONNode {
        var members = split(["h1", "h2"], shares: [0, 1000, 3000, 10_000])
        members.append(("serve", chance(50) ? .string("none") : .object([("message", .string("m0"))])))
        if chance(50) { members.append(("until", .string(pick(Self.dates)))) }
        return .object(members)
    }

    mutating func caps() -> JSONNode {
        var members: [(String, JSONNode)] = []
        if chance(70) { members.append(("maxAccepted", .integer(pick([1, 2])))) }
        if members.isEmpty || chance(60) {
            members.append(("minDaysSinceLast", .integer(pick([1, 10, 30]))))
        }
        if chance(30) { members.append(("lastFact", .string("since"))) }
        if chance(30) { members.append(("acceptedFact", .string("count"))) }
        if chance(40) { members.append(("whenUnknown", .string(pick(["allow", "refuse"])))) }
        return .object(members)
    }

    private mutating func split(_ salts: [String], shares: [Int64]) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("salt", .string(pick(salts)))]
        if !shares.isEmpty { members.append(("basisPoints", .integer(pick(shares)))) }
        if chance(30) {
            let units = ["text", "storefront", "productId", "language", "originalTransactionId"]
            members.append(("unit", .string(pick(units))))
        }
        return members
    }

    mutating func rule(_ index: Int, _ segments: [String]) -> JSONNode {
        var members: [(String, JSONNode)] = [("id", .string("r\(index)"))]
        if chance(90) {
            members.append(("when", condition(depth: Int.random(in: 0...4, using: &random), segments)))
        }
        if chance(12) { members.append(("enabled", .boolean(chance(30)))) }
        if chance(25) { members.append(("window", window())) }
        if chance(30) {
            members.append(("rollout", .object(split(["r", "q"], shares: [0, 1000, 5000, 9999, 10_000]))))
        }
        if chance(30) {
            var variants = split(["v", "r"], shares: [])
            variants.append(("arms", .array(arms())))
            members.append(("variants", .object(variants)))
        } else {
            members.append(("serve", serve()))
        }
        return .object(members.shuffled(using: &random))
    }

    private mutating func window() -> JSONNode {
        let first = Int.random(in: 0..<3, using: &random)
        var window: [(String, JSONNode)] = [("from", .string(Self.dates[first]))]
        if chance(50) {
            window.append(("to", .string(Self.dates[Int.random(in: first + 1..<4, using: &random)])))
        }
        if window.count == 2, chance(50) { window.removeFirst() }
        return .object(window)
    }

    private mutating func arms() -> [JSONNode] {
        let weights: [Int64] = pick([[10_000], [5000, 5000], [1, 9999], [3000, 3000, 4000]])
        return weights.enumerated().map { index, weight in
            .object([("name", .string("arm\(index)")), ("weight", .integer(weight)), ("serve", serve())])
        }
    }
}
