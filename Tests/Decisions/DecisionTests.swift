import Authoring
import Rules
import Support
import System
import Testing

@Suite("A decision")
struct DecisionTests {
    static let november = CivilTime("2026-11-21T00:00:00Z")?.milliseconds ?? 0

    static func rules(_ name: String) throws -> ResolvedRules {
        try RulesCompiler.resolve(SourceFile.read(SourceFile.root + "/examples/rules/\(name).json"))
    }

    static func example(_ name: String) throws -> RulesFile { try rules(name).file }

    static func request(
        product: String = "pro_monthly", locale: String = "en-US", transaction: String = "2000000000000002",
        now: Int64 = november
    ) -> DecisionRequest {
        DecisionRequest(
            appAppleId: 6_745_974_591, environment: .production, productId: product, userLocale: locale,
            originalTransactionId: transaction, nowMilliseconds: now)
    }

    @Test("of the first example is one message for everyone", arguments: ["en-US", "de-DE", "xx", ""])
    func hello(locale: String) throws {
        let file = try Self.example("hello")
        let decision = decide(Self.request(locale: locale), facts: .none(ageSeconds: nil), using: file)
        let identifier = try #require(UUID("551ee7c0-c097-418e-9dd5-2a98533a7390"))
        #expect(decision.outcome == .serve(.message, messageIdentifier: identifier))
        #expect(decision.reason == .default)
        #expect(decision.ruleIndex == nil)
        #expect(decision.messageName(in: file) == "value_reminder")
        #expect(decision.localeUsed(in: file) == "en-US")
    }

    /// Requests for the second example, each with the expected rule, locale and reason.
    static let seasonRows: [(DecisionRequest, String?, String?, DecisionReason)] = [
        (request(), "novelties_for_monthly_plans", "en-US", .targetingMatch),
        (request(locale: "de-AT"), "novelties_for_monthly_plans", "de-DE", .targetingMatch),
        (request(locale: "en-AU"), "novelties_for_monthly_plans", "en-US", .targetingMatch),
        (request(locale: "es-MX"), "novelties_for_monthly_plans", "en-US", .targetingMatch),
        (request(locale: "es-ES"), nil, "en-US", .default),
        (request(product: "pro_annual"), nil, "en-US", .default),
        (request(product: "basic", locale: "es-MX"), nil, "es-419", .default),
        (request(now: 1_793_491_199_999), nil, "en-US", .default),
        (request(now: 1_793_491_200_000), "novelties_for_monthly_plans", "en-US", .targetingMatch),
        (request(now: 1_796_083_199_999), "novelties_for_monthly_plans", "en-US", .targetingMatch),
        (request(now: 1_796_083_200_000), nil, "en-US", .default),
        (
            request(transaction: "2000000000000001"), "one_subscriber_who_asked_for_silence", nil,
            .targetingMatch
        ),
    ]

    @Test("of the second example follows its rules", arguments: DecisionTests.seasonRows.indices)
    func seasons(row: Int) throws {
        let (request, rule, locale, reason) = Self.seasonRows[row]
        let file = try Self.example("seasons")
        let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
        #expect(decision.ruleID(in: file) == rule)
        #expect(decision.localeUsed(in: file) == locale)
        #expect(decision.reason == reason)
    }

    @Test("counts the rules that it skips")
    func skipped() throws {
        let file = try Self.example("seasons")
        let before = decide(
            Self.request(product: "basic", now: 0), facts: .none(ageSeconds: nil), using: file
        ).skipped
        #expect(before.outsideWindow == 1)
        #expect(before.disabled == 1)
        #expect(before.noLocale == 0)
        #expect(before.unknownCondition == 0)
    }

    @Test("serves nothing for another environment or another app, and nothing under the kill switch")
    func refusals() throws {
        let file = try Self.example("hello")
        var request = Self.request()
        request.environment = .sandbox
        #expect(decide(request, facts: .none(ageSeconds: nil), using: file).reason == .error)
        #expect(decide(request, facts: .none(ageSeconds: nil), using: file).outcome == .nothing)
        let other = DecisionRequest(
            appAppleId: 1, environment: .production, productId: "pro_monthly", userLocale: "en-US",
            originalTransactionId: "2000000000000002", nowMilliseconds: Self.november)
        #expect(decide(other, facts: .none(ageSeconds: nil), using: file).reason == .error)
        #expect(decide(other, facts: .none(ageSeconds: nil), using: file).outcome == .nothing)
        var model = try Self.rules("hello").model
        model.killSwitch = true
        let killed = model.file
        #expect(decide(Self.request(), facts: .none(ageSeconds: nil), using: killed).reason == .killSwitch)
        #expect(decide(Self.request(), facts: .none(ageSeconds: nil), using: killed).outcome == .nothing)
    }

    /// Returns the explanation as text, with a line for each step.
    private static func text(_ explanation: Explanation, indentedBy depth: Int = 0) -> String {
        explanation.lines.map { line in
            String(repeating: "  ", count: line.depth + depth) + "\(line.step): \(line.result)\n"
        }.joined()
    }

    @Test("is explained by the steps that were taken")
    func explanation() throws {
        let file = try Self.example("seasons")
        var text = ""
        for request in [
            Self.request(locale: "de-AT"), Self.request(product: "basic", locale: "xx-XX", now: 0),
        ] {
            text += Self.text(explain(request, facts: .none(ageSeconds: nil), using: file)) + "\n"
        }
        try GoldenFile.check(text, "Tests/Decisions/Golden/explanation.txt")
    }

    @Test("is explained with the conditions of a segment below each use of the segment")
    func explainedSegments() throws {
        let text = try Self.explanations(ofTestsIn: "segments")
        try GoldenFile.check(text, "Tests/Decisions/Golden/explanation-segments.txt")
    }

    @Test("is explained with buckets, caps and missing facts")
    func wholeExplanation() throws {
        let text = try Self.explanations(ofTestsIn: "annual-upsell")
        try GoldenFile.check(text, "Tests/Decisions/Golden/explanation-whole.txt")
    }

    /// Explains the request of every test that is embedded in an example.
    private static func explanations(ofTestsIn example: String) throws -> String {
        let rules = try Self.rules(example)
        let file = rules.file
        var text = ""
        for test in rules.model.tests {
            text += "\(test.name)\n"
            let facts = EmbeddedTests.facts(of: test, file.declaredFacts.count)
            let explanation = explain(EmbeddedTests.request(of: test, file), facts: facts, using: file)
            text += Self.text(explanation, indentedBy: 1) + "\n"
        }
        return text
    }
}
