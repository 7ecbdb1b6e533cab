extension Zoo {
    package static let payload: [ZooRow] =
        [
            raw("an empty payload", ""),
            raw("a payload that is not JSON", "hello"),
            raw("a payload that is an array", "[]"),
            raw("a payload that is null", "null"),
            raw("a payload that is cut off", #"{"appAppleId":1"#),
            rewritten("bytes after the payload", "payload-not-json", { $0 + [UInt8(ascii: "x")] }),
            rewritten("a NUL byte after the payload", "payload-not-json", { $0 + [0] }),
            rewritten(
                "a byte order mark before the payload",
                "payload-not-json",
                { [0xEF, 0xBB, 0xBF] + $0 }
            ),
            changed("a number beyond 64 bits, in the payload", 400, "payload-not-json") {
                $0.setting("signedDate", "18446744073709551616")
            },
            changed("a number too large for a double, in the payload", 400, "payload-not-json") {
                $0.adding("x", "1e400")
            },
            changed("an escaped NUL, in the payload", 400, "payload-not-json") {
                $0.setting("productId", #""a\u0000b""#)
            },
            changed("appAppleId twice", 400, "payload-not-json") {
                $0.adding("appAppleId", "\(TestPayload.foreignAppAppleId)")
            },
            changed("an unknown name twice, in the payload", 400, "payload-not-json") {
                $0.adding("x", "1").adding("x", "2")
            },
            changed("nesting beyond the limit, in the payload", 400, "payload-not-json") {
                $0.adding("x", String(repeating: "[", count: 40) + String(repeating: "]", count: 40))
            },
            ZooRow("a byte in the payload that is not UTF-8", 400, "payload-not-json") { forge in
                let text = forge.payload.text
                return try forge.body(rawPayload: text.dropLast(2) + [0xC3] + text.suffix(2))
            },
        ] + missing + mistyped + identifiers

    private static let missing: [ZooRow] = [
        "originalTransactionId", "appAppleId", "productId", "userLocale", "requestIdentifier", "environment",
        "signedDate",
    ].map { name in changed("\(name) missing", 400, "payload-member-missing") { $0.removing(name) } }

    private static let mistyped: [ZooRow] = [
        ("appAppleId", "\"6745974591\""), ("appAppleId", "6745974591.0"), ("appAppleId", "true"),
        ("appAppleId", "null"), ("appAppleId", "[6745974591]"),
        ("signedDate", "\"1700000000000\""), ("signedDate", "1.7e12"), ("signedDate", "null"),
        ("originalTransactionId", "2000000001"), ("originalTransactionId", "null"),
        ("productId", "null"), ("productId", "7"), ("productId", "{}"),
        ("userLocale", "[\"en-US\"]"), ("environment", "1"), ("environment", "null"),
        ("requestIdentifier", "5"), ("requestIdentifier", "null"),
        ("productId", "\"\(String(repeating: "p", count: 513))\""),
    ].map { name, json in
        changed("\(name) as \(json.prefix(24))", 400, "payload-member-mistyped") { $0.setting(name, json) }
    }

    private static let identifiers: [ZooRow] = [
        "abc", "3db5c98d8acf4e29831e8e1f82f9f6e9", "{3db5c98d-8acf-4e29-831e-8e1f82f9f6e9}",
        "3db5c98d-8acf-4e29-831e-8e1f82f9f6e", "3db5c98d-8acf-4e29-831e-8e1f82f9f6eg",
        "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9 ", "3db5c98d_8acf_4e29_831e_8e1f82f9f6e9",
    ].map { text in
        changed("requestIdentifier as \(text)", 400, "request-identifier-not-uuid") {
            $0.setting("requestIdentifier", "\"\(text)\"")
        }
    }

    /// Authentic requests that are refused because of their app, environment or time, and authentic requests that are
    /// accepted.
    package static let identity: [ZooRow] = [
        changed("an unknown app", 403, "app-unknown") {
            $0.setting("appAppleId", "\(TestPayload.foreignAppAppleId)")
        },
        changed("an unknown app, in Sandbox", 403, "app-unknown") {
            $0.setting("appAppleId", "\(TestPayload.foreignAppAppleId)").setting("environment", "\"Sandbox\"")
        },
        changed("an unknown app in an unknown environment", 403, "app-unknown") {
            $0.setting("appAppleId", "1").setting("environment", "\"Mars\"")
        },
        changed("app number zero", 403, "app-unknown") { $0.setting("appAppleId", "0") },
        changed("a negative app number", 403, "app-unknown") { $0.setting("appAppleId", "-6745974591") },
        changed("the smallest app number", 403, "app-unknown") { $0.setting("appAppleId", "\(Int64.min)") },
        environment("Sandbox where only Production is served", "Sandbox"),
        environment("Xcode, with a good signature", "Xcode"),
        environment("LocalTesting", "LocalTesting"),
        environment("an environment that does not exist yet", "Staging"),
        environment("the environment in small letters", "production"),
        changed(
            "a request signed six minutes ago",
            403,
            "signed-date-too-old",
            signedDate: { now in "\(now - 360_000)" }
        ),
        changed("a request signed in 1970", 403, "signed-date-too-old", signedDate: { _ in "0" }),
        changed(
            "a request with the earliest date",
            403,
            "signed-date-too-old",
            signedDate: { _ in "\(Int64.min)" }
        ),
        changed(
            "a request signed two minutes ahead",
            403,
            "signed-date-ahead",
            signedDate: { now in "\(now + 120_000)" }
        ),
        changed(
            "a request with the latest date",
            403,
            "signed-date-ahead",
            signedDate: { _ in "\(Int64.max)" }
        ),
        ZooRow("the policy's anchor for the app with its own", 401, "anchor-not-for-app") { forge in
            try forge.body(forge.payload.setting("appAppleId", "\(TestPayload.strictAppAppleId)"))
        },
        ZooRow("the strict app's anchor for another app", 401, "anchor-not-for-app") { forge in
            try forge.strict.body(forge.payload)
        },
        ZooRow("an app that has no rules", 503, "rules-missing") { forge in
            try forge.strict.body(forge.payload.setting("appAppleId", "\(TestPayload.strictAppAppleId)"))
        },
        changed("a product for which the rules serve nothing", 503, "no-answer") {
            $0.setting("productId", "\"\(TestPayload.silentProduct)\"")
        },
        accepted("a request whose exp has passed") { $0.adding("exp", "1") },
        accepted("a request whose nbf is ahead") { $0.adding("nbf", "9999999999") },
        accepted("members that Apple may add") {
            $0.adding("bundleId", "\"x\"").adding("more", #"{"a":[1.5]}"#)
        },
        accepted("a UUID in capitals") {
            $0.setting("requestIdentifier", "\"3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9\"")
        },
        accepted("a locale with an underscore") { $0.setting("userLocale", "\"en_US\"") },
        accepted("a locale that the rules do not name") { $0.setting("userLocale", "\"tlh\"") },
        accepted("a transaction that is not a number") {
            $0.setting("originalTransactionId", "\"a b\\u00e9\"")
        },
        accepted(
            "a request signed half a minute ahead",
            forge: { forge in
                forge.payload.setting("signedDate", "\(forge.now + 30_000)")
            }
        ),
    ]

    private static func raw(_ name: String, _ payload: String) -> ZooRow {
        ZooRow(name, 400, "payload-not-json") { try $0.body(rawPayload: Array(payload.utf8)) }
    }

    private static func rewritten(
        _ name: String, _ code: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> ZooRow {
        ZooRow(name, 400, code) { try $0.body(rawPayload: change($0.payload.text)) }
    }

    private static func changed(
        _ name: String, _ status: Int, _ code: String,
        _ change: @escaping @Sendable (TestObject) -> TestObject
    ) -> ZooRow {
        ZooRow(name, status, code) { try $0.body(change($0.payload)) }
    }

    private static func changed(
        _ name: String, _ status: Int, _ code: String, signedDate: @escaping @Sendable (Int64) -> String
    ) -> ZooRow {
        ZooRow(name, status, code) { forge in
            try forge.body(forge.payload.setting("signedDate", signedDate(forge.now)))
        }
    }

    private static func environment(_ name: String, _ environment: String) -> ZooRow {
        changed(name, 403, "environment-not-configured") { $0.setting("environment", "\"\(environment)\"") }
    }

    private static func accepted(_ name: String, _ change: @escaping @Sendable (TestObject) -> TestObject)
        -> ZooRow
    {
        ZooRow(accepted: name) { try $0.body(change($0.payload)) }
    }

    private static func accepted(_ name: String, forge change: @escaping @Sendable (ZooForge) -> TestObject)
        -> ZooRow
    {
        ZooRow(accepted: name) { try $0.body(change($0)) }
    }
}
