import Authoring
import System

/// A source in which lint finds nothing. `lint.txt` has changes to it.
enum LintRow {
    /// The time that the tests give lint as the current time.
    static let now: Int64 = 1_795_219_200_000  // 2026-11-21T00:00:00Z

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

    /// Conditions that can replace the condition of the switch from the monthly plan without a finding.
    static let switchesWithinGroup = [
        "{ \"all\": [ { \"fact\": \"productId\", \"ne\": \"news\" }, { \"fact\": \"productId\", \"prefix\": \"m\" } ] }",
        "{ \"all\": [ { \"fact\": \"productId\", \"in\": [\"monthly\", \"news\"] }, { \"fact\": \"productId\", \"ne\": \"news\" } ] }",
        "{ \"not\": { \"any\": [ { \"fact\": \"productId\", \"in\": [\"news\", \"annual\"] }, { \"segment\": \"loyal\" } ] } }",
    ]

    static let monthly = "{ \"fact\": \"productId\", \"eq\": \"monthly\" }"
}

extension Finding {
    /// The check of lint that made the finding, or nil when its code is not lint's.
    var check: LintCheck? {
        code.hasPrefix("lint.") ? LintCheck(rawValue: String(code.dropFirst("lint.".count))) : nil
    }
}
