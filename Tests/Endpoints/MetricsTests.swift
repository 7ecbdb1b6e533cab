import AppStoreSimulator
import Cryptography
import FastCGI
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("The metrics of the pool")
struct MetricsTests {
    /// Rules with each form of rule, and with names that a label has to escape.
    private static let rules = """
        {"format": 1, "app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
         "facts": {"plan": "string"},
         "messages": {"m": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
                      "g": {"kind": "text", "ids": {"xx-XX": "551ee7c0-c097-418e-9dd5-2a98533a7391"}}},
         "rules": [
           {"id": "off", "enabled": false, "serve": "none"},
           {"id": "needs_plan", "when": {"fact": "plan", "eq": "x"}, "serve": {"message": "m"}},
           {"id": "no_locale", "when": {"fact": "productId", "eq": "lost"}, "serve": {"message": "g"}},
           {"id": "quiet", "when": {"fact": "productId", "eq": "quiet"}, "serve": "none"},
           {"id": "share", "when": {"fact": "productId", "eq": "share"}, "rollout": {"salt": "r", "basisPoints": 10000},
            "serve": {"message": "m"}},
           {"id": "arms", "when": {"fact": "productId", "eq": "arms"},
            "variants": {"salt": "v", "arms": [{"name": "a", "weight": 9999, "serve": {"message": "m"}},
                                               {"name": "b", "weight": 1, "serve": "none"}]}},
           {"id": "odd", "when": {"fact": "productId", "eq": "odd"}, "serve": {"message": "m"}}],
         "default": {"serve": {"message": "m"}}}
        """

    /// A world with the rules above.
    private static func world(counters: SharedCounters? = nil) throws -> EndpointWorld {
        try EndpointWorld(rules: rules, counters: counters)
    }

    private static let app = ["app": "531412", "environment": "Sandbox"]

    private static func page(_ world: EndpointWorld) -> ExpositionCheck {
        let changes = ["RETENTION_ENDPOINT": "metrics", "REQUEST_METHOD": "GET"]
        let answer = world.answer(world.parameters(changes), [])
        #expect(answer.status == 200 && answer.contentType.description == MetricText.contentType.description)
        let check = ExpositionCheck(String(decoding: answer.body, as: UTF8.self))
        #expect(check.problems.isEmpty, "\(check.problems)")
        return check
    }

    private static func ask(_ world: EndpointWorld, _ product: String) throws {
        _ = world.answer(world.parameters(), try world.body { $0.productId = product })
    }

    private static func decision(_ rule: String, _ reason: String, arm: String = "") -> [String: String] {
        app.merging(["rule": rule, "arm": arm, "reason": reason]) { $1 }
    }

    @Test("count each decision by its rule, arm and reason, and begin at 0")
    func decisions() throws {
        let world = try Self.world()
        let rows: [(product: String, labels: [String: String])] = [
            ("quiet", Self.decision("quiet", "TARGETING_MATCH")), ("share", Self.decision("share", "SPLIT")),
            ("arms", Self.decision("arms", "SPLIT", arm: "a")), ("other", Self.decision("", "DEFAULT")),
            ("odd", Self.decision("odd", "TARGETING_MATCH")),
            ("lost", Self.decision("", "DEFAULT")),
        ]
        var expected: [[String: String]: Double] = [:]
        let before = Self.page(world)
        for (_, labels) in rows {
            #expect(before.value("retentiond_decisions_total", labels) == 0, "\(labels)")
            expected[labels] = 0
        }
        #expect(before.value("retentiond_decisions_total", Self.decision("arms", "SPLIT", arm: "b")) == 0)
        #expect(before.value("retentiond_decisions_total", Self.decision("arms", "SPLIT")) == nil)
        for (round, row) in rows.enumerated() {
            for _ in 0...round { try Self.ask(world, row.product) }
            expected[row.labels, default: 0] += Double(round + 1)
        }
        world.handler.turnEnded(FastCGICounts())
        let after = Self.page(world)
        for (labels, count) in expected {
            #expect(after.value("retentiond_decisions_total", labels) == count, "\(labels)")
        }
        let all = after.samples("retentiond_decisions_total").map(\.value).reduce(0, +)
        #expect(all == 21 && after.value("retentiond_rules_passed_over_total", ["step": "no_locale"]) == 6)
        let answered = after.samples("retentiond_requests_total")
        #expect(answered.map(\.value).reduce(0, +) == 21)
        #expect(after.value("retentiond_requests_total", ["outcome": "none", "code": "no-answer"]) == 1)
        #expect(after.value("retentiond_requests_total", ["outcome": "decided", "code": "decided"]) == 20)
        for phase in ["read", "verify", "facts", "decide"] {
            let name = "retentiond_phase_duration_seconds"
            #expect(after.value("\(name)_count", ["phase": phase]) == 21, "\(phase)")
        }
        #expect(after.value("retentiond_phase_duration_seconds_count", ["phase": "sign"]) == 0)
        #expect(after.value("retentiond_request_duration_seconds_count") == 21)
    }

    @Test("keep the counts of a rule that is no longer loaded, and count on when it comes back")
    func reload() throws {
        let old = try Self.world()
        try Self.ask(old, "quiet")
        let new = try EndpointWorld(counters: old.counters)
        for _ in 1...2 { try Self.ask(new, "quiet") }
        let quiet = Self.decision("quiet", "TARGETING_MATCH")
        let share = Self.decision("share", "SPLIT")
        #expect(Self.page(new).value("retentiond_decisions_total", quiet) == 3, "both files have this rule")
        #expect(Self.page(new).value("retentiond_decisions_total", share) == nil, "0 and not loaded")
        try Self.ask(old, "share")
        #expect(
            Self.page(new).value("retentiond_decisions_total", share) == 1,
            "an old worker decides until it ends")
        let again = try Self.world(counters: old.counters)
        try Self.ask(again, "share")
        #expect(Self.page(again).value("retentiond_decisions_total", share) == 2)
    }

    @Test("count rules beyond the limit as other")
    func bounds() throws {
        let count = SharedCounters.decisionRowsOfGeneration + 500
        let rules = (0..<count).map { index in
            #"{"id": "rule-\#(index)", "when": {"fact": "productId", "eq": "p\#(index)"}, "serve": {"message": "m"}}"#
        }
        let source = """
            {"format": 1, "app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
             "messages": {"m": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}}},
             "rules": [\(rules.joined(separator: ","))]}
            """
        let world = try EndpointWorld(rules: source)
        for index in [0, 1, count - 1, count - 2] { try Self.ask(world, "p\(index)") }
        let page = Self.page(world)
        let samples = page.samples("retentiond_decisions_total")
        #expect(samples.count <= SharedCounters.decisionRowsOfGeneration + 16)
        #expect(page.value("retentiond_decisions_total", Self.decision("rule-1", "TARGETING_MATCH")) == 1)
        #expect(page.value("retentiond_decisions_total", Self.decision("other", "TARGETING_MATCH")) == 2)
    }

    @Test("have every name of the table, with its type, its help and its labels")
    func table() throws {
        let world = try EndpointWorld(queue: { ListenQueue(ofDescriptor: -1) })
        try world.publish(atMilliseconds: 1)
        world.counters.set(.loadedAt, to: 1500)
        for _ in 0..<16 { try Self.ask(world, "x") }
        world.handler.turnEnded(FastCGICounts())
        let check = Self.page(world)
        let expected = PoolMetrics.table.filter {
            !$0.name.contains("listen_queue") && !$0.name.contains("facts_")
        }
        #expect(check.families.map(\.name) == expected.map(\.name))
        for (found, family) in zip(check.families, expected) {
            #expect(found.help == family.help && found.type == family.kind.rawValue)
            for sample in found.samples {
                #expect(Set(sample.labels.keys).subtracting(["le"]) == Set(family.labels), "\(sample)")
            }
        }
        #expect(check.value("retentiond_last_reload_success_timestamp_seconds") == 1.5)
    }

    @Test("of a fixed state are written as in the golden file")
    func golden() throws {
        let world = try Self.world()
        let counters = try SharedCounters(
            codes: ["no-answer", "internal-fault", "app-unknown"], startedAt: 1_795_225_939_123)
        for (index, counter) in Counter.allCases.enumerated() { counters.add(counter, UInt64(index) + 1) }
        for (index, gauge) in Gauge.allCases.enumerated() { counters.set(gauge, to: UInt64(index) + 1) }
        for code in ["no-answer", "app-unknown", "unheard-of"] { counters.add(code: code) }
        for phase in [nil] + RequestPhase.allCases { counters.observe(phase, nanoseconds: 1_234_567) }
        try world.publish("needs-restart", atMilliseconds: 2000)
        _ = counters.claimWorker(generation: 1, atMilliseconds: 5)
        for (index, position) in UsedCertificate.Position.allCases.enumerated() {
            let end = 1_800_000_000_000 + Int64(index) * 500
            counters.set(UsedCertificate(position: position, notAfterMilliseconds: end))
        }
        counters.set(signedDateOffset: -1_250)
        let tally = DecisionTally(world.handler.generation, counters)
        let row = try #require(
            counters.claimDecisionRow(
                DecisionRowKey(appAppleId: 531_412, environment: "Sandbox", rule: "gone")
            )
        )
        counters.addDecision(row: row, reason: DecisionReason.split.number)
        let metrics = PoolMetrics(
            generation: world.handler.generation, counters: counters, tally: tally, queue: nil)
        var text = String(decoding: metrics.text(), as: UTF8.self)
        // The versions of the libraries differ from machine to machine.
        text.replace(/build_info\{.*\}/, with: "build_info{}")
        try GoldenFile.check(text, "Tests/Endpoints/Golden/metrics.txt")
    }
}
