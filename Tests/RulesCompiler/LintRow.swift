import RulesCompiler
import Testing
import Vocabulary

/// One change to a source without a lint finding, and the finding that lint must report for it.
struct LintRow: Sendable, CustomTestStringConvertible {
    /// The change to the clean source. `¦` marks the place that the finding must name.
    let change: CompileError
    let check: LintCheck
    /// The other checks that find something in the changed source.
    let others: Set<LintCheck>

    init(
        _ old: String, _ new: String, _ check: LintCheck, at marked: String? = nil,
        with others: Set<LintCheck> = []
    ) {
        let change = CompileError(old, new, check.rawValue)
        self.change = marked.map { change.marking($0) } ?? change
        self.check = check
        self.others = others
    }

    var testDescription: String { "\(check.rawValue) \(change.new.prefix(60))" }

    /// The time that the tests give lint as the current time.
    static let now: Int64 = 1_795_219_200_000  // 2026-11-21T00:00:00Z

    /// A source in which lint finds nothing.
    static let clean = """
        {
          "format": 1,
          "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" },
          "environment": "Production",
          "killSwitch": false,
          "locales": { "fallback": { "en-GB": "en-US" }, "last": "en-US" },
          "products": { "monthly": { "group": "pro" }, "annual": { "group": "pro" }, "news": { "group": "news" } },
          "facts": { "paidMonths": "int", "plan": "string", "offersAccepted": "int", "lastOfferAt": "date" },
          "messages": {
            "reminder": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } },
            "thanks": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7391" } },
            "go_annual": { "kind": "switch", "ids": { "en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0" } },
            "half_price": { "kind": "offer", "ids": { "en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc" } }
          },
          "segments": { "loyal": { "fact": "paidMonths", "gte": 12 },
                        "very_loyal": { "all": [ { "segment": "loyal" }, { "fact": "plan", "eq": "gold" } ] } },
          "holdout": { "salt": "out", "basisPoints": 1000, "serve": "none", "until": "2027-01-01T00:00:00Z" },
          "caps": { "offer": { "maxAccepted": 1, "minDaysSinceLast": 180 } },
          "rules": [
            { "id": "gold", "when": { "segment": "very_loyal" }, "serve": { "message": "thanks" } },
            { "id": "autumn", "when": { "fact": "paidMonths", "between": [1, 11] },
              "window": { "from": "2026-09-01T00:00:00Z", "to": "2026-12-01T00:00:00Z" },
              "serve": { "message": "thanks" } },
            { "id": "winter", "when": { "fact": "paidMonths", "in": [2, 3] },
              "window": { "from": "2026-12-01T00:00:00Z", "to": "2027-03-01T00:00:00Z" },
              "serve": { "message": "reminder" } },
            { "id": "yearly", "when": { "fact": "productId", "eq": "monthly" },
              "rollout": { "salt": "in", "basisPoints": 2000 },
              "serve": { "switch": "go_annual", "productId": "annual" } },
            { "id": "cheaper", "when": { "fact": "productId", "ne": "news" },
              "variants": { "salt": "arms", "arms": [
                { "name": "offer", "weight": 6000,
                  "serve": { "offer": "half_price", "productId": "monthly", "offerIdentifier": "save50" } },
                { "name": "none", "weight": 4000, "serve": "none" } ] } }
          ],
          "default": { "serve": { "message": "reminder" } },
          "tests": [
            { "name": "g", "given": { "productId": "annual", "userLocale": "en-US", "originalTransactionId": "1",
              "now": "2026-11-21T00:00:00Z" }, "expect": { "rule": "gold" } },
            { "name": "a", "given": { "productId": "annual", "userLocale": "en-US", "originalTransactionId": "1",
              "now": "2026-11-21T00:00:00Z" }, "expect": { "rule": "autumn" } },
            { "name": "w", "given": { "productId": "annual", "userLocale": "en-US", "originalTransactionId": "1",
              "now": "2026-11-21T00:00:00Z" }, "expect": { "rule": "winter" } },
            { "name": "y", "given": { "productId": "annual", "userLocale": "en-US", "originalTransactionId": "1",
              "now": "2026-11-21T00:00:00Z" }, "expect": { "rule": "yearly" } },
            { "name": "c", "given": { "productId": "annual", "userLocale": "en-US", "originalTransactionId": "1",
              "now": "2026-11-21T00:00:00Z" }, "expect": { "rule": "cheaper" } }
          ]
        }
        """

    static let rows = reach + uses + others

    /// Conditions that can replace the condition of the switch from the monthly plan without a finding.
    static let switchesWithinGroup = [
        "{ \"all\": [ { \"fact\": \"productId\", \"ne\": \"news\" }, { \"fact\": \"productId\", \"prefix\": \"m\" } ] }",
        "{ \"all\": [ { \"fact\": \"productId\", \"in\": [\"monthly\", \"news\"] }, { \"fact\": \"productId\", \"ne\": \"news\" } ] }",
        "{ \"not\": { \"any\": [ { \"fact\": \"productId\", \"in\": [\"news\", \"annual\"] }, { \"segment\": \"loyal\" } ] } }",
    ]

    private static let winter =
        "{ \"id\": \"winter\", \"when\": { \"fact\": \"paidMonths\", \"in\": [2, 3] }"
    private static let autumn =
        "{ \"id\": \"autumn\", \"when\": { \"fact\": \"paidMonths\", \"between\": [1, 11] }"
    private static let winterWindow = "\"from\": \"2026-12-01T00:00:00Z\", \"to\": \"2027-03-01T00:00:00Z\""
    static let monthly = "{ \"fact\": \"productId\", \"eq\": \"monthly\" }"
    private static let switchTarget = "\"productId\": ¦\"annual\" } },\n    { \"id\": \"cheaper\""

    private static let reach = [
        // Conditions that an earlier rule already covers in other words.
        LintRow(
            winter,
            """
            { "id": ¦"winter", "when": { "all": [ { "segment": "loyal" }, { "fact": "plan", "in": ["gold"] } ] }
            """,
            .unreachableRule
        ),
        LintRow(
            autumn,
            """
            { "id": ¦"autumn", "when": { "all": [
              { "fact": "paidMonths", "gt": 11 }, { "not": { "fact": "plan", "ne": "gold" } } ] }
            """,
            .unreachableRule
        ),
        // A condition that is never true.
        LintRow(
            autumn,
            """
            { "id": ¦"autumn", "when": { "all": [
              { "fact": "paidMonths", "gt": 11 }, { "fact": "paidMonths", "lt": 12 } ] }
            """,
            .unreachableRule
        ),
        // A window that lies inside the window of an earlier rule.
        LintRow(
            winterWindow, "\"from\": \"2026-10-01T00:00:00Z\", \"to\": \"2026-12-01T00:00:00Z\"",
            .unreachableRule, at: "\"id\": ¦\"winter\""),
        LintRow(
            winterWindow, "\"from\": \"2026-11-30T00:00:00Z\", \"to\": \"2027-03-01T00:00:00Z\"",
            .overlappingWindows, at: "\"window\": ¦{ \"from\": \"2026-11-30"),
        LintRow(
            "{ \"id\": \"cheaper\", \"when\": { \"fact\": \"productId\", \"ne\": \"news\" },",
            """
            { "id": "all", "when": { "any": [ { "fact": "plan", "ne": "gold" }, { "fact": "plan", "exists": false } ] },
              "serve": "none" },
            { "id": "cheaper", "when": { "fact": "plan", "prefix": "silver" },
            """,
            .unreachableRule,
            at: "\"id\": ¦\"cheaper\"",
            with: [.untestedRule]
        ),
        LintRow(
            """
            { "fact": "productId", "ne": "news" },
                  "variants": { "salt": "arms", "arms": [
                    { "name": "offer", "weight": 6000,
                      "serve": { "offer": "half_price", "productId": "monthly", "offerIdentifier": "save50" } },
                    { "name": "none", "weight": 4000, "serve": "none" } ] } }
            """,
            "{ \"fact\": \"productId\", \"ne\": \"news\" }, \"serve\": \"none\" }, { \"id\": \"all\", \"serve\": \"none\" }",
            .unreachableDefault,
            at: "¦\"default\": { \"serve\"",
            with: [.unusedMessage, .untestedRule]
        ),
    ]

    private static let uses = [
        LintRow(
            "\"thanks\": {",
            """
            ¦"spare": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7392" } }, "thanks": {
            """,
            .unusedMessage
        ),
        LintRow(
            "\"loyal\": {", "¦\"spare\": { \"not\": { \"segment\": \"loyal\" } }, \"loyal\": {",
            .unusedSegment),
        LintRow("\"plan\": \"string\"", "\"plan\": \"string\", ¦\"spare\": \"bool\"", .unusedFact),
        LintRow("\"eq\": \"monthly\"", "\"eq\": ¦\"montly\"", .undeclaredProduct, with: [.switchGroup]),
        LintRow("\"ne\": \"news\"", "\"notIn\": [ \"news\", ¦\"old\" ]", .undeclaredProduct),
        LintRow(
            "\"expect\": { \"rule\": \"winter\" }", "\"expect\": { \"rule\": \"gold\" }", .untestedRule,
            at: "\"id\": ¦\"winter\""),
    ]

    private static let others = [
        LintRow("\"salt\": \"in\"", "\"salt\": ¦\"out\"", .repeatedSalt),
        LintRow("\"salt\": \"arms\"", "\"salt\": ¦\"in\"", .repeatedSalt),
        LintRow(
            "{ \"en-GB\": \"en-US\" }, \"last\": \"en-US\"", "{ \"en-GB\": \"en-US\", \"de-AT\": \"de-DE\" }",
            .missingLocale, at: "¦\"monthly\": {"),
        LintRow(
            "  \"caps\": { \"offer\": { \"maxAccepted\": 1, \"minDaysSinceLast\": 180 } },\n", "",
            .offerWithoutCap, at: "\"offer\": ¦\"half_price\"", with: [.unusedFact]),
        LintRow(
            "\"from\": \"2026-09-01T00:00:00Z\", \"to\": \"2026-12-01T00:00:00Z\"",
            "\"to\": ¦\"2026-11-21T00:00:00Z\"", .expiredWindow),
        LintRow("\"2027-01-01T00:00:00Z\"", "¦\"2026-11-21T00:00:00Z\"", .expiredHoldout),
        LintRow("\"annual\": { \"group\": \"pro\" }", "\"annual\": {}", .switchGroup, at: switchTarget),
        LintRow(monthly, "{ \"fact\": \"plan\", \"eq\": \"x\" }", .switchGroup, at: switchTarget),
        LintRow(
            monthly, "{ \"fact\": \"productId\", \"in\": [\"monthly\", \"bronze\"] }", .switchGroup,
            at: switchTarget, with: [.undeclaredProduct]),
        LintRow("\"killSwitch\": false", "\"killSwitch\": ¦true", .killSwitch),
        LintRow("\"basisPoints\": 1000", "\"basisPoints\": ¦10000", .everyoneHeldOut),
        LintRow("\"basisPoints\": 2000", "\"basisPoints\": ¦0", .unreachableRule),
        LintRow(
            "\"killSwitch\": false,",
            "\"killSwitch\": false, \"unapproved\": { \"551ee7c0-c097-418e-9dd5-2a98533a7391\": \"REJECTED\" },",
            .maskedMessage, at: "¦\"thanks\": {"),
        LintRow(
            "9ecc8045c0dc\" } }\n  },",
            "9ecc8045c0dc\", \"en-GB\": ¦\"551ee7c0-c097-418e-9dd5-2a98533a7392\" } } }, "
                + "\"unapproved\": { \"551ee7c0-c097-418e-9dd5-2a98533a7392\": \"PENDING\" },",
            .pendingLocale),
        LintRow(monthly, "{ \"fact\": \"productId\", \"eq\": \"annual\" }", .switchToSame, at: switchTarget),
        LintRow(monthly, "{ \"fact\": \"productId\", \"ne\": \"annual\" }", .switchGroup, at: switchTarget),
    ]
}

extension Finding {
    /// The check of lint that made the finding, or nil when its code is not lint's.
    var check: LintCheck? {
        code.hasPrefix("lint.") ? LintCheck(rawValue: String(code.dropFirst("lint.".count))) : nil
    }
}
