import Endpoints
import FastCGI
import Support
import Telemetry
import Testing

@Suite("Rules that a decision passed over")
struct PassedOverRulesTests {
    private static let rules = """
        {"format": 1, "app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
         "facts": {"unknown": "int", "unit": "string"},
         "messages": {
           "m": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
           "ja": {"kind": "text", "ids": {"ja": "12e6970f-0000-4000-8000-000000000001"}},
           "o": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}}},
         "rules": [
           {"id": "off", "enabled": false, "serve": {"message": "m"}},
           {"id": "later", "window": {"from": "2999-01-01T00:00:00Z"}, "serve": {"message": "m"}},
           {"id": "over", "window": {"to": "2001-01-01T00:00:00Z"}, "serve": {"message": "m"}},
           {"id": "unknown", "when": {"fact": "unknown", "eq": 1}, "serve": {"message": "m"}},
           {"id": "false", "when": {"fact": "productId", "eq": "another"}, "serve": {"message": "m"}},
           {"id": "share", "rollout": {"salt": "s", "basisPoints": 0}, "serve": {"message": "m"}},
           {"id": "arm", "variants": {"salt": "s", "unit": "unit", "arms": [
             {"name": "a", "weight": 10000, "serve": {"message": "m"}}]}},
           {"id": "locale", "serve": {"message": "ja"}},
           {"id": "sign", "serve": {"offer": "o", "productId": "p", "offerIdentifier": "half"}},
           {"id": "rest", "serve": {"message": "m"}}],
         "metadata": {}}
        """

    @Test("are counted by the step that failed")
    func counted() throws {
        let world = try EndpointWorld(rules: Self.rules)
        for round in 1...2 as ClosedRange<UInt64> {
            #expect(world.answer(world.parameters(), try world.body()).status == 200)
            #expect(world.counters.value(.rulesDisabled) == round - 1, "nothing before the answer is sent")
            world.handler.turnEnded(FastCGICounts())
            let expected: [(Counter, UInt64)] = [
                (.rulesDisabled, 1), (.rulesOutsideWindow, 2), (.rulesUnknown, 1), (.rulesNotInRollout, 1),
                (.rulesNoArm, 1), (.rulesCapped, 0), (.rulesUnapproved, 0), (.rulesNoLocale, 1),
                (.rulesSignFailed, 1),
            ]
            for (counter, count) in expected {
                #expect(world.counters.value(counter) == round * count, "\(counter.rawValue)")
            }
        }
    }
}
