extension CatalogueRows {
    private static let digest = String(repeating: "ab", count: 32)
    private static let identifier = "0f6c1a52-3d7a-4d6e-8a3e-1d2c3b4a5f60"

    private static func pin(_ pin: String) -> String {
        "\"header\": \"H3\", \"identifier\": \(pin)"
    }

    /// Revisions, and pins of which each is wrong by itself.
    static let pins: [CatalogueRow] = [
        CatalogueRow(
            "\"header\": \"H3\"",
            pin("{ \"Sandbox\": { \"id\": \"\(identifier)\", \"digest\": ¦\"\(digest)\" } }"), "pin-changed"),
        CatalogueRow(
            "\"size\": \"FULL_SIZE\"",
            "\"size\": \"FULL_SIZE\", \"identifier\": { \"Production\": { \"id\": \"\(identifier)\", \"digest\": ¦\"\(digest)\" } }",
            "pin-changed"),
        CatalogueRow(
            "\"header\": \"H3\"", pin("{ \"Sandbox\": { \"id\": \"\(identifier)\", \"digest\": ¦\"abc\" } }"),
            "bad-digest"),
        CatalogueRow(
            "\"header\": \"H3\"", pin("{ \"Sandbox\": ¦{ \"id\": \"\(identifier)\" } }"), "missing-key"),
        CatalogueRow(
            "\"header\": \"H3\"", pin("{ \"Sandbox\": { \"id\": ¦\"x\", \"digest\": \"\(digest)\" } }"),
            "bad-uuid"),
        CatalogueRow("\"header\": \"H3\"", pin("¦\"\(identifier)\""), "wrong-type"),
        CatalogueRow("\"header\": \"H3\"", pin("{ ¦\"LocalTesting\": {} }"), "unknown-key"),
        CatalogueRow("\"header\": \"H3\"", "\"header\": \"H3\", \"revision\": ¦0", "bad-number"),
        CatalogueRow("\"header\": \"H3\"", "\"header\": \"H3\", \"revision\": ¦1000001", "bad-number"),
        CatalogueRow("\"header\": \"H3\"", "\"header\": \"H3\", \"revision\": ¦1.0", "wrong-type").unseen(),
        CatalogueRow("\"size\": \"FULL_SIZE\"", "\"size\": \"FULL_SIZE\", \"revision\": ¦-1", "bad-number"),
    ]

    /// The content versions of the texts H3 and H4, and the identifiers that they have by their content.
    private static let version3 = "401347f008b990e182a496de3a2f9f251186893c1d47073a09056065aab576f7"
    private static let version4 = "4fc5cf56e045b75849fcea4c504dc5e74a4943377ecc293e2ee486b0fc5e82db"
    private static let production4 = "e2d9c32d-729a-5eba-ac09-99b3face1d1e"
    private static let sandbox4 = "560c9271-bc40-5db0-b811-a97e0a28a4a2"
    /// The content version of the image hero, and the identifier that it has in Production by its content.
    private static let heroVersion = "136e4a739c759d416852b012383bd35fa466c68640ee793a8e5eb70e02ce3a8c"
    private static let heroProduction = "9844ca8b-5d8e-5954-bce8-0022aa129ad1"

    private static func pin(_ environment: String, _ identifier: String, _ version: String) -> String {
        "\"\(environment)\": { \"id\": \(identifier), \"digest\": \"\(version)\" }"
    }

    /// The texts H3 and H4 with pins.
    private static func row(_ first: String, _ second: String?, _ code: String) -> CatalogueRow {
        CatalogueRow(
            "\"en-US\": { \"header\": \"H3\", \"body\": \"B3\" },\n      \"de-DE\": { \"header\": \"H4\"",
            "\"en-US\": { \"header\": \"H3\", \"body\": \"B3\", \"identifier\": { \(first) } },\n      \"de-DE\": { \"header\": \"H4\""
                + (second.map { ", \"identifier\": { \($0) }" } ?? ""),
            code
        )
    }

    /// Pins with the right content, whose identifier something else has.
    static let sharedPins: [CatalogueRow] = [
        // Another text is pinned under it.
        row(
            pin("Production", "\"\(identifier)\"", version3),
            pin("Production", "¦\"\(identifier)\"", version4), "duplicate-identifier"),
        row(
            pin("Sandbox", "\"\(identifier)\"", version3),
            pin("Sandbox", "¦\"\(identifier.uppercased())\"", version4), "duplicate-identifier"),
        // Another text has it by its content.
        row(pin("Production", "¦\"\(production4)\"", version3), nil, "duplicate-identifier"),
        row(pin("Sandbox", "¦\"\(sandbox4)\"", version3), nil, "duplicate-identifier"),
        // An image has it by its content, or is pinned under it.
        row(pin("Production", "¦\"\(heroProduction)\"", version3), nil, "duplicate-identifier"),
        CatalogueRow(
            "\"size\": \"FULL_SIZE\" },\n    \"tick\": {",
            "\"size\": \"FULL_SIZE\", \"identifier\": { \(pin("Sandbox", "¦\"\(sandbox4)\"", heroVersion)) } },\n    \"tick\": {",
            "duplicate-identifier"
        ),
        // Another text is pinned under it in the other environment, or has it there by its content.
        row(
            pin("Production", "\"\(identifier)\"", version3), pin("Sandbox", "¦\"\(identifier)\"", version4),
            "shared-identifier"),
        row(pin("Production", "¦\"\(sandbox4)\"", version3), nil, "shared-identifier"),
        row(pin("Sandbox", "¦\"\(production4)\"", version3), nil, "shared-identifier"),
    ]
}
