/// Sources without an error, to be spoilt.
enum GoodSource {
    /// What every source needs, up to its rules; not closed.
    static let head = """
        { "format": 1, "app": { "appAppleId": 1, "bundleId": "b" }, "environment": "Sandbox",

        """

    /// Something of everything.
    static let text = """
        {
          "$schema": "./rules.schema.json",
          "format": 1,
          "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" },
          "environment": "Production",
          "metadata": { "revision": "2026-11-21.3", "owner": "Wachstüm" },
          "killSwitch": false,
          "locales": { "fallback": { "es-MX": "es-419", "en-GB": "en-US" }, "last": "en-US" },
          "messages": {
            "reminder": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } },
            "go_annual": { "kind": "switch", "ids": { "en-US": "ed7f25fc-5741-46a3-8502-062e0fb8afd0" } }
          },
          "rules": [
            { "id": "first", "enabled": true,
              "when": { "all": [ { "fact": "productId", "in": ["pro_monthly", "pro"] },
                                 { "not": { "fact": "userLocale", "eq": "de-DE" } },
                                 { "fact": "now", "ne": "2026-11-21T00:00:00Z" },
                                 { "fact": "language", "ne": "fr" },
                                 { "fact": "environment", "eq": "Production" } ] },
              "window": { "from": "2026-11-01T00:00:00Z", "to": "2026-12-31T00:00:00Z" },
              "serve": { "message": "reminder" } },
            { "id": "second", "when": { "any": [ { "fact": "userLocale", "prefix": "en" } ] }, "serve": "none" }
          ],
          "default": { "serve": { "message": "reminder" } }
        }
        """
}
