import Authoring
import Facts
import Support
import Testing

/// Rules that fit the facts of 100 subscribers. `facts-lint.txt` has changes to them.
enum FactsLintRow {
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
}
