import CAllocations
import DataFiles
import Decisions
import RulesCompiler
import System
import Testing
import Vocabulary

@Suite("Allocations of a decision")
struct AllocationTests {
    private static let long = "a_storefront_that_is_longer_than_what_fits_into_a_string_by_itself"

    /// Rules for every step of a decision: holdout, segments, strings, lists, rollout, variants, caps, locales. One
    /// rule draws an arm that cannot be served.
    private static let source = """
        { "format": 1, "app": { "appAppleId": 7, "bundleId": "b" }, "environment": "Production",
          "locales": { "fallback": { "en-GB": "en-AU", "en-AU": "en-US" } },
          "facts": { "count": "int", "since": "date", "trial": "bool", "text": "string",
                     "offersAccepted": "int", "lastOfferAt": "date" },
          "messages": {
            "m": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } },
            "g": { "kind": "text", "ids": { "xx-XX": "551ee7c0-c097-418e-9dd5-2a98533a7393" } },
            "s": { "kind": "switch", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7391" } },
            "o": { "kind": "offer", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7392" } } },
          "segments": {
            "far": { "any": [ { "fact": "text", "in": ["USA", "\(long)"] }, { "fact": "text", "prefix": "J" } ] },
            "old": { "all": [ { "segment": "far" }, { "fact": "since", "olderThanDays": 30 },
                              { "not": { "fact": "trial", "eq": true } } ] } },
          "holdout": { "salt": "h", "basisPoints": 3000, "serve": "none" },
          "caps": { "offer": { "maxAccepted": 2, "minDaysSinceLast": 10 } },
          "rules": [
            { "id": "off", "enabled": false, "serve": "none" },
            { "id": "over", "window": { "to": "2026-01-01T00:00:00Z" }, "serve": "none" },
            { "id": "plain", "when": { "fact": "productId", "eq": "plain" }, "serve": { "message": "m" } },
            { "id": "seg", "when": { "all": [ { "segment": "old" }, { "fact": "language", "ne": "de" },
              { "fact": "count", "between": [2, 9] } ] }, "serve": { "switch": "s", "productId": "p" } },
            { "id": "share", "when": { "fact": "productId", "eq": "share" },
              "rollout": { "salt": "r", "unit": "text", "basisPoints": 9999 }, "serve": { "message": "m" } },
            { "id": "arms", "when": { "fact": "productId", "prefix": "a_product_with_a_name_that_is_long" },
              "variants": { "salt": "v", "arms": [ { "name": "a", "weight": 5000, "serve": { "message": "m" } },
                                                   { "name": "b", "weight": 5000, "serve": "none" } ] } },
            { "id": "offer", "when": { "fact": "productId", "eq": "offer" },
              "serve": { "offer": "o", "productId": "offer", "offerIdentifier": "half" } },
            { "id": "lost", "when": { "fact": "productId", "eq": "lost" },
              "rollout": { "salt": "r", "basisPoints": 9999 },
              "variants": { "salt": "v", "arms": [ { "name": "a", "weight": 5000, "serve": { "message": "g" } },
                                                   { "name": "b", "weight": 5000, "serve": { "message": "g" } } ] } } ],
          "default": { "serve": { "message": "m" } } }
        """

    private static let products = [
        "plain", "p", "share", "a_product_with_a_name_that_is_long_1", "offer", "lost",
    ]
    private static let values: [[FactValue?]] = [
        [.integer(3), .date(0), .boolean(false), .string(long), .integer(0), nil],
        [.integer(3), .date(0), .boolean(true), .string("USA"), .integer(2), .date(0)],
        [nil, nil, nil, .string("JPN"), nil, nil],
    ]

    private static func requests() -> [DecisionRequest] {
        products.flatMap { product in
            ["en-US", "en-GB", "fr-FR"].flatMap { locale in
                // The facts file has records of the first three subscribers.
                ["1", "2", "3", "20000000000000000001", "4", "5", "6", "7", "8", "9", "10", "11"].map {
                    subscriber in
                    var request = RuleWorld.request(product: product, transaction: subscriber)
                    request.userLocale = locale
                    return request
                }
            }
        }
    }

    /// Returns the number of allocations of the second run of `body`.
    private static func allocations(_ body: () -> Void) -> UInt64 {
        body()
        let before = allocations_of_this_thread()
        body()
        return allocations_of_this_thread() - before
    }

    @Test("are seen by the counter of these tests", .enabled(if: allocations_are_counted()))
    func counting() {
        var kept: [[Int]] = []
        let count = Self.allocations { kept.append([Int](repeating: kept.count, count: 1000)) }
        #expect(count > 0)
        #expect(kept.count == 2)
    }

    @Test("do not occur", .enabled(if: allocations_are_counted()))
    func noAllocations() throws {
        let rules = try RulesCompiler.resolve(Array(Self.source.utf8)).file
        let stored = try StoredFacts(Self.values, rules: rules)
        let literals = Self.values.map { SubscriberFacts.literal($0, ageSeconds: 60) }
        let requests = Self.requests()
        var reasons: Set<DecisionReason> = []
        var arms: Set<Int> = []
        var assigned: Set<Assignment> = []
        for request in requests {
            var last: Decision?
            let ofRow = Self.allocations {
                let facts = stored.facts(of: request.originalTransactionId, ageSeconds: 60)
                last = decide(request, facts: facts, using: rules)
            }
            #expect(ofRow == 0, "\(request)")
            if let last {
                reasons.insert(last.reason)
                _ = last.armIndex.map { arms.insert($0) }
                assigned.formUnion(last.assigned)
            }
            for facts in literals {
                let ofLiteral = Self.allocations { last = decide(request, facts: facts, using: rules) }
                #expect(ofLiteral == 0, "\(request) \(facts)")
                if let last { reasons.insert(last.reason) }
            }
        }
        // The requests have reached every kind of decision.
        #expect(reasons == [.targetingMatch, .split, .default, .holdout, .capped, .noLocale])
        #expect(arms == [0, 1])
        #expect(Set(assigned.map(\.ruleIndex)) == [4, 5, 7], "\(assigned)")
    }
}
