internal import AppStoreSimulator
internal import CertificateAuthority

extension NotificationZoo {
    private static let bundleIdentifiers: [(json: String?, what: String)] = [
        (nil, "missing"), ("null", "null"), ("7", "a number"), (#""""#, "empty"),
        (#""com.example.other""#, "another"), (#""com.example.App""#, "in other letters"),
        (#""com.example.app ""#, "with a space"),
    ]

    private static let appNumbers: [(json: String?, what: String)] = [
        (nil, "missing"), ("null", "null"), ("531412", "another"), (#""6745974591""#, "a string"),
        ("6745974591.0", "with a fraction"), ("0", "zero"), ("-6745974591", "negative"),
        ("\(TestPayload.strictAppAppleId)", "of another configured app"),
    ]

    private static let environments: [(json: String?, what: String)] = [
        (nil, "missing"), ("null", "null"), ("1", "a number"), (#""Xcode""#, "Xcode"),
        (#""LocalTesting""#, "LocalTesting"), (#""production""#, "in small letters"),
        (#""Staging""#, "that does not exist yet"),
    ]

    static let identity: [NotificationZooRow] =
        bundleIdentifiers.map { json, what in
            changed("the bundle identifier \(what)", "app-unknown", ("bundleId", json))
        }
        + appNumbers.map { json, what in
            changed("the app number \(what)", "app-unknown", ("appAppleId", json))
        }
        + environments.map { json, what in
            changed("the environment \(what)", "environment-not-configured", ("environment", json))
        }
        + [
            NotificationZooRow(accepted: "the sandbox without an app number") { try sandbox($0, nil) },
            NotificationZooRow(accepted: "the sandbox with another app number") { try sandbox($0, "531412") },
            changed(
                "another app in an unknown environment",
                "app-unknown",
                ("bundleId", #""com.example.other""#),
                ("environment", #""Mars""#)
            ),
            NotificationZooRow("the strict app under the other app's anchor", 401, "anchor-not-for-app") {
                try $0.body(strict($0))
            },
            NotificationZooRow("the app under the strict app's anchor", 401, "anchor-not-for-app") {
                try SignedRequestBuilder(chain: $0.strict.chain).body($0.notification())
            },
            NotificationZooRow(accepted: "the strict app under its own anchor") {
                try SignedRequestBuilder(chain: $0.strict.chain).body(strict($0))
            },
            NotificationZooRow("the strict app in the sandbox", 403, "environment-not-configured") { forge in
                var payload = try strict(forge)
                payload.object.set("environment", text: "Sandbox")
                return try SignedRequestBuilder(chain: forge.strict.chain).body(payload)
            },
        ]

    private static let otherKinds: [(type: String, subtype: String?)] = [
        ("RENEWAL_EXTENSION", "SUMMARY"), ("EXTERNAL_PURCHASE_TOKEN", "CREATED"), ("RESCIND_CONSENT", nil),
        ("UNCLAIM_SEATS", nil),
    ]

    static let otherObjects: [NotificationZooRow] =
        otherKinds.map { type, subtype in
            NotificationZooRow("\(type) of another app", 403, "app-unknown") { forge in
                let payload = try forge.notification(type, subtype)
                return try forge.body(payload.with { $0.object.set("bundleId", text: "com.example.other") })
            }
        }
        + [
            object("a sandbox token of an app that is served in Production alone", 403) {
                $0.object.set("bundleId", text: TestPayload.strictBundleId)
                $0.object.set("externalPurchaseId", text: "SANDBOX_1")
            },
            NotificationZooRow(accepted: "a token without identifier, which is of Production") { forge in
                let payload = try forge.notification("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED")
                return try forge.body(payload.with { $0.object.set("externalPurchaseId", text: nil) })
            },
            unclaimed("unclaimInfo without bundle identifier", "app-unknown") {
                $0.object.set("bundleId", text: nil)
            },
            unclaimed("unclaimInfo without environment", "environment-not-configured") {
                $0.object.set("environment", text: nil)
            },
            unclaimed("unclaimInfo of Production without app number", "app-unknown") {
                $0.object.set("appAppleId", number: nil)
            },
            unclaimed("no object", "owner-unknown") { $0.objectName = nil },
            unclaimed("an object that does not exist yet", "owner-unknown") {
                $0.objectName = "somethingNew"
            },
            unclaimed("data null", "owner-unknown") {
                $0.objectName = nil
                $0.overrides = [("data", "null")]
            },
            unclaimed("data a string", "owner-unknown") {
                $0.objectName = nil
                $0.overrides = [("data", #""x""#)]
            },
            unclaimed("every object of a wrong type", "owner-unknown") {
                $0.objectName = nil
                $0.overrides = names.map { ($0, "[]") }
            },
            NotificationZooRow(accepted: "data null beside a summary") { forge in
                let payload = try forge.notification("RENEWAL_EXTENSION", "SUMMARY")
                return try forge.body(payload.with { $0.overrides = [("data", "null")] })
            },
            NotificationZooRow("data of another app beside a sound summary", 403, "app-unknown") { forge in
                let payload = try forge.notification("RENEWAL_EXTENSION", "SUMMARY")
                let other = #"{"bundleId":"com.example.other","environment":"Sandbox"}"#
                return try forge.body(payload.with { $0.overrides = [("data", other)] })
            },
        ]

    private static let names = ["data", "summary", "externalPurchaseToken", "appData", "unclaimInfo"]

    static let time: [NotificationZooRow] = [
        dated("a notification signed a minute ahead", nil) { $0.now + 60_000 },
        dated("a notification signed more than a minute ahead", "signed-date-ahead") { $0.now + 60_001 },
        dated("a notification signed a month ahead", "signed-date-ahead") { $0.now + 30 * ZooForge.day },
        dated("a notification of the last retry", nil) { $0.now - 157 * 3_600_000 },
        dated("a notification signed before its certificates", "certificate-not-yet-valid") {
            $0.now - 31 * ZooForge.day
        },
        dated("a notification signed in 1970", "certificate-not-yet-valid") { _ in 0 },
        dated("the smallest date", "certificate-not-yet-valid") { _ in .min },
        dated("the greatest date", "certificate-expired") { _ in .max },
        dated("a notification signed after its certificates", "certificate-expired") {
            $0.now + 366 * ZooForge.day
        },
        NotificationZooRow(accepted: "a notification without date") { forge in
            try forge.notification { $0.members.set("signedDate", number: nil) }
        },
        NotificationZooRow(accepted: "a date as a string", unusable: ["signedDate"]) { forge in
            try forge.notification { $0.members.set("signedDate", text: "1700000000000") }
        },
        NotificationZooRow(accepted: "an old notification of a leaf that has expired since") { forge in
            let chain = try leaf(of: forge) { $0.notAfterMilliseconds = forge.now - ZooForge.day }
            let date = forge.now - 2 * ZooForge.day
            let payload = try forge.notification().with {
                $0.members.set("signedDate", number: date)
                $0.transaction?.set("signedDate", number: date)
                $0.renewalInfo?.set("signedDate", number: date)
            }
            return try SignedRequestBuilder(chain: chain).body(payload)
        },
        NotificationZooRow("a notification of another app from the future", 403, "app-unknown") { forge in
            try forge.notification {
                $0.members.set("signedDate", number: forge.now + ZooForge.day)
                $0.object.set("bundleId", text: "com.example.other")
            }
        },
    ]
}

extension NotificationZoo {
    private static func changed(
        _ name: String,
        _ code: String,
        _ members: (String, String?)...
    ) -> NotificationZooRow {
        NotificationZooRow(name, 403, code) { forge in
            try forge.notification { payload in
                for (member, json) in members { payload.object.set(member, json: json) }
            }
        }
    }

    private static func strict(_ forge: ZooForge) throws -> NotificationPayload {
        var sample = forge.subscription
        sample.appAppleId = TestPayload.strictAppAppleId
        sample.bundleId = TestPayload.strictBundleId
        return try forge.notification(of: sample)
    }

    private static func sandbox(_ forge: ZooForge, _ number: String?) throws -> [UInt8] {
        var sample = forge.subscription
        sample.environment = "Sandbox"
        var payload = try forge.notification(of: sample)
        payload.object.set("appAppleId", json: number)
        return try forge.body(payload)
    }

    private static func object(
        _ name: String,
        _ status: Int,
        _ change: @escaping @Sendable (inout NotificationPayload) -> Void
    ) -> NotificationZooRow {
        NotificationZooRow(name, status, "environment-not-configured") { forge in
            var sample = forge.subscription
            sample.appAppleId = TestPayload.strictAppAppleId
            let payload = try forge.notification("EXTERNAL_PURCHASE_TOKEN", "CREATED", of: sample)
            return try SignedRequestBuilder(chain: forge.strict.chain).body(payload.with(change))
        }
    }

    private static func unclaimed(
        _ name: String,
        _ code: String,
        _ change: @escaping @Sendable (inout NotificationPayload) -> Void
    ) -> NotificationZooRow {
        NotificationZooRow(name, 403, code) { forge in
            try forge.body(forge.notification("UNCLAIM_SEATS", nil).with(change))
        }
    }

    private static func dated(
        _ name: String,
        _ code: String?,
        _ date: @escaping @Sendable (ZooForge) -> Int64
    ) -> NotificationZooRow {
        let body: @Sendable (ZooForge) throws -> [UInt8] = { forge in
            try forge.notification { $0.members.set("signedDate", number: date(forge)) }
        }
        guard let code else { return NotificationZooRow(accepted: name, body) }
        return NotificationZooRow(name, code == "signed-date-ahead" ? 503 : 401, code, body)
    }
}
