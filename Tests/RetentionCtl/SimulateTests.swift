import Authoring
import Facts
import JSON
import Rules
import Support
import System
import Testing

/// Every subscriber of a table, decided at once, one by one by the evaluator, and by `diff`.
@Suite("retentionctl simulate")
struct SimulateTests {
    private let folder: TemporaryDirectory
    private static let time = "2026-11-21T00:00:00Z"
    private static let count = 700

    init() throws {
        folder = try TemporaryDirectory()
        let rows = (1...Self.count).map { number in
            let last = number % 4 == 1 ? "2026-10-01T00:00:00Z" : ""
            return
                "\(Self.subscriber(number)),\(number % 9),\(number % 5 == 0),\(number % 3 == 0 ? "JPN" : "USA"),"
                + "\(number % 4 == 1 ? "1" : number % 7 == 0 ? "" : "0"),\(last)\n"
        }
        let head = "originalTransactionId,paidPeriods,inTrial,storefront,offersAccepted,lastOfferAt\n"
        try folder.write(head + rows.joined(), to: "table.csv")
        let build = try Tool.run([
            "facts", "build", folder.path(of: "table.csv"), "--schema", AnnualUpsell.rules, "-o", facts,
            "--built",
            "2026-11-20T23:00:00Z",
        ])
        #expect(build.status == 0, "\(build)")
    }

    private var facts: String { folder.path(of: "app.facts") }

    private static func subscriber(_ number: Int) -> String { String(2_000_000_000 + number * 613) }

    private func simulate(_ options: [String]) throws -> JSONDocument {
        let run = try Tool.run(
            ["simulate", AnnualUpsell.rules, "--facts", facts, "--at", Self.time, "--json"] + options)
        #expect(run.status == 0, "\(run)")
        return try Tool.document(run)
    }

    @Test("decides as the evaluator does one by one, and counts every step at which a rule fails")
    func evaluator() throws {
        let rules = try RulesCompiler.resolve(SourceFile.read(AnnualUpsell.rules)).file
        let file = try FactsFile(bytes: try folder.read("app.facts"), check: .full)
        let binding = try FactsBinding(rules: rules, facts: file)
        let now = try #require(CivilTime(Self.time)).milliseconds
        var expected: [String: Int] = [:]
        for number in 1...Self.count {
            let request = DecisionRequest(
                appAppleId: rules.appAppleId, environment: rules.environment, productId: "pro_monthly",
                userLocale: "de-DE", originalTransactionId: Self.subscriber(number), nowMilliseconds: now,
                signing: .all)
            let facts = SubscriberFacts(
                of: Self.subscriber(number), in: file, binding,
                ageSeconds: file.ageSeconds(atMilliseconds: now))
            let decision = decide(request, facts: facts, using: rules)
            var names = [decision.ruleID(in: rules) ?? decision.reason.rawValue]
            if let arm = decision.armName(in: rules) { names.append("\(names[0])/\(arm)") }
            if decision.isHeldOut {
                names.append("held out: " + (decision.shadow?.ruleID(in: rules) ?? "default"))
            }
            names.append(decision.outcome == .nothing ? "nothing" : "answered")
            for name in names { expected[name, default: 0] += 1 }
            for (step, count) in [
                ("rollout", decision.skipped.notInRollout), ("caps", decision.skipped.capped),
                ("locale", decision.skipped.noLocale), ("when", decision.skipped.unknownCondition),
            ] { expected[step, default: 0] += Int(count) }
        }
        let root = try simulate(["--product", "pro_monthly", "--locale", "de-DE"]).root
        let totals = try #require(root.member("totals"))
        var found = ["nothing", "answered"].reduce(into: [:]) {
            $0[$1] = totals.member(named: $1)?.int64.map { Int($0) }
        }
        for reach in root.member("decidedBy")?.elements ?? [] {
            let rule = try #require(reach.member("rule")?.string)
            let isRule = reach.member("isRule")?.boolean == true
            let arm = reach.member("arm")?.string
            let name = (isRule || rule != "default" ? rule : "DEFAULT") + (arm.map { "/\($0)" } ?? "")
            found[name] = reach.member("new")?.int64.map { Int($0) }
            if arm == nil { found["held out: \(rule)"] = reach.member("heldOut")?.int64.map { Int($0) } }
        }
        for rule in root.member("failed")?.elements ?? [] {
            for step in ["rollout", "caps", "locale", "when"] {
                found[step, default: 0] += Int(rule.member(named: step)?.int64 ?? 0)
            }
        }
        #expect(found.filter { $0.value > 0 } == expected.filter { $0.value > 0 })
        #expect(expected["caps", default: 0] > 0 && expected["rollout", default: 0] > 0)
    }

    @Test("finds the changes that diff finds in a sample of all")
    func comparison() throws {
        let text = String(decoding: try SourceFile.read(AnnualUpsell.rules), as: UTF8.self)
        let new = text.replacing("\"basisPoints\": 5000", with: "\"basisPoints\": 9000")
            .replacing("\"minDaysSinceLast\": 180", with: "\"minDaysSinceLast\": 30")
        let before = folder.path(of: "old.json")
        try folder.write(text, to: "old.json")
        try folder.write(new, to: "new.json")
        let sample = (1...Self.count).map {
            #"{"productId":"pro_monthly","userLocale":"en-US","originalTransactionId":"\#(Self.subscriber($0))"}"#
                + "\n"
        }
        try folder.write(sample.joined(), to: "sample.ndjson")
        let run = try Tool.run([
            "diff", before, folder.path(of: "new.json"), "--sample", folder.path(of: "sample.ndjson"),
            "--facts",
            facts, "--at", Self.time, "--json",
        ])
        let diff = try Tool.document(run).root
        let simulated = try Tool.document(
            try Tool.run([
                "simulate", folder.path(of: "new.json"), "--against", before, "--facts", facts, "--at",
                Self.time,
                "--product", "pro_monthly", "--locale", "en-US", "--json",
            ])
        ).root
        #expect(simulated.member("changed")?.int64 == diff.member("changed")?.int64)
        func counts(_ rows: [JSONValue]) -> [String] {
            rows.compactMap { row in
                guard row.member("arm")?.string == nil, let rule = row.member("rule")?.string else {
                    return nil
                }
                let (old, new) = (row.member("old")?.int64 ?? 0, row.member("new")?.int64 ?? 0)
                return old + new > 0 ? "\(rule) \(old) \(new)" : nil
            }
        }
        let expected = counts(diff.member("rules")?.elements ?? [])
        #expect(counts(simulated.member("decidedBy")?.elements ?? []) == expected && expected.count > 3)
    }
}
