package import AppStoreSimulator
package import CertificateAuthority
internal import Cryptography

/// Rows about the signed parts. The notifications are sound, so they are all accepted; the faulty part is marked.
extension NotificationZoo {
    static let parts: [NotificationZooRow] = malformedParts + badSignatures

    private static let malformed: [(json: String, code: String)] = [
        ("7", "payload-member-mistyped"), ("true", "payload-member-mistyped"),
        (#"["a.b.c"]"#, "payload-member-mistyped"), (#"{"a":"b"}"#, "payload-member-mistyped"),
        (#""""#, "jws-not-three-parts"), (#""e30.e30""#, "jws-not-three-parts"),
        (#""e30.e30.e30.e30""#, "jws-not-three-parts"), (#""e30.e30.!!!!""#, "jws-bad-base64url"),
        (#""aGVsbG8.e30.e30""#, "jws-header-not-json"), (#""e30.e30.e30""#, "jws-alg-missing"),
        (#""eyJhbGciOiJub25lIn0.e30.""#, "jws-alg-not-es256"),
        (#""eyJhbGciOiJFUzI1NiJ9.e30.e30""#, "jws-x5c-missing"),
    ]

    private static let malformedParts: [NotificationZooRow] =
        names.flatMap { name in
            malformed.map { json, code in
                NotificationZooRow(accepted: "\(name) as \(json)", failedParts: [name: code]) { forge in
                    try forge.body(holder(of: name, forge).with { $0.objectOverrides = [(name, json)] })
                }
            }
        }
        + names.map { name in
            NotificationZooRow(accepted: "\(name) null") { forge in
                try forge.body(holder(of: name, forge).with { $0.objectOverrides = [(name, "null")] })
            }
        }

    private static let badSignatures: [NotificationZooRow] = [
        signed("a part with a flipped bit in its signature", "signature-invalid") { forge, payload in
            let input = TestSigner.signingInput(forge.trusted.header.text, payload.json)
            let signature = try forge.trusted.key.sign(input.span)
            return TestSigner.token(input, signature: [signature[0] ^ 1] + signature.dropFirst())
        },
        signed("a part with a signature in DER", "signature-not-64-bytes") { forge, payload in
            let input = TestSigner.signingInput(forge.trusted.header.text, payload.json)
            return TestSigner.token(input, signature: try forge.trusted.key.signDER(input.span))
        },
        signed("a part with a payload that is not JSON", "payload-not-json") { forge, _ in
            try forge.trusted.token(Array("hello".utf8))
        },
        signed("a part with a payload that is an array", "payload-not-json") { forge, _ in
            try forge.trusted.token(Array("[]".utf8))
        },
        signed("a part with a member twice", "payload-not-json") { forge, payload in
            try forge.trusted.token(payload.with { $0.append("environment", json: "1") }.json)
        },
        signed("a part under a foreign root", "anchor-unknown") { forge, payload in
            try forge.foreign.token(payload.json)
        },
        signed("a part under the strict app's root", "anchor-not-for-app") { forge, payload in
            try forge.strict.token(payload.json)
        },
        chained("a part with a leaf without Apple's marker", "leaf-marker-missing") { $0.markers = [] },
        chained("a part with a leaf that is an authority", "leaf-usage-unsuitable") { $0.isCA = true },
        chained("a part with a leaf of a bad signature", "chain-invalid") {
            $0.hasDamagedSignature = true
        },
        chained("a part with an expired leaf", "certificate-expired") {
            $0.notAfterMilliseconds -= 366 * ZooForge.day
        },
        chained("a part with a new leaf under the known intermediate", nil) { _ in },
    ]

    private static let differences: [(part: String, member: String, json: String?, code: String?)] = [
        ("signedTransactionInfo", "bundleId", #""com.example.other""#, "app-differs"),
        ("signedTransactionInfo", "bundleId", nil, nil),
        ("signedTransactionInfo", "bundleId", "7", "app-differs"),
        ("signedTransactionInfo", "environment", #""Sandbox""#, "environment-differs"),
        ("signedTransactionInfo", "environment", nil, "environment-differs"),
        ("signedTransactionInfo", "signedDate", "0", "certificate-not-yet-valid"),
        ("signedTransactionInfo", "signedDate", "9007199254740991", "certificate-expired"),
        ("signedTransactionInfo", "signedDate", nil, nil),
        ("signedTransactionInfo", "signedDate", #""x""#, nil),
        ("signedRenewalInfo", "environment", #""Sandbox""#, "environment-differs"),
        ("signedRenewalInfo", "environment", nil, "environment-differs"),
        ("signedRenewalInfo", "signedDate", "0", "certificate-not-yet-valid"),
        ("signedRenewalInfo", "bundleId", #""com.example.other""#, nil),
        ("signedAppTransactionInfo", "bundleId", #""com.example.other""#, "app-differs"),
        ("signedAppTransactionInfo", "bundleId", nil, nil),
        ("signedAppTransactionInfo", "appAppleId", "531412", "app-differs"),
        ("signedAppTransactionInfo", "appAppleId", nil, nil),
        ("signedAppTransactionInfo", "appAppleId", #""6745974591""#, "app-differs"),
        ("signedAppTransactionInfo", "receiptType", #""Sandbox""#, "environment-differs"),
        ("signedAppTransactionInfo", "receiptType", nil, "environment-differs"),
        ("signedAppTransactionInfo", "receiptCreationDate", "0", "certificate-not-yet-valid"),
    ]

    static let foreignParts: [NotificationZooRow] =
        differences.map { part, member, json, code in
            NotificationZooRow(
                accepted: "\(part) with \(member) \(json ?? "missing")",
                failedParts: code.map { [part: $0] } ?? [:]
            ) { forge in
                let notification = try holder(of: part, forge)
                let payload = try Self.payload(of: part, notification).with { $0.set(member, json: json) }
                let token = try forge.part(payload)
                return try forge.body(
                    notification.with { $0.objectOverrides = [(part, "\"\(token)\"")] }
                )
            }
        }
        + [
            NotificationZooRow(
                accepted: "both parts faulty",
                failedParts: [
                    "signedTransactionInfo": "jws-not-three-parts",
                    "signedRenewalInfo": "payload-member-mistyped",
                ]
            ) { forge in
                try forge.notification {
                    $0.objectOverrides = [
                        ("signedTransactionInfo", #""x""#), ("signedRenewalInfo", "1"),
                    ]
                }
            },
            NotificationZooRow(accepted: "the same JWS in both parts") { forge in
                let part = "\"\(try forge.part(forge.subscription.transaction(signedDate: forge.now)))\""
                return try forge.notification {
                    $0.objectOverrides = [("signedTransactionInfo", part), ("signedRenewalInfo", part)]
                }
            },
            NotificationZooRow(accepted: "a part that is written with escapes") { forge in
                let part = try forge.part(forge.subscription.transaction(signedDate: forge.now))
                let json = "\"\\u0065\(part.dropFirst())\""
                return try forge.notification { $0.objectOverrides = [("signedTransactionInfo", json)] }
            },
            NotificationZooRow(accepted: "a part under data that belongs under appData") { forge in
                try forge.notification { $0.objectOverrides = [("signedAppTransactionInfo", "1")] }
            },
        ]

    private static let names = ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]
}

extension NotificationZoo {
    private static func holder(of part: String, _ forge: ZooForge) throws -> NotificationPayload {
        part == "signedAppTransactionInfo"
            ? try forge.notification("RESCIND_CONSENT", nil) : try forge.notification()
    }

    private static func payload(of part: String, _ notification: NotificationPayload) throws -> PayloadMembers
    {
        switch part {
        case "signedTransactionInfo": notification.transaction ?? PayloadMembers()
        case "signedRenewalInfo": notification.renewalInfo ?? PayloadMembers()
        default: notification.appTransaction ?? PayloadMembers()
        }
    }

    private static func signed(
        _ name: String,
        _ code: String?,
        _ sign: @escaping @Sendable (ZooForge, PayloadMembers) throws -> [UInt8]
    ) -> NotificationZooRow {
        NotificationZooRow(
            accepted: name,
            failedParts: code.map { ["signedTransactionInfo": $0] } ?? [:]
        ) { forge in
            let token = try sign(forge, forge.subscription.transaction(signedDate: forge.now - 2000))
            return try forge.notification {
                $0.objectOverrides = [
                    ("signedTransactionInfo", "\"\(String(decoding: token, as: UTF8.self))\"")
                ]
            }
        }
    }

    private static func chained(
        _ name: String,
        _ code: String?,
        _ change: @escaping @Sendable (inout CertificateRecipe) -> Void
    ) -> NotificationZooRow {
        signed(name, code) { forge, payload in
            try TestSigner(leaf(of: forge, change)).token(payload.json)
        }
    }

    package static func leaf(
        of forge: ZooForge,
        _ change: (inout CertificateRecipe) -> Void
    ) throws -> AppleShapedChain {
        AppleShapedChain(
            root: forge.trusted.chain.root,
            intermediate: forge.trusted.chain.intermediate,
            leaf: try forge.leaf(change)
        )
    }
}
