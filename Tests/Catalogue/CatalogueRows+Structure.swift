/// The zoo: wrong and odd catalogues.
enum CatalogueRows {
    static let all =
        structure + names + messages + texts + characters + lengths + images + defaults + pins + sharedPins

    /// What the JSON text and the values beside messages can have.
    static let structure: [CatalogueRow] = [
        CatalogueRow("\"format\": 1,", "\"format\": 1¦ \"x\": 2,", "json.syntax").marking(
            "\"format\": 1 ¦\"x\""
        ),
        CatalogueRow("\"format\": 1,", "\"format\": 1, ¦\"format\": 1,", "json.duplicate-key"),
        CatalogueRow("\"H1\"", "\"H¦\\u0000\"", "json.contains-nul"),
        CatalogueRow("\"format\": 1,", "\"format\": ¦2,", "unknown-format"),
        CatalogueRow("\"format\": 1,", "\"format\": ¦\"1\",", "wrong-type"),
        CatalogueRow("\"format\": 1,\n", "", "missing-key").marking("¦{\n    \"app\""),
        CatalogueRow("\"format\": 1,", "\"format\": 1, ¦\"realtimeUrl\": {},", "unknown-key"),
        CatalogueRow("\"format\": 1,", "\"format\": 1, \"$schema\": ¦7,", "wrong-type"),
        CatalogueRow("\"appAppleId\": 7", "\"appAppleId\": ¦0", "bad-number"),
        CatalogueRow("\"appAppleId\": 7", "\"appAppleId\": ¦\"7\"", "wrong-type"),
        CatalogueRow("{ \"appAppleId\": 7, ", "¦{ ", "missing-key"),
        CatalogueRow("\"com.example.app\"", "¦\"\"", "bad-length"),
        CatalogueRow("\"com.example.app\"", "¦\"com:example\"", "bad-name"),
        CatalogueRow("\"com.example.app\"", "¦\"com.\\u0007\"", "bad-name"),
        CatalogueRow("\"com.example.app\"", "¦\"a/../../b\"", "bad-name"),
        CatalogueRow("\"com.example.app\"", "¦\"com.`<b>`\"", "bad-name"),
        CatalogueRow("\"com.example.app\"", "¦\"\(String(repeating: "a", count: 156))\"", "bad-length"),
        CatalogueRow("\"5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41\"", "¦\"5d1f6a0e\"", "bad-uuid"),
        CatalogueRow("\"5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41\"", "¦null", "wrong-type"),
        CatalogueRow("[\"en-US\", \"de-DE\"]", "¦[]", "empty"),
        CatalogueRow("[\"en-US\", \"de-DE\"]", "¦{}", "wrong-type"),
        CatalogueRow("[\"en-US\",", "[¦\"en_US\",", "bad-locale"),
        CatalogueRow("[\"en-US\",", "[¦\"EN-us\",", "bad-locale"),
        CatalogueRow("\"de-DE\"]", "\"de-DE\", ¦\"english\"]", "bad-locale"),
        CatalogueRow("\"de-DE\"]", "\"de-DE\", ¦\"de-DE\"]", "duplicate-locale"),
        CatalogueRow(
            "\"de-DE\"]", "\"de-DE\", ¦\"en-UK\"]", "unknown-locale", "missing-locale", "missing-locale",
            "missing-default", "missing-default"),
        CatalogueRow(
            "\"de-DE\"]", "\"de-DE\", ¦\"ja-JP\"]", "unknown-locale", "missing-locale", "missing-locale",
            "missing-default", "missing-default"),
        CatalogueRow("{ \"Production\": ", "{ ¦\"Xcode\": \"\", \"Production\": ", "unknown-key"),
        CatalogueRow("\"https://example.com/a\"", "¦\"http://example.com/a\"", "bad-url"),
        CatalogueRow("\"https://example.com/a\"", "¦\"https:///a\"", "bad-url"),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://example.com:99999/\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://me:secret@example.com/\"", "bad-url"),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://example.com/a b\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://exämple.com/\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://example.com/#a\"", "bad-url"),
        CatalogueRow(
            "\"https://example.com/a\"", "¦\"https://e.com/\(String(repeating: "a", count: 243))\"", "bad-url"
        ),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://[\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://[::1]x/\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://a,b/\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://example.com:+443/\"", "bad-url"),
        CatalogueRow("\"https://example.com/a\"", "¦\"https://example.com/%zz\"", "bad-url").unseen(),
        CatalogueRow("\"https://example.com/a\"", "¦7", "wrong-type"),
    ]

    /// Names of products, images and messages.
    static let names: [CatalogueRow] = [
        CatalogueRow("\"annual\": {} }", "\"annual\": {}, ¦\"*\": {} }", "bad-name"),
        CatalogueRow("\"annual\": {} }", "\"annual\": {}, ¦\"a b\": {} }", "bad-name"),
        CatalogueRow("\"annual\": {} }", "\"annual\": {}, ¦\"\": {} }", "bad-name"),
        CatalogueRow("\"annual\": {} }", "\"annual\": {}, ¦\".\": {} }", "bad-name"),
        CatalogueRow("\"annual\": {} }", "\"annual\": {}, ¦\"..\": {} }", "bad-name"),
        CatalogueRow("\"annual\": {} }", "\"annual\": {}, \"x\": ¦[] }", "wrong-type"),
        CatalogueRow("{ \"group\": \"pro\" }", "{ ¦\"groups\": \"pro\" }", "unknown-key"),
        CatalogueRow("{ \"group\": \"pro\" }", "{ \"group\": ¦\"\" }", "bad-length"),
        CatalogueRow("\"offer\": {", "¦\"Offer\": {", "bad-name"),
        CatalogueRow("\"offer\": {", "¦\"\": {", "bad-name"),
        CatalogueRow("\"offer\": {", "¦\"öffer\": {", "bad-name"),
        CatalogueRow("\"offer\": {", "¦\"\(String(repeating: "a", count: 129))\": {", "bad-name"),
        CatalogueRow(
            "\"tick\": { \"file\"",
            "¦\"tick.png\": { \"file\": \"images/tick.png\", \"size\": \"BULLET_POINT\" }, \"tick\": { \"file\"",
            "bad-name", "unused-image"),
    ]

    static let defaults: [CatalogueRow] = [
        CatalogueRow("\"*\": \"reminder\"", "\"*\": ¦\"remainder\"", "unknown-message", "missing-default"),
        CatalogueRow("\"*\": \"reminder\"", "\"*\": ¦\"offer\"", "wrong-message-kind"),
        CatalogueRow("\"*\": \"reminder\"", "\"*\": ¦7", "wrong-type", "missing-default"),
        CatalogueRow("\"*\": \"reminder\"", "\"*\": ¦{}", "empty", "missing-default"),
        CatalogueRow(
            "\"*\": \"reminder\"", "\"*\": { ¦\"msg\": \"reminder\" }", "unknown-key", "missing-default"),
        CatalogueRow(
            "\"defaults\": { \"*\": \"reminder\", \"annual\": { \"message\": \"reminder\", "
                + "\"locales\": { \"de-DE\": \"reminder\" } } },",
            "",
            "missing-default"
        ).marking("¦\"products\": {"),
        CatalogueRow("{ \"*\": \"reminder\", ", "{ ", "missing-default").marking("¦\"monthly\": {"),
        CatalogueRow("\"*\": \"reminder\", \"annual\"", "\"*\": \"reminder\", ¦\"anual\"", "unknown-product"),
        CatalogueRow("\"locales\": { \"de-DE\"", "\"locales\": { ¦\"fr-FR\"", "undeclared-locale"),
        CatalogueRow("\"locales\": { \"de-DE\"", "\"locales\": { ¦\"de_DE\"", "bad-locale"),
        CatalogueRow(
            "\"kind\": \"text\", \"headerPosition\"",
            "\"kind\": \"text\", \"product\": \"annual\", \"headerPosition\"", "wrong-product"
        ).marking("\"*\": ¦\"reminder\""),
        CatalogueRow(
            "\"kind\": \"text\", \"headerPosition\"",
            "\"kind\": \"text\", \"product\": ¦\"anual\", \"headerPosition\"", "unknown-product",
            "wrong-product", "wrong-product", "wrong-product"),
        CatalogueRow(
            "\"*\": \"reminder\", \"annual\": { \"message\": \"reminder\",", "¦\"annual\": {",
            "missing-default", "missing-default"),
    ]
}
