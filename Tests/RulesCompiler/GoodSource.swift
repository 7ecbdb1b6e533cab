/// Sources without a mistake. Tests change them at one place to make them wrong.
enum GoodSource {
    /// The members that every source needs before its rules. The object is not closed.
    static let head = """
        { "format": 1, "app": { "appAppleId": 1, "bundleId": "b" }, "environment": "Sandbox",

        """

    /// The change items of `request`.
    static let changeItems = """
        [ { "currentSKU": "LARGE", "SKU": "SMALL", "displayName": "Klein", "description": "Zwei Kanäle",
            "price": 4990, "effective": "IMMEDIATELY", "reason": "DOWNGRADE", "proratedPrice": 0,
            "offer": { "period": "P1M", "periodCount": 3, "price": 990, "reason": "RETENTION" } } ]
        """

    /// A request of the Advanced Commerce API.
    static let request = """
        { "retainBillingCycle": true, "currency": "EUR",
          "requestInfo": {},
          "periodChange": { "effective": "NEXT_BILL_CYCLE", "period": "P1Y" },
          "changeItems": \(changeItems) }
        """

    /// A source that has every member of the language's top level, and every kind of fact and of outcome.
    static let text = """
        {
          "$schema": "./rules.schema.json",
          "format": 1,
          "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" },
          "environment": "Production",
          "metadata": { "revision": "2026-11-21.3", "owner": "Wachstüm" },
          "killSwitch": false,
          "locales": { "fallback": { "es-MX": "es-419", "en-GB": "en-US" }, "last": "en-US" },
          "products": { "pro_monthly": { "group": "pro" }, "pro_annual": { "group": "pro" },
                        "news": { "group": "news" }, "unknown": {} },
          "facts": { "paidPeriods": "int", "inTrial": "bool", "storefront": "string", "lastOfferAt": "date",
                     "offersAccepted": "int", "plan": "enum(student, regular)" },
          "messages": {
            "reminder": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } },
            "go_annual": { "kind": "switch", "ids": { "en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0" } },
            "half_price": { "kind": "offer", "ids": { "en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc",
                                                      "de-DE": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dd" },
                            "whenUnapproved": "pass" },
            "smaller": { "kind": "advancedCommerce", "ids": { "en-US": "9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11" } }
          },
          "unapproved": { "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dd": "PENDING" },
          "segments": { "loyal": { "all": [ { "segment": "monthly" }, { "fact": "paidPeriods", "gte": 3 } ] },
                        "monthly": { "fact": "productId", "eq": "pro_monthly" } },
          "holdout": { "salt": "h", "basisPoints": 1000, "serve": "none", "until": "2027-01-01T00:00:00Z" },
          "caps": { "offer": { "maxAccepted": 1, "minDaysSinceLast": 180, "whenUnknown": "allow" } },
          "rules": [
            { "id": "first", "enabled": true,
              "when": { "all": [ { "fact": "productId", "in": ["pro_monthly", "pro"] },
                                 { "not": { "fact": "userLocale", "eq": "de-DE" } },
                                 { "fact": "now", "ne": "2026-11-21T00:00:00Z" },
                                 { "fact": "language", "ne": "fr" },
                                 { "fact": "environment", "eq": "Production" } ] },
              "window": { "from": "2026-11-01T00:00:00Z", "to": "2026-12-31T00:00:00Z" },
              "serve": { "message": "reminder" } },
            { "id": "second", "when": { "any": [ { "fact": "userLocale", "prefix": "en" } ] }, "serve": "none" },
            { "id": "third",
              "when": { "all": [ { "segment": "loyal" }, { "fact": "lastOfferAt", "olderThanDays": 30 },
                                 { "fact": "paidPeriods", "between": [3, 24] },
                                 { "fact": "plan", "notIn": ["student"] }, { "fact": "inTrial", "exists": true },
                                 { "any": [ { "fact": "factsFound", "eq": true },
                                            { "fact": "factsAgeSeconds", "lt": 86400 } ] } ] },
              "rollout": { "salt": "r", "unit": "storefront", "basisPoints": 5000 },
              "variants": { "salt": "v", "arms": [
                { "name": "switch", "weight": 5000,
                  "serve": { "switch": "go_annual", "productId": "pro_annual", "billingPlanType": "MONTHLY" } },
                { "name": "offer", "weight": 4000,
                  "serve": { "offer": "half_price", "productId": "pro_monthly", "offerIdentifier": "save50" } },
                { "name": "smaller", "weight": 1000,
                  "serve": { "advancedCommerce": "smaller", "request": \(request) } } ] } }
          ],
          "default": { "serve": { "message": "reminder" } },
          "tests": [
            { "name": "silence",
              "given": { "productId": "news", "userLocale": "en-US", "originalTransactionId": "1",
                         "now": "2026-11-21T00:00:00.5Z" },
              "expect": { "rule": "second", "serve": "none" } },
            { "name": "loyal",
              "given": { "productId": "pro_monthly", "userLocale": "de-DE", "originalTransactionId": "2",
                         "now": "2026-11-21T00:00:00Z", "factsAgeSeconds": 60,
                         "facts": { "plan": "regular", "paidPeriods": 6, "inTrial": false,
                                    "lastOfferAt": "2026-01-01T00:00:00Z" } },
              "expect": { "default": true, "message": "reminder", "reason": "DEFAULT" } }
          ]
        }
        """
}
