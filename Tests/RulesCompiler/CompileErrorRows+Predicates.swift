/// Rows for predicates on facts of every kind, and for embedded tests.
extension CompileErrorRows {
    /// Returns a row that replaces a predicate of the good source by `text`.
    private static func predicate(_ text: String, _ code: String, hint: String? = nil) -> CompileError {
        CompileError("{ \"fact\": \"language\", \"ne\": \"fr\" }", text, code, hint: hint)
    }

    static let predicates = [
        predicate(
            "{ \"fact\": ¦\"paidPeriod\", \"eq\": 1 }", "rules.unknown-fact",
            hint: "did you mean \"paidPeriods\"?"
        ).unseen(),
        // Operations under the names that other languages have for them.
        predicate(
            "{ \"fact\": \"storefront\", ¦\"equals\": \"USA\" }", "rules.unknown-key",
            hint: "did you mean \"eq\"?"),
        predicate(
            "{ \"fact\": \"storefront\", ¦\"starts_with\": \"U\" }", "rules.unknown-key",
            hint: "did you mean \"prefix\"?"),
        predicate(
            "{ \"fact\": \"storefront\", ¦\"contains\": \"U\" }", "rules.unknown-key",
            hint: "did you mean \"in\"?"),
        predicate(
            "{ \"fact\": \"paidPeriods\", ¦\"greaterThan\": 3 }", "rules.unknown-key",
            hint: "did you mean \"gt\"?"),
        predicate(
            "{ \"fact\": \"paidPeriods\", ¦\"<=\": 3 }", "rules.unknown-key", hint: "did you mean \"lte\"?"),
        predicate(
            "¦{ \"fact\": \"paidPeriods\", \"not\": 3 }", "rules.ambiguous-condition",
            hint: "did you mean \"ne\"?"),
        predicate("{ ¦\"and\": [] }", "rules.unknown-key", hint: "did you mean \"all\"?"),
        predicate("{ \"fact\": \"paidPeriods\", \"gt\": ¦\"3\" }", "rules.wrong-type"),
        predicate("{ \"fact\": \"paidPeriods\", \"gt\": ¦3.0 }", "rules.wrong-type").unseen(),
        predicate("{ \"fact\": \"paidPeriods\", \"eq\": ¦true }", "rules.wrong-type").unseen(),
        predicate("{ \"fact\": \"paidPeriods\", \"in\": [1, ¦\"2\"] }", "rules.wrong-type").unseen(),
        predicate("{ \"fact\": \"inTrial\", \"eq\": ¦\"true\" }", "rules.wrong-type").unseen(),
        predicate("{ \"fact\": \"inTrial\", \"eq\": ¦1 }", "rules.wrong-type").unseen(),
        predicate(
            "{ \"fact\": \"inTrial\", ¦\"gt\": 1 }", "rules.wrong-operation",
            hint: "one of eq, ne, in, notIn, exists"
        ).unseen(),
        predicate("{ \"fact\": \"factsFound\", ¦\"lt\": 1 }", "rules.wrong-operation").seen(),
        predicate("{ \"fact\": \"factsFound\", \"eq\": ¦1 }", "rules.wrong-type"),
        predicate("{ \"fact\": \"factsAgeSeconds\", ¦\"youngerThanDays\": 1 }", "rules.wrong-operation")
            .seen(),
        predicate("{ \"fact\": \"factsAgeSeconds\", \"gte\": ¦\"1\" }", "rules.wrong-type"),
        predicate("{ \"fact\": \"storefront\", ¦\"gte\": \"USA\" }", "rules.wrong-operation").seen(),
        predicate("{ \"fact\": \"storefront\", ¦\"between\": [1, 2] }", "rules.wrong-operation").unseen(),
        predicate("{ \"fact\": \"storefront\", \"eq\": ¦840 }", "rules.wrong-type").unseen(),
        predicate("{ \"fact\": \"productId\", ¦\"lt\": \"a\" }", "rules.wrong-operation").seen(),
        predicate("{ \"fact\": \"now\", \"lt\": ¦\"2026\" }", "rules.bad-date"),
        predicate("{ \"fact\": \"now\", \"lt\": ¦7 }", "rules.wrong-type"),
        predicate("{ \"fact\": \"lastOfferAt\", \"lte\": ¦\"yesterday\" }", "rules.bad-date"),
        predicate("{ \"fact\": \"lastOfferAt\", \"olderThanDays\": ¦-1 }", "rules.bad-number"),
        predicate("{ \"fact\": \"lastOfferAt\", \"olderThanDays\": ¦\"30\" }", "rules.wrong-type"),
        predicate("{ \"fact\": \"lastOfferAt\", ¦\"prefix\": \"2026\" }", "rules.wrong-operation").unseen(),
        predicate("{ \"fact\": \"lastOfferAt\", \"exists\": ¦1 }", "rules.wrong-type"),
        predicate("{ \"fact\": \"paidPeriods\", \"between\": ¦[3] }", "rules.bad-range"),
        predicate("{ \"fact\": \"paidPeriods\", \"between\": ¦[1, 2, 3] }", "rules.too-many"),
        predicate("{ \"fact\": \"paidPeriods\", \"between\": ¦[3, 2] }", "rules.bad-range").unseen(),
        predicate("{ \"fact\": \"paidPeriods\", \"between\": [3, ¦\"4\"] }", "rules.wrong-type"),
        predicate(
            "{ \"fact\": \"plan\", \"eq\": ¦\"studnt\" }", "rules.unknown-value",
            hint: "did you mean \"student\"?"
        ).unseen(),
        predicate("{ \"fact\": \"plan\", \"notIn\": [\"regular\", ¦\"family\"] }", "rules.unknown-value")
            .unseen(),
        predicate("{ \"fact\": \"plan\", \"prefix\": ¦\"fam\" }", "rules.unknown-value").unseen(),
    ]

    private static let reasons =
        "one of TARGETING_MATCH, SPLIT, DEFAULT, HOLDOUT, CAPPED, UNAPPROVED, NO_LOCALE, KILL_SWITCH, NONE"

    static let tests = [
        CompileError("\"name\": \"silence\",", "", "rules.missing-key").marking("\"tests\": [\n    ¦{ "),
        CompileError("\"name\": \"loyal\"", "\"name\": ¦\"silence\"", "rules.duplicate-name").unseen(),
        CompileError("\"name\": \"loyal\"", "\"name\": ¦\"\"", "rules.bad-length"),
        CompileError("\"name\": \"loyal\"", "¦\"nane\": 1, \"name\": \"loyal\"", "rules.unknown-key"),
        CompileError("\"productId\": \"news\", ", "", "rules.missing-key").marking(
            "\"given\": ¦{ \"userLocale\": \"en-US\""
        ),
        CompileError(
            "\"productId\": \"news\"", "¦\"product\": \"news\", \"productId\": \"news\"", "rules.unknown-key"),
        CompileError("\"userLocale\": \"en-US\"", "\"userLocale\": ¦\"en_US\"", "rules.bad-locale"),
        CompileError("\"originalTransactionId\": \"1\"", "\"originalTransactionId\": ¦1", "rules.wrong-type"),
        CompileError("\"2026-11-21T00:00:00.5Z\"", "¦\"2026-11-21T24:00:00Z\"", "rules.bad-date").unseen(),
        CompileError("\"factsAgeSeconds\": 60", "\"factsAgeSeconds\": ¦-1", "rules.bad-number"),
        CompileError(
            "\"plan\": \"regular\"", "¦\"plans\": \"regular\"", "rules.unknown-fact",
            hint: "did you mean \"plan\"?"
        ).unseen(),
        CompileError("\"plan\": \"regular\"", "¦\"factsFound\": true", "rules.unknown-fact").seen(),
        CompileError("\"plan\": \"regular\"", "\"plan\": ¦\"family\"", "rules.unknown-value").unseen(),
        CompileError("\"paidPeriods\": 6", "\"paidPeriods\": ¦null", "rules.wrong-type"),
        CompileError("\"paidPeriods\": 6", "\"paidPeriods\": ¦\"6\"", "rules.wrong-type").unseen(),
        CompileError(
            "\"rule\": \"second\"", "\"rule\": ¦\"secnd\"", "rules.unknown-rule",
            hint: "did you mean \"second\"?"
        ).unseen(),
        CompileError("\"rule\": \"second\"", "\"rule\": ¦2", "rules.wrong-type"),
        CompileError(
            "\"rule\": \"second\"", "\"rule\": \"second\", \"arm\": ¦\"a\"", "rules.unknown-arm",
            hint: "the rule has no variants"
        ).unseen(),
        CompileError(
            "\"rule\": \"second\"", "\"rule\": \"third\", \"arm\": ¦\"swich\"", "rules.unknown-arm",
            hint: "did you mean \"switch\"?"
        ).unseen(),
        CompileError("\"default\": true", "¦\"arm\": \"a\", \"default\": true", "rules.bad-expectation"),
        CompileError("\"default\": true", "¦\"default\": false", "rules.bad-expectation"),
        CompileError("\"default\": true", "\"rule\": \"first\", ¦\"default\": true", "rules.bad-expectation"),
        CompileError(
            "\"default\": true, \"message\": \"reminder\"", "\"message\": \"reminder\", \"serve\": ¦\"none\"",
            "rules.bad-expectation"),
        CompileError(
            "\"default\": true, \"message\": \"reminder\"", "\"message\": ¦\"remainder\"",
            "rules.unknown-message"
        ).unseen(),
        CompileError(
            "\"DEFAULT\"", "¦\"Default\"", "rules.unknown-reason", hint: "did you mean \"DEFAULT\"?"),
        CompileError("\"DEFAULT\"", "¦\"DISABLED\"", "rules.unknown-reason", hint: reasons),
        CompileError("\"DEFAULT\"", "¦\"STALE\"", "rules.unknown-reason", hint: reasons),
        CompileError("\"DEFAULT\"", "¦\"SIGN_FAILED\"", "rules.unknown-reason", hint: reasons),
        CompileError(
            "{ \"default\": true, \"message\": \"reminder\", \"reason\": \"DEFAULT\" }", "¦{}",
            "rules.missing-key"),
        CompileError("\"default\": true", "¦\"defualt\": true, \"default\": true", "rules.unknown-key"),
    ]
}
