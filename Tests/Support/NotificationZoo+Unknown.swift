internal import AppStoreTraffic
internal import Cryptography

/// Rows about words, members and values that this version does not know, and about sizes.
extension NotificationZoo {
    /// Whatever Apple may add or change. A notification is stored with it.
    static let unknown: [NotificationZooRow] = [
        changed("a type that does not exist yet") {
            $0.members.set("notificationType", text: "SOMETHING_NEW")
            $0.members.set("subtype", text: "VERY_NEW")
        },
        changed("a type in another language") { $0.members.set("notificationType", text: "解約\u{202e}") },
        changed("a UUID that is no UUID") { $0.members.set("notificationUUID", text: "number 7") },
        changed("a UUID in capitals") {
            $0.members.set("notificationUUID", text: "3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9")
        },
        changed("a UUID of 600 bytes") {
            $0.members.set("notificationUUID", text: String(repeating: "7", count: 600))
        },
        changed("a type of 600 bytes") {
            $0.members.set("notificationType", text: String(repeating: "N", count: 600))
        },
        changed("members and parts with 64 levels") { payload in
            let json = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
            payload.overrides.append(("new", "[\(json)]"))
            payload.object.set("new", json: json)
            payload.transaction?.set("new", json: json)
        },
        changed("another version") { $0.members.set("version", text: "3.0") },
        changed("no version") { $0.members.set("version", text: nil) },
        changed("a subtype of a wrong type", ["subtype"]) { $0.members.set("subtype", number: 7) },
        changed("an empty subtype", ["subtype"]) { $0.members.set("subtype", text: "") },
        changed("a version of a wrong type", ["version"]) { $0.members.set("version", number: 2) },
        changed("a status that does not exist yet") { $0.object.set("status", number: 77) },
        changed("a status beyond 32 bits", ["status"]) { $0.object.set("status", number: 1 << 31) },
        changed("a status of a wrong type", ["status"]) { $0.object.set("status", text: "active") },
        changed("a bundle version of a wrong type", ["bundleVersion"]) {
            $0.object.set("bundleVersion", number: 42)
        },
        changed("a reason that does not exist yet") {
            $0.object.set("consumptionRequestReason", text: "BORED")
        },
        changed("members that do not exist yet") { payload in
            for json in [#"{"a":[1,2.5,null]}"#, "[]", "1e300", "-0.0", "null", #""\ud83d\ude00""#] {
                let name = "new\(json.count)"
                payload.overrides.append((name, json))
                payload.object.set(name, json: json)
                payload.transaction?.set(name, json: json)
                payload.renewalInfo?.set(name, json: json)
            }
        },
        changed("parts with words that do not exist yet") { payload in
            for name in [
                "type", "inAppOwnershipType", "transactionReason", "offerDiscountType", "revocationType",
            ] {
                payload.transaction?.set(name, text: "NEW_WORD")
                payload.renewalInfo?.set(name, text: "NEW_WORD")
            }
            payload.transaction?.set("offerType", number: 99)
            payload.renewalInfo?.set("expirationIntent", number: -1)
        },
        changed("parts with values of wrong types") { payload in
            for name in ["price", "quantity", "purchaseDate", "commitmentInfo", "isUpgraded", "offerType"] {
                payload.transaction?.set(name, text: "wrong")
            }
            payload.renewalInfo?.set("eligibleWinBackOfferIds", json: #"["a",1]"#)
        },
        changed("parts with null alone") { payload in
            for name in payload.transaction?.names ?? [] where name != "bundleId" && name != "environment" {
                payload.transaction?.set(name, json: "null")
            }
        },
        NotificationZooRow(accepted: "a test notification, which has no transaction") {
            try $0.body($0.notification("TEST", nil))
        },
        NotificationZooRow(accepted: "a notification in another order of members") { forge in
            let whole = try SignedRequestBuilder(chain: forge.trusted.chain).compact(forge.notification())
            let payload = try ZooForge.payload(of: whole)
            let end = try ZooForge.position(of: #","data":"#, in: payload)
            let data = payload[(end + 1)...].dropLast()
            let text = Array("{".utf8) + data + Array(",".utf8) + payload[1..<end] + Array("}".utf8)
            return try forge.notification(raw: text)
        },
    ]

    /// Payloads that are as long as the limit, and longer.
    static let sizes: [NotificationZooRow] = [
        NotificationZooRow(accepted: "a payload of 512 KiB") {
            try $0.notification(raw: sized($0, 512 * 1024))
        },
        NotificationZooRow("a payload of more than 512 KiB", 400, "payload-not-json") {
            try $0.notification(raw: sized($0, 512 * 1024 + 1))
        },
        NotificationZooRow(accepted: "a body of 512 KiB that is not in Apple's form") {
            try spaced($0, 512 * 1024)
        },
        NotificationZooRow("a longer body that is not in Apple's form", 400, "body-not-json") {
            try spaced($0, 512 * 1024 + 1)
        },
        NotificationZooRow(accepted: "a thousand unknown members") { forge in
            try forge.notification { payload in
                for number in 0..<1000 { payload.overrides.append(("member\(number)", "\(number)")) }
            }
        },
        NotificationZooRow(accepted: "ten thousand seats") { forge in
            let payload = try forge.notification("UNCLAIM_SEATS", nil)
            let seats = (0..<10_000).map { "seat-\($0)" }
            return try forge.body(payload.with { $0.object.set("unclaimSeatIds", texts: seats) })
        },
    ]

    private static func changed(
        _ name: String, _ unusable: [String] = [],
        _ change: @escaping @Sendable (inout NotificationPayload) -> Void
    ) -> NotificationZooRow {
        NotificationZooRow(accepted: name, unusable: unusable) { forge in try forge.notification(change) }
    }

    /// Returns the payload of a test notification with `byteCount` bytes.
    private static func sized(_ forge: ZooForge, _ byteCount: Int) throws -> [UInt8] {
        let payload = try forge.notification("TEST", nil)
        let members = payload.members.with { $0.set("data", members: payload.object) }
        let left = byteCount - members.with { $0.set("x", text: "") }.json.count
        return members.with { $0.set("x", text: String(repeating: "x", count: left)) }.json
    }

    /// Returns a sound body with so many spaces before it that it has `byteCount` bytes.
    private static func spaced(_ forge: ZooForge, _ byteCount: Int) throws -> [UInt8] {
        let body = try forge.body(forge.notification())
        return [UInt8](repeating: UInt8(ascii: " "), count: byteCount - body.count) + body
    }
}

extension ZooForge {
    /// Returns the decoded payload of a JWS.
    static func payload(of token: [UInt8]) throws -> [UInt8] {
        let parts = token.split(separator: UInt8(ascii: "."))
        guard parts.count == 3, let payload = Base64URL.decode(Array(parts[1]).span) else {
            throw Malformed()
        }
        return payload
    }

    /// Returns where `text` begins.
    static func position(of text: String, in bytes: [UInt8]) throws -> Int {
        let pattern = Array(text.utf8)
        let found = bytes.indices.first { bytes[$0...].starts(with: pattern) }
        guard let found else { throw Malformed() }
        return found
    }

    private struct Malformed: Error {}
}
