/// Rows for products, facts, segments, splits, caps and outcomes.
extension CompileErrorRows {
    static let products = [
        CompileError("{ \"group\": \"news\" }", "¦\"news\"", "rules.wrong-type"),
        CompileError("{ \"group\": \"news\" }", "{ ¦\"groop\": \"news\" }", "rules.unknown-key"),
        CompileError("{ \"group\": \"news\" }", "{ \"group\": ¦\"\" }", "rules.bad-length"),
        CompileError("\"unknown\": {}", "¦\"\": {}", "rules.bad-length"),
    ]

    static let facts = [
        CompileError(
            "\"bool\"", "¦\"boolean\"", "rules.unknown-fact-kind",
            hint: "one of bool, int, date, string, enum(a, b)"),
        CompileError("\"date\"", "¦\"data\"", "rules.unknown-fact-kind", hint: "did you mean \"date\"?"),
        CompileError("\"bool\"", "¦1", "rules.wrong-type"),
        CompileError(
            "\"storefront\": \"string\"", "¦\"store front\": \"string\", \"storefront\": \"string\"",
            "rules.bad-name"),
        CompileError(
            "\"storefront\": \"string\"", "¦\"now\": \"date\", \"storefront\": \"string\"",
            "rules.reserved-name"),
        CompileError("\"enum(student, regular)\"", "¦\"enum(student, regular\"", "rules.bad-enum"),
        CompileError("\"enum(student, regular)\"", "¦\"enum(student,, regular)\"", "rules.bad-enum"),
        CompileError("\"enum(student, regular)\"", "¦\"enum(student, (regular))\"", "rules.bad-enum"),
        CompileError("\"enum(student, regular)\"", "¦\"enum(student, student)\"", "rules.bad-enum").unseen(),
        CompileError(
            "\"enum(student, regular)\"", "¦\"enum(\((0...1000).map { "v\($0)" }.joined(separator: ",")))\"",
            "rules.too-many"
        ).unseen(),
    ]

    static let segments = [
        CompileError(
            "\"monthly\": {", "¦\"month ly\": { \"fact\": \"now\", \"exists\": true }, \"monthly\": {",
            "rules.bad-name"),
        CompileError(
            "\"segment\": \"monthly\"", "\"segment\": ¦\"montly\"", "rules.unknown-segment",
            hint: "did you mean \"monthly\"?"),
        CompileError("\"segment\": \"monthly\"", "\"segment\": ¦1", "rules.wrong-type"),
        CompileError(
            "{ \"segment\": \"monthly\" }", "{ ¦\"name\": 1, \"segment\": \"monthly\" }", "rules.unknown-key"),
        CompileError("{ \"segment\": \"monthly\" }", "{ \"segment\": \"loyal\" }", "rules.segment-cycle")
            .marking("¦\"loyal\": {"),
        CompileError(
            "\"monthly\": { \"fact\": \"productId\", \"eq\": \"pro_monthly\" }",
            "¦\"monthly\": { \"segment\": \"monthly\" }", "rules.segment-cycle"),
        CompileError(
            "\"monthly\": { \"fact\": \"productId\", \"eq\": \"pro_monthly\" }",
            "¦\"monthly\": { \"any\": [ { \"fact\": \"now\", \"exists\": true }, { \"not\": { \"segment\": \"monthly\" } } ] }",
            "rules.segment-cycle"),
        CompileError(
            "\"monthly\": { \"fact\": \"productId\", \"eq\": \"pro_monthly\" }",
            "\"monthly\": { \"not\": { \"any\": [ { \"segment\": \"loyal\" } ] } }", "rules.segment-cycle"
        ).marking("¦\"loyal\": {"),
        CompileError(
            "{ \"segment\": \"monthly\" }", "¦{ \"segment\": \"monthly\", \"fact\": \"now\" }",
            "rules.ambiguous-condition"),
    ]

    static let splits = [
        CompileError("\"salt\": \"h\", ", "", "rules.missing-key").marking("\"holdout\": ¦{"),
        CompileError("\"salt\": \"h\"", "\"salt\": ¦\"\"", "rules.bad-length"),
        CompileError("\"salt\": \"h\"", "\"salt\": ¦\"h\\u001Fh\"", "rules.bad-salt"),
        CompileError("\"salt\": \"v\"", "\"salt\": ¦\"\\u007F\"", "rules.bad-salt"),
        CompileError(
            "\"salt\": \"h\"", "¦\"salts\": 1, \"salt\": \"h\"", "rules.unknown-key",
            hint: "did you mean \"salt\"?"),
        CompileError("\"basisPoints\": 1000", "\"basisPoints\": ¦10001", "rules.bad-number"),
        CompileError("\"basisPoints\": 1000", "\"basisPoints\": ¦0.1", "rules.wrong-type"),
        CompileError("\"basisPoints\": 1000, ", "", "rules.missing-key").marking("\"holdout\": ¦{"),
        CompileError("\"2027-01-01T00:00:00Z\"", "¦\"2027-01-01\"", "rules.bad-date"),
        CompileError(
            "\"basisPoints\": 1000, \"serve\": \"none\"",
            "\"basisPoints\": 1000, \"serve\": ¦{ \"switch\": \"go_annual\", \"productId\": \"pro_annual\" }",
            "rules.wrong-outcome"),
        CompileError("\"unit\": \"storefront\"", "\"unit\": ¦\"storefrunt\"", "rules.unknown-fact").unseen(),
        CompileError("\"unit\": \"storefront\"", "\"unit\": ¦\"paidPeriods\"", "rules.wrong-fact-kind")
            .unseen(),
        CompileError("\"unit\": \"storefront\"", "\"unit\": ¦\"now\"", "rules.wrong-fact-kind").seen(),
        CompileError("\"salt\": \"r\", ", "¦\"form\": 1, \"salt\": \"r\", ", "rules.unknown-key"),
        CompileError(
            "{ \"salt\": \"r\", \"unit\": \"storefront\", \"basisPoints\": 5000 }", "¦5000",
            "rules.wrong-type"),
        CompileError("\"salt\": \"v\", ", "", "rules.missing-key").marking("\"variants\": ¦{"),
        CompileError("\"weight\": 4000", "\"weight\": 4001", "rules.weight-sum", hint: "1 are too many")
            .marking("\"arms\": ¦[").unseen(),
        CompileError("\"weight\": 4000", "\"weight\": 3900", "rules.weight-sum", hint: "100 are missing")
            .marking("\"arms\": ¦[").unseen(),
        CompileError("\"weight\": 4000", "\"weight\": ¦0", "rules.bad-number"),
        CompileError("\"name\": \"offer\"", "\"name\": ¦\"switch\"", "rules.duplicate-name").unseen(),
        CompileError("\"name\": \"offer\"", "\"name\": ¦\"an offer\"", "rules.bad-name"),
        CompileError("\"name\": \"offer\", ", "¦\"nmae\": 1, \"name\": \"offer\", ", "rules.unknown-key"),
        CompileError("\"variants\": {", "\"serve\": \"none\", ¦\"variants\": {", "rules.ambiguous-outcome"),
        CompileError("\"salt\": \"v\"", "¦\"salts\": 1, \"salt\": \"v\"", "rules.unknown-key"),
    ]

    static let caps = [
        CompileError("\"caps\": {", "\"caps\": { ¦\"switch\": {}, ", "rules.unknown-key"),
        CompileError(
            "{ \"offer\": { \"maxAccepted\": 1, \"minDaysSinceLast\": 180, \"whenUnknown\": \"allow\" } }",
            "¦{}", "rules.missing-key"),
        CompileError("\"maxAccepted\": 1, \"minDaysSinceLast\": 180, ", "", "rules.missing-key").marking(
            "\"offer\": ¦{"
        ),
        CompileError("\"maxAccepted\": 1", "\"maxAccepted\": ¦0", "rules.bad-number"),
        CompileError("\"minDaysSinceLast\": 180", "\"minDaysSinceLast\": ¦-1", "rules.bad-number"),
        CompileError(
            "\"minDaysSinceLast\": 180, ",
            "\"minDaysSinceLast\": 180, \"acceptedFact\": ¦\"factsAgeSeconds\", ", "rules.unknown-fact"
        ).unseen(),
        CompileError(
            "\"whenUnapproved\": \"pass\"", "\"whenUnapproved\": ¦\"last\"", "rules.unknown-value",
            hint: "one of fallback, pass"),
        CompileError(
            "\"whenUnknown\": \"allow\"", "\"whenUnknown\": ¦\"allowed\"", "rules.unknown-value",
            hint: "did you mean \"allow\"?"),
        CompileError(
            "\"maxAccepted\": 1", "\"maxAccepted\": 1, \"acceptedFact\": ¦\"storefront\"",
            "rules.wrong-fact-kind"
        ).unseen(),
        CompileError(
            "\"maxAccepted\": 1", "\"maxAccepted\": 1, \"lastFact\": ¦\"lastOffer\"", "rules.unknown-fact"
        ).unseen(),
        CompileError("\"offersAccepted\": \"int\", ", "", "rules.unknown-fact").marking("¦\"maxAccepted\"")
            .unseen(),
        CompileError("\"offersAccepted\": \"int\"", "\"offersAccepted\": \"bool\"", "rules.wrong-fact-kind")
            .marking("¦\"maxAccepted\"").unseen(),
    ]

    static let outcomes = [
        CompileError(
            "\"switch\": \"go_annual\"", "\"switch\": ¦\"half_price\"", "rules.wrong-message-kind",
            hint: "it is served with \"offer\""),
        CompileError(
            "\"offer\": \"half_price\"", "\"offer\": ¦\"half_prise\"", "rules.unknown-message",
            hint: "did you mean \"half_price\"?"),
        CompileError(
            "\"advancedCommerce\": \"smaller\"", "\"advancedCommerce\": ¦\"reminder\"",
            "rules.wrong-message-kind"),
        CompileError(
            "\"switch\": \"go_annual\", ", "¦\"swich\": \"go_annual\", \"switch\": \"go_annual\", ",
            "rules.unknown-key"),
        CompileError(
            "\"switch\": \"go_annual\", ", "¦\"offerIdentifier\": \"a\", \"switch\": \"go_annual\", ",
            "rules.unknown-key"),
        CompileError(
            "{ \"switch\": \"go_annual\"", "¦{ \"message\": \"reminder\", \"switch\": \"go_annual\"",
            "rules.ambiguous-outcome"),
        CompileError(", \"productId\": \"pro_annual\"", "", "rules.missing-key").marking("¦{ \"switch\""),
        CompileError(
            "\"productId\": \"pro_annual\"", "\"productId\": ¦\"pro_anual\"", "rules.unknown-product",
            hint: "did you mean \"pro_annual\"?"),
        CompileError("\"productId\": \"pro_annual\"", "\"productId\": ¦\"news\"", "rules.wrong-group"),
        CompileError(
            "\"productId\": \"pro_annual\"", "\"productId\": ¦\"pro\u{2063}annual\"", "rules.bad-name"),
        CompileError("\"save50\"", "¦\"save50\\u009f\"", "rules.bad-name"),
        CompileError("\"save50\"", "¦\"save\\u001F50\"", "rules.bad-name"),
        CompileError("\"save50\"", "¦\"\\u2063save50\"", "rules.bad-name"),
        CompileError("\"com.example.app\"", "¦\"com.example\\u2063app\"", "rules.bad-name"),
        CompileError(
            "\"MONTHLY\"", "¦\"WEEKLY\"", "rules.unknown-value", hint: "one of BILLED_UPFRONT, MONTHLY"),
        CompileError(", \"offerIdentifier\": \"save50\"", "", "rules.missing-key").marking(
            "¦{ \"offer\": \"half_price\""
        ),
        CompileError("\"save50\"", "¦\"\"", "rules.bad-length"),
    ]
}
