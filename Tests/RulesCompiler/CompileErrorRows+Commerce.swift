extension CompileErrorRows {
    /// Rows for every mistake in the request of an Advanced Commerce outcome.
    static let commerce = members + items + offers

    /// A request whose only mistake is its length.
    private static let long = GoodSource.request.replacing(
        "\"EUR\"", with: "\"EUR\", \"taxCode\": \"\(control)\"")
    /// 1,024 control characters. They take 1 KB as text and 6 KB in JSON.
    private static let control = String(repeating: "\\u0001", count: 1024)

    private static let members = [
        CompileError(", \"request\": " + GoodSource.request, "", "rules.missing-key").marking(
            "¦{ \"advancedCommerce\""
        ),
        CompileError(GoodSource.request, "¦\"e30=\"", "rules.wrong-type"),
        CompileError(GoodSource.request, "¦[]", "rules.wrong-type"),
        CompileError("\"retainBillingCycle\": true, ", "", "rules.missing-key").marking("\"request\": ¦{"),
        CompileError("\"retainBillingCycle\": true", "\"retainBillingCycle\": ¦\"true\"", "rules.wrong-type"),
        CompileError(
            "\"retainBillingCycle\": true",
            "¦\"operation\": \"MODIFY_SUBSCRIPTION\", \"retainBillingCycle\": true", "rules.reserved-name",
            hint: "leave it out"),
        CompileError(
            "\"retainBillingCycle\": true", "¦\"version\": \"1\", \"retainBillingCycle\": true",
            "rules.reserved-name", hint: "leave it out"),
        CompileError(
            "\"retainBillingCycle\": true",
            "¦\"transactionId\": \"2000000001\", \"retainBillingCycle\": true", "rules.reserved-name",
            hint: "leave it out"),
        CompileError(
            "\"requestInfo\": {}",
            "\"requestInfo\": { ¦\"requestReferenceId\": \"6584bedf-2ed0-4c01-93ed-c0c64a1670cc\" }",
            "rules.reserved-name", hint: "leave it out"),
        CompileError(
            "\"retainBillingCycle\": true", "¦\"addItems\": [], \"retainBillingCycle\": true",
            "rules.unknown-key", hint: "Apple takes one element of \"changeItems\" here"),
        CompileError(
            "\"retainBillingCycle\": true", "¦\"removeItems\": [], \"retainBillingCycle\": true",
            "rules.unknown-key", hint: "Apple takes one element of \"changeItems\" here"),
        CompileError(
            "\"retainBillingCycle\": true", "¦\"curency\": \"USD\", \"retainBillingCycle\": true",
            "rules.unknown-key", hint: "did you mean \"currency\"?"),
        CompileError(
            "\"retainBillingCycle\": true", "¦\"price\": 1, \"retainBillingCycle\": true", "rules.unknown-key"
        ),
        CompileError("\"EUR\"", "¦\"\"", "rules.unknown-value", hint: "ISO 4217, as EUR"),
        CompileError("\"EUR\"", "¦\"eur\"", "rules.unknown-value"),
        CompileError("\"EUR\"", "¦\"EURO\"", "rules.unknown-value"),
        CompileError("\"EUR\"", "¦978", "rules.wrong-type"),
        CompileError("\"EUR\"", "\"EUR\", \"storefront\": ¦[]", "rules.wrong-type"),
        CompileError(
            "\"EUR\"", "\"EUR\", \"storefront\": ¦\"DE\"", "rules.unknown-value",
            hint: "ISO 3166-1 alpha-3, as DEU"),
        CompileError("\"EUR\"", "\"EUR\", \"taxCode\": ¦\"\"", "rules.bad-length"),
        CompileError("\"requestInfo\": {}", "\"requestInfo\": ¦\"c\"", "rules.wrong-type"),
        CompileError(
            "\"requestInfo\": {}", "\"requestInfo\": { ¦\"consistencyToken\": \"c\" }", "rules.reserved-name",
            hint: "leave it out"),
        CompileError(
            "\"requestInfo\": {}",
            "\"requestInfo\": { ¦\"appAccountToken\": \"23a91ca7-06f3-425f-bff6-820904b510a9\" }",
            "rules.reserved-name", hint: "leave it out"),
        CompileError(
            "\"requestInfo\": {}", "\"requestInfo\": { ¦\"appAcountToken\": \"\" }", "rules.unknown-key"),
        CompileError(GoodSource.request, "¦" + long, "rules.bad-length").unseen(),
        CompileError(", \"period\": \"P1Y\" }", " }", "rules.missing-key").marking("\"periodChange\": ¦{"),
        CompileError(
            "\"P1Y\"", "¦\"QUARTER\"", "rules.unknown-value", hint: "one of P1W, P1M, P2M, P3M, P6M, P1Y"),
        CompileError(
            "\"NEXT_BILL_CYCLE\"", "¦\"NEXT_BILLING_CYCLE\"", "rules.unknown-value",
            hint: "did you mean \"NEXT_BILL_CYCLE\"?"),
        CompileError(
            "\"retainBillingCycle\": true",
            "\"descriptors\": ¦{ \"displayName\": \"a\", \"description\": \"b\" }, \"retainBillingCycle\": true",
            "rules.missing-key"),
        CompileError(
            "\"retainBillingCycle\": true",
            "\"descriptors\": { \"effective\": \"IMMEDIATELY\", \"displayName\": ¦\"\", \"description\": \"b\" }, \"retainBillingCycle\": true",
            "rules.bad-length"),
        CompileError(
            "\"retainBillingCycle\": true",
            "\"descriptors\": { \"effective\": \"IMMEDIATELY\", \"displayName\": \"a\", ¦\"descriptions\": \"b\" }, \"retainBillingCycle\": true",
            "rules.unknown-key"),
    ]

    private static let items = [
        CompileError("\"changeItems\": [ {", "\"changeItems\": ¦[ {}, {", "rules.too-many"),
        CompileError(GoodSource.changeItems, "¦[]", "rules.empty-list", hint: "Apple takes one change item"),
        CompileError(GoodSource.changeItems, "¦{}", "rules.wrong-type"),
        CompileError(GoodSource.changeItems, "[ ¦\"SMALL\" ]", "rules.wrong-type"),
        CompileError(",\n  \"changeItems\": " + GoodSource.changeItems, "", "rules.missing-key").marking(
            "\"request\": ¦{"
        ),
        CompileError("\"currentSKU\": \"LARGE\", ", "", "rules.missing-key").marking("[ ¦{ \"SKU\""),
        CompileError("\"SKU\": \"SMALL\", ", "", "rules.missing-key").marking("¦{ \"currentSKU\""),
        CompileError("\"price\": 4990, ", "", "rules.missing-key").marking("¦{ \"currentSKU\""),
        CompileError("\"SMALL\"", "¦\"\(String(repeating: "x", count: 129))\"", "rules.bad-length"),
        CompileError("\"LARGE\"", "¦\"\"", "rules.bad-length"),
        CompileError("\"LARGE\"", "¦\"LARGE\u{2063}\"", "rules.bad-name"),
        CompileError("\"SMALL\"", "¦\"\\n\"", "rules.bad-name"),
        CompileError("\"Klein\"", "¦\"\(String(repeating: "ü", count: 31))\"", "rules.bad-length"),
        CompileError("\"Zwei Kanäle\"", "¦\"\(String(repeating: "ü", count: 46))\"", "rules.bad-length"),
        CompileError("\"Zwei Kanäle\"", "¦2", "rules.wrong-type"),
        CompileError("4990", "¦49.9", "rules.wrong-type"),
        CompileError(
            "4990", "¦4995", "rules.bad-number", hint: "a multiple of 10, because the price is in thousandths"
        ).unseen(),
        CompileError("\"proratedPrice\": 0", "\"proratedPrice\": ¦1", "rules.bad-number").unseen(),
        CompileError("\"IMMEDIATELY\"", "\"NEXT_BILL_CYCLE\"", "rules.unknown-key", hint: "leave it out")
            .marking("¦\"proratedPrice\"").unseen(),
        CompileError("4990", "¦-1", "rules.bad-number"),
        CompileError("4990", "¦\"4990\"", "rules.wrong-type"),
        CompileError("\"proratedPrice\": 0", "\"proratedPrice\": ¦-1", "rules.bad-number"),
        CompileError(
            "\"proratedPrice\"", "¦\"proratedPrices\"", "rules.unknown-key",
            hint: "did you mean \"proratedPrice\"?"),
        CompileError(
            "\"IMMEDIATELY\"", "¦\"NOW\"", "rules.unknown-value", hint: "one of IMMEDIATELY, NEXT_BILL_CYCLE"),
        CompileError(
            "\"DOWNGRADE\"", "¦\"RETENTION\"", "rules.unknown-value",
            hint: "one of UPGRADE, DOWNGRADE, APPLY_OFFER"),
    ]

    private static let offers = [
        CompileError(
            "{ \"period\": \"P1M\", \"periodCount\": 3, \"price\": 990, \"reason\": \"RETENTION\" }", "¦null",
            "rules.wrong-type"),
        CompileError("\"period\": \"P1M\", ", "", "rules.missing-key").marking("¦{ \"periodCount\""),
        CompileError("\"P1M\"", "¦\"P12M\"", "rules.unknown-value"),
        CompileError("\"periodCount\": 3", "\"periodCount\": ¦0", "rules.bad-number"),
        CompileError("\"price\": 990", "\"price\": 0", "rules.bad-number", hint: "a longer \"period\"")
            .marking("\"periodCount\": ¦3").unseen(),
        CompileError("\"price\": 990", "\"price\": ¦999", "rules.bad-number").unseen(),
        CompileError("\"periodCount\": 3", "\"periodCount\": ¦13", "rules.bad-number"),
        CompileError("\"periodCount\": 3", "\"periodCount\": ¦\"3\"", "rules.wrong-type"),
        CompileError("\"price\": 990", "\"price\": ¦-990", "rules.bad-number"),
        CompileError(
            "\"reason\": \"RETENTION\"", "\"reason\": ¦\"CHURN\"", "rules.unknown-value",
            hint: "one of ACQUISITION, WIN_BACK, RETENTION"),
        CompileError(
            ", \"reason\": \"RETENTION\"", ", ¦\"why\": \"x\", \"reason\": \"RETENTION\"", "rules.unknown-key"
        ),
    ]
}
