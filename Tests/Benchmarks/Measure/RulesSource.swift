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
    ///   - isOffer: true when the default serves a promotional offer, which has to be signed.
    /// - Returns: JSON.
    static func text(generation: Int, ruleCount: Int, productCount: Int, isOffer: Bool = false) -> [UInt8] {
        let serve: [(String, JSONNode)] =
            isOffer
            ? [
                ("offer", .string("half_price")), ("productId", .string("com.example.product.annual")),
                ("offerIdentifier", .string("half_price_3m")),
            ] : [("message", .string("reminder"))]
        func message(_ name: String, _ kind: String) -> (String, JSONNode) {
            let ids = JSONNode.object([("en-US", .string(self.message(of: generation)))])
            return (name, .object([("kind", .string(kind)), ("ids", ids)]))
        }
        let messages = [message("reminder", "text")] + (isOffer ? [message("half_price", "offer")] : [])
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
            ("messages", .object(messages)),
            ("rules", .array(rules)),
            ("default", .object([("serve", .object(serve))])),
        ]).serialized()
    }
}
