extension CatalogueRows {
    /// The members of messages and texts, and what they refer to.
    static let messages: [CatalogueRow] = [
        CatalogueRow("\"kind\": \"offer\"", "\"kind\": ¦\"offers\"", "unknown-value"),
        CatalogueRow("\"kind\": \"offer\",\n", "", "missing-key").marking("\"offer\": ¦{"),
        CatalogueRow("\"kind\": \"offer\"", "\"kind\": \"offer\", ¦\"title\": \"x\"", "unknown-key"),
        CatalogueRow("\"kind\": \"offer\"", "\"kind\": \"offer\", ¦\"image\": \"hero\"", "image-not-allowed"),
        CatalogueRow("\"header\": \"H3\"", "\"header\": \"H3\", ¦\"image\": \"hero\"", "image-not-allowed"),
        CatalogueRow(
            "\"header\": \"H3\"",
            "\"header\": \"H3\", ¦\"bulletPoints\": [{ \"text\": \"T\", \"image\": \"tick\", \"altText\": \"A\" }]",
            "bullets-not-allowed"),
        CatalogueRow(
            "\"kind\": \"offer\"", "\"kind\": \"switch\", ¦\"image\": \"hero\"", "image-not-allowed"),
        CatalogueRow(
            "\"kind\": \"offer\"", "\"kind\": \"advancedCommerce\", ¦\"image\": \"hero\"", "image-not-allowed"
        ),
        CatalogueRow("\"ABOVE_IMAGE\"", "¦\"ABOVE\"", "unknown-value"),
        CatalogueRow(
            "\"kind\": \"offer\"", "\"kind\": \"offer\", \"whenUnapproved\": ¦\"last\"", "unknown-value"),
        CatalogueRow(
            "\"headerPosition\": \"ABOVE_IMAGE\", \"image\": \"hero\"",
            "\"headerPosition\": ¦\"ABOVE_IMAGE\"", "above-image-without-image", "unused-alt-text",
            "unused-alt-text", "unused-image"),
        CatalogueRow("\"image\": \"hero\"", "\"image\": ¦\"herro\"", "unknown-image", "unused-image"),
        CatalogueRow("\"image\": \"hero\"", "\"image\": ¦\"tick\"", "wrong-image-size", "unused-image"),
        CatalogueRow("\"image\": \"tick\"", "\"image\": ¦\"hero\"", "wrong-image-size", "unused-image"),
        CatalogueRow(", \"imageAltText\": \"A1\"", "", "missing-alt-text").marking("¦\"en-US\": {"),
        CatalogueRow("\"header\": \"H3\"", "\"header\": \"H3\", ¦\"imageAltText\": \"A\"", "unused-alt-text"),
        CatalogueRow("\"image\": \"tick\", ", "", "bullet-without-image", "unused-image").marking(
            "[¦{ \"text\""
        ),
        CatalogueRow("\"text\": \"T1\", ", "", "missing-key").marking("[¦{ \"image\""),
        CatalogueRow(", \"altText\": \"A2\"", "", "missing-key").marking("[¦{ \"text\""),
        CatalogueRow(
            "\"bulletPoints\": [",
            "\"bulletPoints\": ¦["
                + String(
                    repeating: "{ \"text\": \"T\", \"image\": \"tick\", \"altText\": \"A\" }, ", count: 5),
            "too-many-bullets"
        ),
        CatalogueRow("\"bulletPoints\": [", "\"bulletPoints\": [¦7, ", "wrong-type"),
        CatalogueRow("\"header\": \"H3\", ", "", "missing-key").marking("\"en-US\": ¦{ \"body\""),
        CatalogueRow("\"header\": \"H3\"", "\"header\": ¦7", "wrong-type"),
        CatalogueRow("\"header\": \"H3\"", "¦\"heading\": \"x\", \"header\": \"H3\"", "unknown-key"),
        CatalogueRow(
            "\"kind\": \"offer\",",
            "\"kind\": \"offer\", ¦\"fr-FR\": { \"header\": \"H\", \"body\": \"B\" },", "undeclared-locale"),
        CatalogueRow(
            "\"kind\": \"offer\",",
            "\"kind\": \"offer\", ¦\"en_US\": { \"header\": \"H\", \"body\": \"B\" },", "bad-locale"),
        CatalogueRow(
            "\"en-US\": { \"header\": \"H3\", \"body\": \"B3\" }", "\"en-US\": ¦[]", "wrong-type",
            "missing-locale"),
        CatalogueRow(",\n      \"de-DE\": { \"header\": \"H4\", \"body\": \"B4\" }", "", "missing-locale")
            .marking("¦\"offer\": {"),
        CatalogueRow(
            ",\n      \"en-US\": { \"header\": \"H3\", \"body\": \"B3\" },\n      \"de-DE\": { \"header\": \"H4\", \"body\": \"B4\" }",
            "", "empty"
        ).marking("¦\"offer\": {"),
        CatalogueRow("\"offer\": {", "\"gone\": ¦[], \"offer\": {", "wrong-type"),
    ]

    /// Texts that are empty or look like something else.
    static let texts: [CatalogueRow] = [
        CatalogueRow("\"H3\"", "¦\"\"", "bad-length"),
        CatalogueRow("\"H3\"", "¦\" \\u00a0\"", "bad-length"),
        CatalogueRow("\"H3\"", "¦\" H3\"", "surrounding-space"),
        CatalogueRow("\"H3\"", "¦\"H3\\u00a0\"", "surrounding-space"),
        CatalogueRow("\"H3\"", "¦\"Save <b>now</b>\"", "markup"),
        CatalogueRow("\"H3\"", "¦\"</script><script>alert(1)</script>\"", "markup"),
        CatalogueRow("\"H3\"", "¦\"Maps &amp; routes\"", "markup"),
        CatalogueRow("\"H3\"", "¦\"1 < 2 & 3 &#x41;\"", "markup"),
        CatalogueRow("\"H3\"", "¦\"Stay 😀\"", "emoji"),
        CatalogueRow("\"H3\"", "¦\"Stay ☀️\"", "emoji"),
        CatalogueRow("\"H3\"", "¦\"One 1️⃣\"", "emoji"),
        CatalogueRow("\"H3\"", "¦\"Stay 👨‍👩‍👧\"", "emoji"),
        CatalogueRow("\"H3\"", "¦\"Now 4,99 €\"", "price"),
        CatalogueRow("\"H3\"", "¦\"Only $5\"", "price"),
        CatalogueRow("\"H3\"", "¦\"USD 5 a month\"", "price"),
        CatalogueRow("\"H3\"", "¦\"Nur 5 EUR\"", "price"),
        CatalogueRow("\"H3\"", "¦\"٥ ﷼\"", "price"),
    ]

    /// Characters that nobody sees, or that change what is seen.
    static let characters: [CatalogueRow] = [
        CatalogueRow("\"H3\"", "¦\"a\\u0007b\"", "control-character"),
        CatalogueRow("\"H3\"", "¦\"a\\u001b[31mb\"", "control-character"),
        CatalogueRow("\"H3\"", "¦\"a\\tb\"", "control-character"),
        CatalogueRow("\"H3\"", "¦\"a\\u007fb\"", "control-character"),
        CatalogueRow("\"H3\"", "¦\"a\\u0085b\"", "control-character"),
        CatalogueRow("\"H3\"", "¦\"a\\nb\"", "line-break"),
        CatalogueRow("\"H3\"", "¦\"a\\r\\nb\"", "line-break"),
        CatalogueRow("\"H3\"", "¦\"a\\u2028b\"", "line-break"),
        CatalogueRow("\"H3\"", "¦\"a\\u202eb\"", "direction-mark"),
        CatalogueRow("\"H3\"", "¦\"a\\u2066b\\u2069\"", "direction-mark"),
        CatalogueRow("\"H3\"", "¦\"a\\u200fb\"", "direction-mark"),
        CatalogueRow("\"H3\"", "¦\"a\\u2063b\"", "invisible-character"),
        CatalogueRow("\"H3\"", "¦\"a\\u200bb\"", "invisible-character"),
        CatalogueRow("\"H3\"", "¦\"a\\ufeffb\"", "invisible-character"),
        CatalogueRow("\"H3\"", "¦\"a\\u00adb\"", "invisible-character"),
        CatalogueRow("\"H3\"", "¦\"a\\udb40\\udc01b\"", "invisible-character"),
        CatalogueRow(
            "\"H3\"", "¦\"a\\u0001\\u202e\\u2063<b>\\n\"", "control-character", "direction-mark",
            "invisible-character", "line-break", "markup", "surrounding-space"),
    ]

    /// Each text with Apple's limit: the limit is passed by one in graphemes, code points and UTF-16 units alike; in code
    /// points and UTF-16 units; in UTF-16 units alone.
    static let lengths: [CatalogueRow] = limits.flatMap { old, limit in
        func row(_ text: String, _ code: String) -> CatalogueRow {
            CatalogueRow("\"\(old)\"", "¦\"\(text)\"", code)
        }
        let plain = String(repeating: "a", count: limit)
        return [
            row(plain + "b", "text-too-long"),
            row(String(repeating: "e\u{301}", count: limit + 1), "text-too-long"),
            row(plain.dropLast() + "e\u{301}", "length-unclear"),
            row(String(repeating: "e\u{301}", count: limit), "length-unclear"),
            row(plain.dropLast() + "\u{1D49C}", "length-unclear"),
        ]
    }

    /// The texts of the good catalogue that have a limit.
    static let limits = [("H1", 66), ("B1", 144), ("A1", 150), ("T1", 66), ("A2", 150)]
}
