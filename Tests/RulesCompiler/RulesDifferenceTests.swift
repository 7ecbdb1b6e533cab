import Authoring
import JSON
import Testing

@Suite("The difference of two rules files")
struct RulesDifferenceTests {
    private static let source = """
        { "format": 1, "app": { "appAppleId": 1, "bundleId": "b" }, "environment": "Production",
          "locales": { "last": "en-US" },
          "messages": { "m": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } } },
          "rules": [
            { "id": "a", "when": { "fact": "productId", "in": ["p", "q"] }, "serve": { "message": "m" } },
            { "id": "b", "when": { "fact": "productId", "eq": "r" },
              "rollout": { "salt": "s", "basisPoints": 100 }, "serve": "none" } ],
          "default": { "serve": "none" } }
        """

    private static func lines(_ changes: [(String, String)]) -> [String] {
        let text = changes.reduce(source) { $0.replacing($1.0, with: $1.1) }
        return RulesDifference(from: Array(source.utf8), to: Array(text.utf8)).lines(limit: 100)
    }

    private static let changedSources: [(changes: [(String, String)], lines: [String])] = [
        ([], []),
        (
            [("\"basisPoints\": 100", "\"basisPoints\": 5000")],
            ["~ rules[b].rollout.basisPoints: 100 -> 5000"]
        ),
        (
            [("\"default\": { \"serve\": \"none\" }", "\"default\": { \"serve\": { \"message\": \"m\" } }")],
            ["~ default.serve: \"none\" -> {\"message\":\"m\"}"]
        ),
        (
            [(#""en-US": "5"#, #""en-US": "6"#)],
            [
                "~ messages.m.ids.en-US: \"551ee7c0-c097-418e-9dd5-2a98533a7390\" -> "
                    + "\"651ee7c0-c097-418e-9dd5-2a98533a7390\""
            ]
        ),
        ([("\"format\"", "\"killSwitch\": true, \"format\"")], ["+ killSwitch: true"]),
        // A list without names is compared as a whole.
        ([("[\"p\", \"q\"]", "[\"p\"]")], ["~ rules[a].when.in: [\"p\",\"q\"] -> [\"p\"]"]),
        // A rule at the front changes no other rule.
        (
            [
                (
                    "\"rules\": [",
                    "\"rules\": [ { \"id\": \"new\", \"when\": { \"fact\": \"now\", \"exists\": true }, \"serve\": \"none\" },"
                )
            ],
            ["+ rules[new]: {\"id\":\"new\",\"when\":{\"fact\":\"now\",\"exists\":true},\"serve\":\"none\"}"]
        ),
        (
            [("\"locales\": { \"last\": \"en-US\" },", "\"metadata\": { \"revision\": \"2\" },")],
            ["+ metadata: {\"revision\":\"2\"}", "- locales: {\"last\":\"en-US\"}"]
        ),
    ]

    @Test("names every value that changed by its path", arguments: changedSources)
    func rows(changes: [(String, String)], lines: [String]) {
        #expect(Self.lines(changes) == lines)
    }

    @Test("shows rules in another order by their ids")
    func order() {
        func rules(_ ids: String...) -> [UInt8] {
            Array("{ \"rules\": [ \(ids.map { "{ \"id\": \"\($0)\" }" }.joined(separator: ",")) ] }".utf8)
        }
        let difference = RulesDifference(from: rules("a", "b"), to: rules("b", "a"))
        #expect(difference.lines(limit: 9) == ["~ rules: order: a, b -> b, a"])
    }

    @Test("shortens long values and long lists, and has them whole in JSON")
    func long() {
        let id = String(repeating: "x", count: 120)
        let rules = (0..<5).map { "{ \"id\": \"\(id)\($0)\", \"serve\": \"none\" }" }.joined(separator: ",")
        let difference = RulesDifference(
            from: Array("{ \"rules\": [] }".utf8), to: Array("{ \"rules\": [ \(rules) ] }".utf8))
        let lines = difference.lines(limit: 2)
        #expect(lines.count == 3 && lines[2] == "and 3 more")
        #expect(lines[0].hasSuffix("…") && lines[0].count < 250)
        let json = String(decoding: difference.json.serialized(), as: UTF8.self)
        #expect(json.contains("\\\"id\\\":\\\"\(id)4\\\""))
        #expect(json.hasPrefix("[{\"path\":\"rules[\(id)0]\",\"old\":null,\"new\":"))
    }

    @Test("is empty for a source that is written in another way")
    func spelling() throws {
        let text = Array(GoodSource.text.utf8)
        let difference = RulesDifference(from: text, to: try RulesCompiler.resolve(text).text)
        #expect(difference.changes == [])
    }
}
