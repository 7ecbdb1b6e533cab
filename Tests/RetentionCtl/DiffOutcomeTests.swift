import JSON
import Support
import Testing

@Suite("The outcomes that retentionctl diff compares")
struct DiffOutcomeTests {
    private let folder: TemporaryDirectory
    private static let request = #"{"productId": "p", "userLocale": "en-US", "originalTransactionId": "1"}"#

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(Self.request + "\n", to: "sample.ndjson")
    }

    private func diff(_ old: String, _ new: String, _ options: [String] = []) throws -> ProgramRun {
        for (rules, name) in [(old, "old.json"), (new, "new.json")] {
            try folder.write(SmallRules.source(["rules": rules]), to: name)
        }
        let paths = ["old.json", "new.json"].map { folder.path(of: $0) }
        return try Tool.run(["diff"] + paths + ["--sample", folder.path(of: "sample.ndjson")] + options)
    }

    /// Compares rules in which each message has one locale: `text` has en-US, and `german` has de-DE.
    private func diffLocales(_ old: String, _ new: String, _ options: [String] = []) throws -> ProgramRun {
        for (rules, name) in [(old, "old.json"), (new, "new.json")] {
            let source = SmallRules.source([
                "rules": rules, "locales": "{}", "default": #"{"serve": "none"}"#,
                "messages": #"""
                {"text": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
                 "german": {"kind": "text", "ids": {"de-DE": "551ee7c0-c097-418e-9dd5-2a98533a7391"}}}
                """#,
            ])
            try folder.write(source, to: name)
        }
        let paths = ["old.json", "new.json"].map { folder.path(of: $0) }
        return try Tool.run(["diff"] + paths + ["--sample", folder.path(of: "sample.ndjson")] + options)
    }

    private static func arm(_ message: String) -> String {
        #"{"id": "\#(message)", "variants": {"salt": "\#(message)", "arms": [{"name": "a", "weight": 10000, "#
            + #""serve": {"message": "\#(message)"}}]}}"#
    }

    @Test("name a variant that was drawn but not served, and differ when only that changes")
    func assigned() throws {
        let german = Self.arm("german")
        let text = try diffLocales("[\(german), \(Self.arm("text"))]", "[\(german)]")
        #expect(
            text.output.contains(
                "  old  text/a: message text, en-US 551ee7c0-c097-418e-9dd5-2a98533a7390\n"
                    + "       assigned: german/a, failed at locale\n  new  default: nothing\n"
                    + "       assigned: german/a, failed at locale\n"
            ),
            "\(text.output)\(text.errors)"
        )
        let run = try diffLocales("[\(german), \(Self.arm("text"))]", "[\(Self.arm("text"))]", ["--json"])
        let root = try Tool.document(run).root
        #expect(root.member("changed")?.int64 == 0 && root.member("decidedOtherwise")?.int64 == 1)
        let changed = try Tool.document(try diffLocales("[\(german)]", "[\(Self.arm("text"))]", ["--json"]))
        let old = changed.root.member("changes")?.element(at: 0)?.member("old")?.member("assigned")
        #expect(old?.element(at: 0)?.member("rule")?.string == "german")
        #expect(old?.element(at: 0)?.member("arm")?.string == "a")
        #expect(old?.element(at: 0)?.member("step")?.string == "locale")
    }

    private static func rule(_ serve: String) -> String { #"[{"id": "r", "serve": \#(serve)}]"# }

    private static let offer = #"{"offer": "offer", "productId": "p", "offerIdentifier": "half"}"#
    private static func request(price: Int) -> String {
        """
        {"retainBillingCycle":true,"changeItems":[{"SKU":"s","currentSKU":"l","displayName":"n",\
        "description":"d","price":\(price),"effective":"IMMEDIATELY","reason":"DOWNGRADE"}]}
        """
    }

    private static let bundle = "{\"advancedCommerce\": \"bundle\", \"request\": \(request(price: 4990))}"
    private static let change = #"{"switch": "switch", "productId": "q", "billingPlanType": "MONTHLY"}"#

    /// Two outcomes, and the text that diff prints for each of them.
    static let changes: [(String, String, String, String)] = [
        (offer, offer.replacing("half", with: "third"), "offer offer, half on p", "offer offer, third on p"),
        (offer, offer.replacing(#""p""#, with: #""q""#), "offer offer, half on p", "offer offer, half on q"),
        (
            bundle, bundle.replacing("4990", with: "3990"), "advancedCommerce bundle \(request(price: 4990))",
            "advancedCommerce bundle \(request(price: 3990))"
        ),
        (
            change, change.replacing("MONTHLY", with: "BILLED_UPFRONT"), "switch switch to q (MONTHLY)",
            "switch switch to q (BILLED_UPFRONT)"
        ),
        (offer, #"{"message": "text"}"#, "offer offer, half on p", "message text"),
    ]

    @Test("are complete, as from a service that can sign", arguments: changes.indices)
    func changed(index: Int) throws {
        let (old, new, oldText, newText) = Self.changes[index]
        let run = try diff(Self.rule(old), Self.rule(new))
        #expect(run.output.contains("1 request, 1 answer changes (100.0 %)\n"), "\(run.errors)")
        #expect(run.output.contains("\n  old  r: \(oldText), en-US "), "\(run.output)")
        #expect(run.output.contains("\n  new  r: \(newText), en-US "), "\(run.output)")
        let same = try diff(Self.rule(old), Self.rule(old), ["--exit-code"])
        #expect(same.status == 0, "\(same.output)")
    }

    @Test("have no body when they must be signed")
    func body() throws {
        let run = try diff(Self.rule(Self.offer), Self.rule(#"{"message": "text"}"#), ["--json"])
        let change = try #require(try Tool.document(run).root.member("changes")?.element(at: 0))
        #expect(change.member("old")?.member("status")?.int64 == 200)
        #expect(change.member("old")?.member("body")?.kind == .null)
        #expect(change.member("new")?.member("body")?.string?.hasPrefix(#"{"message":"#) == true)
    }

    @Test("are counted by rule, also when a rule has the name of the default")
    func names() throws {
        let rules = #"[{"id": "default", "serve": {"message": "text"}}]"#
        let run = try diff(rules, "[]")
        #expect(run.output.contains("1 decided otherwise and answered alike\n"), "\(run.output)")
        let table = run.output.split(separator: "\n").suffix(3).map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(table == ["decided by old new", "rule default 1 0", "default 0 1"])
        let json = try Tool.document(try diff(rules, "[]", ["--json"])).root.member("rules")
        #expect(json?.elements.map { $0.member("rule")?.string } == ["default", "default"])
        #expect(json?.elements.map { $0.member("isRule")?.boolean } == [true, false])
        #expect(json?.elements.map { $0.member("old")?.int64 } == [1, 0])
    }
}
