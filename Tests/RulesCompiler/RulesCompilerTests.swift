import Authoring
import Cryptography
import Facts
import FuzzBodies
import Rules
import Support
import System
import Testing

@Suite("The rules compiler")
struct RulesCompilerTests {
    /// The request of the good source, without white space.
    private static let request = """
        {"retainBillingCycle":true,"currency":"EUR","requestInfo":{},\
        "periodChange":{"effective":"NEXT_BILL_CYCLE","period":"P1Y"},"changeItems":[{"currentSKU":"LARGE",\
        "SKU":"SMALL","displayName":"Klein","description":"Zwei Kanäle","price":4990,\
        "effective":"IMMEDIATELY","reason":"DOWNGRADE","proratedPrice":0,"offer":{"period":"P1M",\
        "periodCount":3,"price":990,"reason":"RETENTION"}}]}
        """

    private static func model(_ source: String = GoodSource.text) throws -> RulesModel {
        try RulesCompiler.model(of: Array(source.utf8))
    }

    private static func resolve(_ source: String) throws -> ResolvedRules {
        try RulesCompiler.resolve(Array(source.utf8))
    }

    @Test("keeps everything that the source says")
    func contents() throws {
        let model = try Self.model()
        #expect(model.appAppleId == 6_745_974_591)
        #expect(model.bundleId == "com.example.app")
        #expect(model.environment == .production)
        #expect(model.metadata.map(\.value) == ["2026-11-21.3", "Wachstüm"])
        #expect(!model.killSwitch)
        #expect(model.lastLocale == "en-US")
        #expect(model.products.map(\.group) == ["pro", "pro", "news", nil])
        #expect(model.facts.map(\.kind) == [.integer, .boolean, .string, .date, .integer, .string])
        #expect(model.messages.map(\.kind) == [.text, .switch, .offer, .advancedCommerce])
        #expect(model.messages[2].identifiers.map(\.isMasked) == [false, true])
        #expect(model.rules.map(\.id) == ["first", "second", "third"])
        #expect(model.rules[0].windowTo == 1_798_675_200_000)
        #expect(model.rules[1].choice == .outcome(.nothing))
        #expect(model.rules[1].condition == .any([.prefix(.userLocale, "en")]))
        #expect(model.defaultOutcome == .message(0))
    }

    @Test("keeps holdout, caps, rollouts and variants")
    func splits() throws {
        let model = try Self.model()
        #expect(model.holdout?.split == RulesModel.Split(salt: "h", basisPoints: 1000))
        #expect(model.holdout?.outcome == .nothing)
        #expect(model.holdout?.until == 1_798_761_600_000)
        let caps = RulesModel.OfferCaps(
            maxAccepted: 1, minDaysSinceLast: 180, acceptedFact: .declared(4), lastFact: .declared(3),
            allowsUnknown: true)
        #expect(model.caps == caps)
        #expect(model.rules[2].rollout == RulesModel.Split(salt: "r", unit: .declared(2), basisPoints: 5000))
        guard case .variants(let variants) = model.rules[2].choice else {
            Issue.record("no variants")
            return
        }
        #expect(variants.salt == "v" && variants.unit == .originalTransactionId)
        #expect(variants.arms.map(\.name) == ["switch", "offer", "smaller"])
        #expect(variants.arms.map(\.weight) == [5000, 4000, 1000])
        #expect(
            variants.arms.map(\.outcome) == [
                .switch(message: 1, productId: "pro_annual", billingPlanType: .monthly),
                .offer(message: 2, productId: "pro_monthly", offerIdentifier: "save50"),
                .advancedCommerce(message: 3, request: Self.request),
            ]
        )
    }

    @Test("puts each segment behind the segments that it names, and keeps every predicate")
    func conditions() throws {
        let model = try Self.model()
        #expect(model.segments.map(\.name) == ["monthly", "loyal"])
        #expect(model.segments[0].condition == .equal(.productId, .string("pro_monthly")))
        #expect(
            model.segments[1].condition
                == .all([.segment(0), .greaterOrEqual(.declared(0), .integer(3))])
        )
        #expect(
            model.rules[2].condition
                == .all([
                    .segment(1), .olderThanDays(.declared(3), 30),
                    .between(.declared(0), .integer(3), .integer(24)),
                    .isNotIn(.declared(5), [.string("student")]), .exists(.declared(1), true),
                    .any([.equal(.factsFound, .boolean(true)), .less(.factsAgeSeconds, .integer(86_400))]),
                ])
        )
    }

    @Test("keeps embedded tests")
    func tests() throws {
        let tests = try Self.model().tests
        #expect(tests.map(\.name) == ["silence", "loyal"])
        #expect(tests[0].nowMilliseconds == 1_795_219_200_500)
        #expect(tests[0].facts == nil)
        #expect(tests[0].expectation == RulesModel.Expectation(rule: .rule(1), servesNothing: true))
        #expect(tests[1].factsAgeSeconds == 60)
        #expect(tests[1].facts?.map(\.fact) == [.declared(0), .declared(1), .declared(3), .declared(5)])
        #expect(tests[1].expectation == RulesModel.Expectation(rule: .default, message: 0, reason: "DEFAULT"))
    }

    @Test("resolves a source into the same text for the loader, whatever its white space, and once for ever")
    func resolution() throws {
        let resolved = try Self.resolve(GoodSource.text)
        try GoldenFile.check(
            String(decoding: resolved.text, as: UTF8.self), "Tests/RulesCompiler/Golden/resolved.json")
        #expect(try RulesSource.read(resolved.text) == resolved.model)
        #expect(resolved.file.digest == SHA256.hash(resolved.text.span))
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let narrow = Array(GoodSource.text.split(separator: "\n").joined().utf8)
        for source in [resolved.text, narrow, mark + narrow] {
            #expect(try RulesCompiler.resolve(source).text == resolved.text)
        }
    }

    @Test("resolves every example, whose tests pass", arguments: try Example.all())
    func examples(example: Example) throws {
        let resolved = try RulesCompiler.resolve(example.source)
        #expect(try RulesCompiler.resolve(resolved.text).text == resolved.text)
        #expect(RulesCompiler.failedTests(of: resolved, source: example.source) == [])
        #expect(!resolved.model.tests.isEmpty)
    }

    @Test("counts no column for a byte order mark")
    func byteOrderMark() throws {
        let wrong = Array("{ \"formt\": 1 }".utf8)
        let error = #expect(throws: RulesSourceError.self) { try RulesCompiler.model(of: wrong) }
        let marked = #expect(throws: RulesSourceError.self) {
            try RulesCompiler.model(of: [0xEF, 0xBB, 0xBF] + wrong)
        }
        #expect(marked == error)
    }

    @Test("reads the usual count and date of offers when they are declared, whichever cap is set")
    func caps() throws {
        func caps(_ limit: String, _ facts: String) throws -> RulesModel.OfferCaps? {
            let rest =
                "\"facts\": { \(facts) }, \"caps\": { \"offer\": { \(limit) } }, \"rules\": [ { \"id\": \"r\", \"serve\": \"none\" } ] }"
            return try Self.model(GoodSource.head + rest).caps
        }
        let (count, date) = ("\"offersAccepted\": \"int\"", "\"lastOfferAt\": \"date\"")
        let most = "\"maxAccepted\": 2", days = "\"minDaysSinceLast\": 180"
        for limit in [most, days] {
            let both = try caps(limit, count + ", " + date)
            #expect(both?.acceptedFact == .declared(0) && both?.lastFact == .declared(1))
        }
        let counted = try caps(most, count)
        #expect(counted?.acceptedFact == .declared(0) && counted?.lastFact == nil)
        let dated = try caps(days, date + ", \"offersAccepted\": \"string\"")
        #expect(dated?.acceptedFact == nil && dated?.lastFact == .declared(0))
        let named = try caps(
            most + ", \"lastFact\": \"other\"", count + ", " + date + ", \"other\": \"date\"")
        #expect(named?.lastFact == .declared(2))
    }

    @Test("asks a facts file only for the declared facts that conditions, splits and caps read")
    func readFacts() throws {
        let file = try Self.resolve(
            GoodSource.head + """
                "facts": { "unread": "int", "n": "int", "s": "string", "offersAccepted": "int", "u": "date", "t": "bool" },
                "segments": { "a": { "not": { "fact": "t", "eq": true } } },
                "caps": { "offer": { "maxAccepted": 1 } },
                "rules": [ { "id": "r", "when": { "any": [ { "fact": "n", "gt": 1 }, { "segment": "a" } ] },
                             "rollout": { "salt": "x", "unit": "s", "basisPoints": 1 }, "serve": "none" } ] }
                """
        ).file
        #expect(file.readFacts.map(\.name) == ["n", "s", "offersAccepted", "t"])
        #expect(file.declaredFacts.count == 6)
    }

    @Test("names the place of an embedded test that fails")
    func failingTest() throws {
        let source = GoodSource.text.replacing("\"rule\": \"second\"", with: "\"rule\": \"first\"")
        let failures = RulesCompiler.failedTests(of: try Self.resolve(source), source: Array(source.utf8))
        let (line, column) = try Mark.place(of: "\"expect\": ¦{ \"rule\": \"first\"", in: source)
        #expect(failures.map(\.code) == ["embedded-test-failed"])
        #expect(failures.first?.line == line)
        #expect(failures.first?.column == column)
        let message = failures.first?.message
        #expect(
            message?.hasPrefix(
                "the test \"silence\" fails: rule: expected first, found second; first (not for this product)"
            )
                == true)
    }

    @Test("never traps on a source with changed bytes")
    func mutations() {
        var random = SeededGenerator(for: "rules sources")
        let source = Array(GoodSource.text.utf8)
        let alphabet = Array("{}[]\",:0aA-_\\ \u{0}ü".utf8)
        for _ in 0..<1000 {
            var changed = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed[place] = byte
                case 1: changed.insert(byte, at: place)
                default: changed.remove(at: place)
                }
            }
            fuzzRulesSource(changed.span)
        }
    }
}
