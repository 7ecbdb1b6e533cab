import DataFileWriting
import DataFiles
import RulesCompiler
import Support
import Testing

/// One change to rules that fit the facts, and what lint must say about it.
struct FactsLintRow: Sendable, CustomTestStringConvertible {
    /// The change. `¦` marks the place that the finding must name.
    let change: CompileError
    let check: LintCheck
    /// A part of the message.
    let message: String
    let hint: String?

    init(
        _ old: String, _ new: String, _ check: LintCheck, _ message: String, hint: String? = nil,
        at marked: String? = nil
    ) {
        let change = CompileError(old, new, check.rawValue)
        self.change = marked.map { change.marking($0) } ?? change
        (self.check, self.message, self.hint) = (check, message, hint)
    }

    var testDescription: String { "\(check.rawValue) \(change.new.prefix(60))" }

    /// 100 subscribers. The product, the storefront and the price are always known, the paid periods of every fifth
    /// subscriber are not, and three of four never accepted an offer.
    static let table: FactsTable = {
        var table = FactsTable(columns: [
            .init(name: "paidPeriods", kind: .integer), .init(name: "inTrial", kind: .boolean),
            .init(name: "storefront", kind: .string), .init(name: "offersAccepted", kind: .integer),
            .init(name: "lastOfferAt", kind: .date), .init(name: "lastOfferIdentifier", kind: .string),
            .init(name: "currentProductId", kind: .string), .init(name: "price", kind: .integer),
            .init(name: "status", kind: .string), .init(name: "account", kind: .string),
            .init(name: "nobody", kind: .string), .init(name: "rare", kind: .integer),
        ])
        for index in 0..<100 {
            let hasOffer = index % 4 == 0
            table.rows.append(
                (
                    key: 2_000_000_000 + UInt64(index),
                    values: [
                        index % 5 == 0 ? nil : .integer(Int64(index % 15)), .boolean(index % 10 == 0),
                        .string(["USA", "DEU", "JPN", "CHE", "CHN"][index % 5]), .integer(hasOffer ? 1 : 0),
                        hasOffer ? .date(1_780_000_000_000 + Int64(index)) : nil,
                        hasOffer ? .string("save50_3m") : nil,
                        .string(index % 3 == 0 ? "pro_annual" : "pro_monthly"),
                        .integer(index % 3 == 0 ? 59_990 : 9_990),
                        .string(index % 5 < 3 ? "active" : "expired"),
                        hasOffer ? .string("account-\(index)") : nil, nil,
                        index % 20 == 0 ? .integer(0) : nil,
                    ]
                )
            )
        }
        return table
    }()

    /// Rules that fit the facts.
    static let clean = """
        {
          "format": 1,
          "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" },
          "environment": "Production",
          "locales": { "last": "en-US" },
          "products": { "pro_monthly": { "group": "pro" }, "pro_annual": { "group": "pro" },
            "pro_weekly": { "group": "pro" } },
          "facts": { "paidPeriods": "int", "inTrial": "bool", "storefront": "string", "offersAccepted": "int",
            "lastOfferAt": "date", "price": "int", "status": "string", "account": "string",
            "rare": "int" },
          "messages": {
            "reminder": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } },
            "go_annual": { "kind": "switch", "ids": { "en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0" } },
            "half_price": { "kind": "offer", "ids": { "en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc" } }
          },
          "segments": { "rich": { "fact": "price", "gte": 10000 } },
          "caps": { "offer": { "maxAccepted": 1, "minDaysSinceLast": 180 } },
          "rules": [
            { "id": "trial", "when": { "fact": "inTrial", "eq": true }, "serve": { "message": "reminder" } },
            { "id": "quiet", "when": { "all": [ { "fact": "storefront", "in": ["JPN", "DEU"] }, { "segment": "rich" } ] },
              "serve": "none" },
            { "id": "returned", "when": { "all": [ { "fact": "offersAccepted", "gte": 1 },
                { "fact": "lastOfferAt", "olderThanDays": 100 }, { "fact": "status", "ne": "expired" } ] },
              "serve": { "message": "reminder" } },
            { "id": "loyal", "when": { "all": [ { "fact": "productId", "eq": "pro_monthly" },
                { "fact": "paidPeriods", "gte": 6 } ] },
              "serve": { "switch": "go_annual", "productId": "pro_annual" } },
            { "id": "offer", "when": { "any": [ { "fact": "account", "prefix": "account-" },
                { "fact": "factsFound", "eq": true }, { "fact": "rare", "exists": true } ] },
              "serve": { "offer": "half_price", "productId": "pro_monthly", "offerIdentifier": "save50_3m" } }
          ],
          "default": { "serve": { "message": "reminder" } },
          "tests": [
            { "name": "t", "given": \(given) }, "expect": { "rule": "trial" } },
            { "name": "q", "given": \(given) }, "expect": { "rule": "quiet" } },
            { "name": "r", "given": \(given) }, "expect": { "rule": "returned" } },
            { "name": "l", "given": \(given) }, "expect": { "rule": "loyal" } },
            { "name": "o", "given": \(given) }, "expect": { "rule": "offer" } }
          ]
        }
        """

    private static let given = """
        { "productId": "pro_monthly", "userLocale": "en-US", "originalTransactionId": "1", "now": "2026-11-21T00:00:00Z"
        """

    private static let storefronts = "{ \"fact\": \"storefront\", \"in\": [\"JPN\", \"DEU\"] }"
    private static let loyal = "{ \"fact\": \"paidPeriods\", \"gte\": 6 }"
    private static let trial = "{ \"fact\": \"inTrial\", \"eq\": true }"
    private static let rich = "{ \"fact\": \"price\", \"gte\": 10000 }"
    private static let returned =
        "{ \"fact\": \"offersAccepted\", \"gte\": 1 },\n        { \"fact\": \"lastOfferAt\", \"olderThanDays\": 100 }, "

    static let rows = columns + values + numbers + identifiers + units

    private static let columns = [
        FactsLintRow(
            "\"price\": \"int\"", "\"price\": \"int\", ¦\"storefornt\": \"string\"", .factNotInFacts,
            "the facts have no \"storefornt\"", hint: "did you mean \"storefront\"?"),
        FactsLintRow(
            "\"price\": \"int\"", "\"price\": \"int\", \"currentProductId\": ¦\"int\"", .factTypeDiffers,
            "have \"currentProductId\" as string, and the rules as integer"),
    ]

    private static let values = [
        FactsLintRow(
            "[\"JPN\", \"DEU\"]", "[¦\"JP\", \"DEU\"]", .valueNeverOccurs,
            "\"storefront\" is \"JP\" for none of 100 subscribers", hint: "did you mean \"JPN\"?"),
        FactsLintRow(
            "[\"JPN\", \"DEU\"]", "[\"JPN\", ¦\"CH\"]", .valueNeverOccurs, "\"CH\"",
            hint: "did you mean \"CHE\" or \"CHN\"?"),
        FactsLintRow(
            storefronts, "{ \"fact\": \"storefront\", \"notIn\": [\"JPN\", ¦\"FRA\"] }", .valueNeverOccurs,
            "\"FRA\"", hint: "there are \"CHE\", \"CHN\", \"DEU\", \"JPN\" and others"),
        FactsLintRow(
            storefronts, "{ \"fact\": \"storefront\", \"eq\": ¦\"usa\" }", .valueNeverOccurs, "\"usa\"",
            hint: "did you mean \"USA\"?"),
        FactsLintRow(
            "\"prefix\": \"account-\"", "\"prefix\": ¦\"acount-\"", .valueNeverOccurs,
            "\"account\" begins with \"acount-\" for none of 25 subscribers"),
    ]

    private static let numbers = [
        FactsLintRow(
            loyal, "{ \"fact\": \"paidPeriods\", \"gte\": ¦60 }", .numberNotSeen,
            "\"paidPeriods\" is from 1 to 14 for all 80 subscribers who have it, and 60 is above",
            hint: "the unit is periods"),
        FactsLintRow(
            rich, "{ \"fact\": \"price\", \"gte\": ¦10 }", .numberNotSeen,
            "\"price\" is from 9990 to 59990 for all 100 subscribers who have it, and 10 is below",
            hint: "the unit is thousandths"),
        FactsLintRow(
            loyal, "{ \"fact\": \"paidPeriods\", \"between\": [6, ¦100] }", .numberNotSeen, "100 is above"),
        FactsLintRow(
            loyal, "{ \"fact\": \"paidPeriods\", \"in\": [6, ¦-9223372036854775808] }", .numberOutOfRange,
            "\"paidPeriods\" is never below 0, so the comparison with -9223372036854775808 never matches"),
        FactsLintRow(
            loyal, "{ \"fact\": \"paidPeriods\", \"lt\": ¦0 }", .numberOutOfRange,
            "the comparison with 0 never matches", hint: "the unit is periods"),
        FactsLintRow(rich, "{ \"fact\": \"price\", \"gte\": ¦69990 }", .numberNotSeen, "69990 is above"),
        FactsLintRow(
            returned, "{ \"fact\": \"offersAccepted\", \"gt\": ¦5 }, ", .numberOutOfRange,
            "\"offersAccepted\" is always from 0 to 5, so the comparison with 5 never matches"),
    ]

    private static let identifiers = [
        FactsLintRow(
            "\"eq\": \"pro_monthly\"", "\"eq\": ¦\"pro_montly\"", .productNeverOccurs,
            "\"currentProductId\" is \"pro_montly\" for none of 100 subscribers",
            hint: "did you mean \"pro_monthly\"?"),
        FactsLintRow(
            "\"switch\": \"go_annual\", \"productId\": \"pro_annual\"",
            "\"switch\": \"go_annual\", \"productId\": ¦\"pro_weekly\"", .unsoldProduct,
            "\"currentProductId\" is \"pro_weekly\" for none of 100 subscribers",
            hint: "there are \"pro_annual\", \"pro_monthly\""),
        FactsLintRow(
            "\"offerIdentifier\": \"save50_3m\"", "\"offerIdentifier\": ¦\"save50_6m\"", .unredeemedOffer,
            "\"lastOfferIdentifier\" is \"save50_6m\" for none of 25 subscribers",
            hint: "did you mean \"save50_3m\"?"),
    ]

    private static let units = [
        // Each of the five storefronts has 20 subscribers. Of the accounts, each has one.
        FactsLintRow(
            "\"serve\": \"none\"",
            "\"rollout\": { \"salt\": \"s\", \"basisPoints\": 5000, \"unit\": ¦\"storefront\" }, \"serve\": \"none\"",
            .sharedUnit,
            "20 of 100 subscribers (20 %) have the same \"storefront\", and all of them are drawn alike")
    ]
}
