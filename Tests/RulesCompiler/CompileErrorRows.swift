/// Rows for every kind of mistake in a source.
enum CompileErrorRows {
    static let all =
        json + root + locales + messages + rules + conditions + products + facts + segments + splits + caps
        + outcomes + commerce + predicates + tests

    private static let json = [
        CompileError("\"killSwitch\": false", "\"killSwitch\": ¦nope", "json.syntax"),
        CompileError("\"killSwitch\": false", "\"killSwitch\": false, ¦\"format\": 1", "json.duplicate-key"),
        CompileError("\"Wachstüm\"", "\"Wachs¦\\u0000tüm\"", "json.contains-nul"),
        CompileError("6745974591", "¦99999999999999999999", "json.number-out-of-range"),
    ]

    private static let root = [
        CompileError(
            "\"format\"", "¦\"fromat\": 1, \"format\"", "rules.unknown-key", hint: "did you mean \"format\"?"),
        CompileError("\"format\"", "¦\"zzz\": 1, \"format\"", "rules.unknown-key"),
        CompileError(
            "{\n  \"$schema\": \"./rules.schema.json\",\n  \"format\": 1,", "¦{", "rules.missing-key"),
        CompileError(
            "\"format\": 1", "\"format\": ¦2", "rules.unknown-format", hint: "this version compiles 1"),
        CompileError("\"format\": 1", "\"format\": ¦1.0", "rules.wrong-type").unseen(),
        CompileError("\"./rules.schema.json\"", "¦1", "rules.wrong-type"),
        CompileError(
            "{ \"appAppleId\": 6745974591, \"bundleId\": \"com.example.app\" }", "¦7", "rules.wrong-type"),
        CompileError("6745974591", "¦0", "rules.bad-number"),
        CompileError("6745974591", "¦\"6745974591\"", "rules.wrong-type"),
        CompileError("{ \"appAppleId\": 6745974591,", "¦{", "rules.missing-key"),
        CompileError("\"appAppleId\"", "¦\"name\": \"\", \"appAppleId\"", "rules.unknown-key"),
        CompileError(
            "\"environment\": \"Production\"", "\"environment\": ¦\"production\"",
            "rules.unknown-environment", hint: "did you mean \"Production\"?"),
        CompileError(
            "\"environment\": \"Production\"", "\"environment\": ¦\"Xcode\"", "rules.unknown-environment",
            hint: "one of Production, Sandbox, LocalTesting"),
        CompileError("\"Wachstüm\"", "¦3", "rules.wrong-type"),
        CompileError(
            "\"owner\": \"Wachstüm\" }", "\"owner\": \"Wachstüm\", \"ä\": ¦null }", "rules.wrong-type"),
        CompileError("\"killSwitch\": false", "\"killSwitch\": ¦\"false\"", "rules.wrong-type"),
    ]

    private static let locales = [
        CompileError(
            "\"last\": \"en-US\"", "\"last\": ¦\"en_US\"", "rules.bad-locale", hint: "did you mean \"en-US\"?"
        ),
        CompileError(
            "\"last\": \"en-US\"", "\"last\": ¦\"en-us\"", "rules.bad-locale", hint: "did you mean \"en-US\"?"
        ),
        CompileError("\"last\": \"en-US\"", "\"last\": ¦\"english\"", "rules.bad-locale"),
        CompileError(
            "\"last\": \"en-US\"", "\"last\": ¦\"zh-hans\"", "rules.bad-locale",
            hint: "did you mean \"zh-Hans\"?"),
        CompileError("\"last\": \"en-US\"", "\"last\": ¦null", "rules.wrong-type"),
        CompileError(
            "\"last\"", "¦\"lost\": \"en-US\", \"last\"", "rules.unknown-key", hint: "did you mean \"last\"?"),
        CompileError("\"es-MX\"", "¦\"es_MX\"", "rules.bad-locale", hint: "did you mean \"es-MX\"?"),
        CompileError("\"es-419\"", "¦\"es_419\"", "rules.bad-locale", hint: "did you mean \"es-419\"?"),
        CompileError("\"en-GB\": \"en-US\"", "¦\"en-GB\": \"en-GB\"", "rules.locale-cycle"),
        CompileError(
            "\"en-GB\": \"en-US\"", "¦\"en-GB\": \"en-US\", \"en-US\": \"en-GB\"", "rules.locale-cycle"),
        CompileError("{ \"es-MX\": \"es-419\", \"en-GB\": \"en-US\" }", "¦[]", "rules.wrong-type"),
    ]

    private static let message =
        "{ \"kind\": \"text\", \"ids\": { \"en-US\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" } }"

    private static let messages = [
        CompileError("\"go_annual\": {", "¦\"go annual\": \(message), \"go_annual\": {", "rules.bad-name"),
        CompileError("\"go_annual\": {", "¦\"\": \(message), \"go_annual\": {", "rules.bad-name"),
        CompileError(
            "\"kind\": \"switch\"", "\"kind\": ¦\"swich\"", "rules.unknown-message-kind",
            hint: "did you mean \"switch\"?"),
        CompileError("\"kind\": \"switch\", ", "", "rules.missing-key").marking("\"go_annual\": ¦{"),
        CompileError("{ \"en-US\": \"ed7f25fc-5741-46a3-8502-062e0fb8afd0\" }", "¦{}", "rules.no-locale"),
        CompileError("\"ed7f25fc-5741", "¦\"ed7f25fc5741", "rules.bad-uuid"),
        CompileError("\"ed7f25fc-5741", "¦\"gd7f25fc-5741", "rules.bad-uuid"),
        CompileError(
            "{ \"en-US\": \"ed7f25fc", "{ ¦\"en_US\": \"ed7f25fc", "rules.bad-locale",
            hint: "did you mean \"en-US\"?"),
        CompileError(
            "{ \"kind\": \"switch\"", "{ ¦\"image\": \"\", \"kind\": \"switch\"", "rules.unknown-key"),
        CompileError("\"unapproved\": { \"8", "\"unapproved\": { ¦\"", "rules.bad-uuid"),
        CompileError("\"unapproved\": { \"8", "\"unapproved\": { ¦\"9", "rules.unknown-identifier").unseen(),
        CompileError("\"PENDING\" }", "¦\"APPROVED\" }", "rules.unknown-value"),
        CompileError("\"PENDING\" }", "¦true }", "rules.wrong-type"),
    ]

    private static let rules = [
        CompileError(
            "{ \"id\": \"first\"", "{ ¦\"enbaled\": true, \"id\": \"first\"", "rules.unknown-key",
            hint: "did you mean \"enabled\"?"),
        CompileError("{ \"id\": \"third\",", "¦{", "rules.missing-key"),
        CompileError(
            "\"id\": \"third\"", "\"id\": ¦\"first\"", "rules.duplicate-id", hint: "first in rules[0]"),
        CompileError("\"id\": \"third\"", "\"id\": ¦\"a\\nb\"", "rules.bad-name"),
        CompileError("\"enabled\": true", "\"enabled\": ¦1", "rules.wrong-type"),
        CompileError("\"2026-11-01T00:00:00Z\"", "¦\"2026-11-31T00:00:00Z\"", "rules.bad-date").unseen(),
        CompileError("\"2026-11-01T00:00:00Z\"", "¦\"2026-11-01T00:00:00+01:00\"", "rules.bad-date"),
        CompileError("\"2026-11-01T00:00:00Z\"", "¦1793491200000", "rules.wrong-type"),
        CompileError("\"2026-12-31T00:00:00Z\"", "¦\"2026-11-01T00:00:00Z\"", "rules.bad-window").unseen(),
        CompileError(
            "{ \"from\": \"2026-11-01T00:00:00Z\", \"to\": \"2026-12-31T00:00:00Z\" }", "¦{}",
            "rules.bad-window"),
        CompileError(
            "{ \"message\": \"reminder\" } },\n    {", "{ \"message\": ¦\"remainder\" } },\n    {",
            "rules.unknown-message", hint: "did you mean \"reminder\"?"),
        CompileError(
            "{ \"message\": \"reminder\" } },\n    {", "{ \"message\": ¦\"go_annual\" } },\n    {",
            "rules.wrong-message-kind"),
        CompileError("{ \"message\": \"reminder\" } },\n    {", "¦{} },\n    {", "rules.missing-key"),
        CompileError("\"serve\": \"none\"", "\"serve\": ¦\"reminder\"", "rules.wrong-type"),
        CompileError("\"serve\": \"none\"", "\"serve\": ¦null", "rules.wrong-type"),
        CompileError(
            ",\n      \"serve\": { \"message\": \"reminder\" } },\n    {", " },\n    {", "rules.missing-key"
        ).marking("[\n    ¦{ \"id\": \"first\""),
        CompileError(
            "\"default\": { \"serve\": { \"message\": \"reminder\" } }", "\"default\": ¦{}",
            "rules.missing-key"),
        CompileError("\"default\": {", "\"default\": { ¦\"id\": \"d\",", "rules.unknown-key"),
    ]

    private static let conditions = [
        CompileError("{ \"fact\": \"language\", \"ne\": \"fr\" }", "¦{}", "rules.missing-key"),
        CompileError(
            "{ \"fact\": \"language\", \"ne\": \"fr\" }", "¦{ \"fact\": \"language\" }", "rules.missing-key"),
        CompileError("{ \"fact\": \"language\", \"ne\": \"fr\" }", "¦7", "rules.wrong-type"),
        CompileError(
            "\"fact\": \"language\"", "\"fact\": ¦\"lanuage\"", "rules.unknown-fact",
            hint: "did you mean \"language\"?"),
        CompileError(
            "{ \"fact\": \"language\", \"ne\": \"fr\" }",
            "¦{ \"fact\": \"language\", \"ne\": \"fr\", \"eq\": \"en\" }", "rules.ambiguous-condition"),
        CompileError(
            "{ \"fact\": \"language\", \"ne\": \"fr\" }", "¦{ \"fact\": \"language\", \"any\": [] }",
            "rules.ambiguous-condition"),
        CompileError(
            "{ \"fact\": \"language\", \"ne\": \"fr\" }",
            "{ ¦\"equals\": \"fr\", \"fact\": \"language\", \"ne\": \"fr\" }", "rules.unknown-key"),
        CompileError("{ \"any\": [", "{ ¦\"fatc\": 1, \"any\": [", "rules.unknown-key"),
        CompileError("\"ne\": \"fr\"", "\"ne\": ¦\"fr-FR\"", "rules.bad-locale"),
        CompileError("\"ne\": \"fr\"", "\"ne\": ¦true", "rules.wrong-type"),
        CompileError(
            "\"eq\": \"de-DE\"", "\"eq\": ¦\"de_DE\"", "rules.bad-locale", hint: "did you mean \"de-DE\"?"),
        CompileError(
            "\"prefix\": \"en\"", "\"prefix\": ¦\"en_\"", "rules.bad-locale", hint: "did you mean \"en-\"?"),
        CompileError("\"eq\": \"Production\" }", "\"eq\": ¦\"Prod\" }", "rules.unknown-environment"),
        CompileError("[\"pro_monthly\", \"pro\"]", "¦[]", "rules.empty-list"),
        CompileError("[\"pro_monthly\", \"pro\"]", "¦\"pro_monthly\"", "rules.wrong-type"),
        CompileError("[\"pro_monthly\", \"pro\"]", "[\"pro_monthly\", ¦7]", "rules.wrong-type"),
        CompileError(
            "{ \"any\": [ { \"fact\": \"userLocale\", \"prefix\": \"en\" } ] }", "{ \"any\": ¦[] }",
            "rules.empty-list"),
        CompileError("\"ne\": \"2026-11-21T00:00:00Z\"", "\"ne\": ¦1795226400000", "rules.wrong-type"),
        CompileError("\"ne\": \"2026-11-21T00:00:00Z\"", "\"ne\": ¦\"2026-11-21\"", "rules.bad-date"),
        CompileError("\"ne\": \"2026-11-21T00:00:00Z\"", "¦\"prefix\": \"2026\"", "rules.wrong-operation")
            .seen(),
        CompileError(
            "{ \"fact\": \"userLocale\", \"prefix\": \"en\" }",
            String(repeating: "{ \"not\": ", count: 7)
                + "{ ¦\"not\": { \"fact\": \"language\", \"eq\": \"en\" } }"
                + String(repeating: " }", count: 7),
            "rules.too-deep"
        ),
    ]
}
