internal import Authoring
internal import JSON

/// Rules for the benchmark: some rules that do not match, then a default that every request gets.
enum RulesSource {
    /// The message of the default in generations with an even number, and in generations with an odd number.
    static let messages = ["551ee7c0-c097-418e-9dd5-2a98533a7390", "12e6970f-0000-4000-8000-000000000001"]

    static func message(of generation: Int) -> String { messages[generation % 2] }

    /// Returns the source text.
    ///
    /// - Parameters:
    ///   - generation: chooses the message.
    ///   - ruleCount: the number of rules that every request passes before the default.
    ///   - productCount: the number of products that each rule names.
    /// - Returns: JSON.
    static func text(generation: Int, ruleCount: Int, productCount: Int) -> [UInt8] {
        let ids = JSONNode.object([("en-US", .string(message(of: generation)))])
        let reminder = JSONNode.object([("kind", .string("text")), ("ids", ids)])
        let rules = (0..<ruleCount).map { rule -> JSONNode in
            let products = (0..<productCount).map {
                JSONNode.string("com.example.product.\(rule).\($0).monthly")
            }
            return .object([
                ("id", .string("rule_\(rule)")),
                ("when", .object([("fact", .string("productId")), ("in", .array(products))])),
                ("serve", .object([("message", .string("reminder"))])),
            ])
        }
        return JSONNode.object([
            ("format", .integer(1)),
            (
                "app",
                .object([
                    ("appAppleId", .integer(Traffic.appAppleId)), ("bundleId", .string(Traffic.bundleId)),
                ])
            ),
            ("environment", .string("Sandbox")),
            ("locales", .object([("last", .string("en-US"))])),
            ("messages", .object([("reminder", reminder)])),
            ("rules", .array(rules)),
            ("default", .object([("serve", .object([("message", .string("reminder"))]))])),
        ]).serialized()
    }

    /// Rules as a busy app may have them: twenty rules that every request passes before the default.
    static func small() throws -> [UInt8] {
        try resolve(text(generation: 0, ruleCount: 20, productCount: 10))
    }

    /// A file of at least 1,000,000 bytes.
    static func large(generation: Int) throws -> [UInt8] {
        let file = try resolve(text(generation: generation, ruleCount: 600, productCount: 40))
        guard file.count >= 1_000_000 else {
            throw Failure("the large rules file has only \(file.count) bytes")
        }
        return file
    }

    private static func resolve(_ source: [UInt8]) throws -> [UInt8] {
        try RulesCompiler.resolve(source).text
    }

    /// Rules that read the facts of the subscriber, and serve the message of the generation to everybody.
    static func readingFacts(generation: Int) -> [UInt8] {
        Array(
            #"""
            { "format": 1, "app": { "appAppleId": \#(Traffic.appAppleId), "bundleId": "\#(Traffic.bundleId)" },
              "environment": "Sandbox", "locales": { "last": "en-US" }, "facts": { "plan": "string" },
              "messages": { "value": { "kind": "text", "ids": { "en-US": "\#(message(of: generation))" } } },
              "rules": [ { "id": "none", "when": { "fact": "plan", "eq": "none" }, "serve": "none" } ],
              "default": { "serve": { "message": "value" } } }
            """#.utf8)
    }
}
