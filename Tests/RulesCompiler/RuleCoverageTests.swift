import Authoring
import Rules
import System
import Testing

@Suite("Which rules may answer")
struct RuleCoverageTests {
    private static func identifier(_ number: UInt64) -> UUID { UUID(high: 0, low: number) }

    /// Rules with one rule for the product `annual` and a default. The message has identifiers in de-DE (1) and en-US (2);
    /// fr-FR falls back to de-DE.
    private static func model(
        _ members: String = "", unapproved: String = "", default outcome: String = "\"none\""
    ) throws -> RulesModel {
        let source = """
            { "format": 1, "app": { "appAppleId": 1, "bundleId": "b" }, "environment": "Sandbox",
              "locales": { "fallback": { "fr-FR": "de-DE" }, "last": "en-US" },
              "messages": { "m": { "kind": "text", \(members)
                "ids": { "de-DE": "\(identifier(1))", "en-US": "\(identifier(2))" } } },
              "unapproved": { \(unapproved) },
              "rules": [ { "id": "r", "when": { "fact": "productId", "eq": "annual" },
                "serve": { "message": "m" } } ],
              "default": { "serve": \(outcome) } }
            """
        return try RulesCompiler.model(of: Array(source.utf8))
    }

    private static let locales = ["de-DE", "fr-FR", "en-US", "ja"]

    private static func answers(_ model: RulesModel, _ approved: Set<UUID>, _ product: String) -> [[String]] {
        RuleCoverage(model, approved: approved).rules(for: product, in: locales)
    }

    @Test("depends on the product and on the default")
    func products() throws {
        let all: Set = [Self.identifier(1), Self.identifier(2)]
        #expect(Self.answers(try Self.model(), all, "annual") == [["r"], ["r"], ["r"], ["r"]])
        #expect(Self.answers(try Self.model(), all, "monthly") == [[], [], [], []])
        let served = try Self.model(default: "{ \"message\": \"m\" }")
        #expect(Self.answers(served, all, "monthly") == Self.locales.map { _ in [RuleCoverage.defaultName] })
        #expect(Self.answers(served, [], "annual") == [[], [], [], []])
    }

    @Test("depends on what Apple has approved, and on what a message does where Apple has not")
    func approval() throws {
        let english: Set = [Self.identifier(2)]
        #expect(Self.answers(try Self.model(), english, "annual") == [["r"], ["r"], ["r"], ["r"]])
        let passing = try Self.model("\"whenUnapproved\": \"pass\",")
        #expect(Self.answers(passing, english, "annual") == [[], [], ["r"], ["r"]])
        #expect(Self.answers(passing, [Self.identifier(1)], "annual") == [["r"], ["r"], [], []])
        let german = try Self.model(
            "\"whenUnapproved\": \"pass\",", unapproved: "\"\(Self.identifier(1))\": \"PENDING\"")
        let all: Set = [Self.identifier(1), Self.identifier(2)]
        #expect(Self.answers(german, all, "annual") == [[], [], ["r"], ["r"]])
    }
}
