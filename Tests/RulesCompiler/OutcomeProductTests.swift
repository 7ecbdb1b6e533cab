import Authoring
import Rules
import System
import Testing

@Suite("The product of an outcome")
struct OutcomeProductTests {
    /// Returns the codes for a source with three products in two groups and one product without a group.
    private static func codes(when: String, serves: String) -> [String] {
        let source = """
            \(GoodSource.head)
            "products": { "m": { "group": "pro" }, "y": { "group": "pro" }, "n": { "group": "news" }, "x": {} },
            "messages": {
              "s": { "kind": "switch", "ids": { "en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0" } },
              "o": { "kind": "offer", "ids": { "en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc" } } },
            "segments": { "pro": { "fact": "productId", "in": ["m", "y"] } },
            "rules": [ { "id": "r"\(when.isEmpty ? "" : ", \"when\": \(when)"), \(serves) } ] }
            """
        do throws(RulesSourceError) {
            _ = try RulesCompiler.model(of: Array(source.utf8))
            return []
        } catch { return error.findings.map(\.code) }
    }

    private static func offer(_ product: String) -> String {
        "\"serve\": { \"offer\": \"o\", \"productId\": \"\(product)\", \"offerIdentifier\": \"half\" }"
    }

    private static func change(_ product: String) -> String {
        "\"serve\": { \"switch\": \"s\", \"productId\": \"\(product)\" }"
    }

    @Test(
        "of an offer is any declared product, whichever product the subscriber has",
        arguments: ["m", "y", "n", "x"]
    )
    func offers(product: String) {
        for when in ["", "{ \"fact\": \"productId\", \"eq\": \"m\" }", "{ \"segment\": \"pro\" }"] {
            #expect(Self.codes(when: when, serves: Self.offer(product)) == [])
        }
        #expect(Self.codes(when: "", serves: Self.offer("z")) == ["rules.unknown-name"])
    }

    /// A condition, the target of a switch, and false when the switch certainly leads into another group.
    @Test(
        "of a switch is in the same group as each product that the rule names",
        arguments: [
            ("{ \"fact\": \"productId\", \"eq\": \"m\" }", "y", true),
            ("{ \"fact\": \"productId\", \"eq\": \"m\" }", "n", false),
            ("{ \"fact\": \"productId\", \"in\": [\"n\", \"m\"] }", "n", false),
            ("{ \"segment\": \"pro\" }", "n", false), ("{ \"segment\": \"pro\" }", "m", true),
            (
                "{ \"all\": [ { \"segment\": \"pro\" }, { \"fact\": \"now\", \"exists\": true } ] }", "n",
                false
            ),
            (
                "{ \"all\": [ { \"fact\": \"productId\", \"in\": [\"n\", \"m\"] }, "
                    + "{ \"fact\": \"productId\", \"ne\": \"m\" } ] }",
                "n", true
            ),
            (
                "{ \"any\": [ { \"segment\": \"pro\" }, { \"fact\": \"productId\", \"eq\": \"n\" } ] }", "y",
                false
            ),
            // None of the declared products that the condition leaves is in the target's group.
            ("{ \"fact\": \"productId\", \"prefix\": \"n\" }", "m", false),
            ("{ \"fact\": \"productId\", \"notIn\": [\"m\", \"y\", \"x\"] }", "m", false),
            ("{ \"fact\": \"productId\", \"notIn\": [\"n\", \"x\"] }", "n", false),
            ("{ \"not\": { \"fact\": \"productId\", \"in\": [\"n\", \"x\"] } }", "n", false),
            (
                "{ \"all\": [ { \"not\": { \"segment\": \"pro\" } }, { \"fact\": \"productId\", \"ne\": \"x\" } ] }",
                "m", false
            ),
            // The compiler leaves uncertain cases to lint: a product may be in the target's group, or the groups of the
            // products that the condition leaves are unknown.
            ("{ \"not\": { \"segment\": \"pro\" } }", "m", true),
            ("{ \"fact\": \"productId\", \"ne\": \"m\" }", "y", true),
            ("{ \"fact\": \"productId\", \"prefix\": \"z\" }", "m", true),
            ("{ \"fact\": \"now\", \"exists\": true }", "n", true), ("", "m", true),
            ("{ \"fact\": \"productId\", \"eq\": \"m\" }", "x", true),
            ("{ \"fact\": \"productId\", \"eq\": \"x\" }", "n", true), ("", "n", true),
        ]
    )
    func switches(when: String, product: String, isGood: Bool) {
        let expected = isGood ? [] : ["rules.wrong-kind"]
        #expect(Self.codes(when: when, serves: Self.change(product)) == expected)
        let arms = "\"variants\": { \"salt\": \"v\", \"arms\": [ { \"name\": \"a\", \"weight\": 10000, "
        #expect(Self.codes(when: when, serves: arms + Self.change(product) + " } ] }") == expected)
    }
}
