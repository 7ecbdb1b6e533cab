internal import AppStoreSimulator
internal import Cryptography
import Testing

package struct NotificationZooRow: Sendable, CustomTestStringConvertible {
    package let name: String
    package let status: Int
    package let code: String?
    package var failedParts: [String: String] = [:]
    package var unusable: [String] = []
    package let body: @Sendable (ZooForge) throws -> [UInt8]

    package init(
        _ name: String, _ status: Int, _ code: String,
        _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.body = body
    }

    package init(
        accepted name: String, failedParts: [String: String] = [:], unusable: [String] = [],
        _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        status = 200
        code = nil
        self.failedParts = failedParts
        self.unusable = unusable
        self.body = body
    }

    package var testDescription: String { name }
}

package enum NotificationZoo {
    /// The rows of ``Zoo`` that are refused before anybody looks at the certificates. They hold for notifications, too.
    package static var common: [ZooRow] { (Zoo.json + Zoo.compact + Zoo.header).filter { $0.code != nil } }

    package static var rows: [NotificationZooRow] {
        version1 + payload + identity + otherObjects + time + parts + foreignParts + unknown + sizes
    }
}

extension NotificationZoo {
    static let version1: [NotificationZooRow] = [
        old("a notification of version 1", old1),
        old("version 1 with a receipt alone", #"{"unified_receipt":{"status":0}}"#),
        old("version 1 with a type alone", #"{"notification_type":"DID_RENEW"}"#),
        old("version 1 with white space", "\n { \"notification_type\" : \"CANCEL\" } "),
        old("version 1 with a type that does not exist", #"{"notification_type":"SOMETHING"}"#),
        old(
            "version 1 with a receipt of 300 KB",
            #"{"notification_type":"DID_RENEW","unified_receipt":{"latest_receipt":""#
                + String(repeating: "MIIT", count: 75_000) + #""}}"#
        ),
        body("version 1 with a number as type", "signed-payload-missing", #"{"notification_type":1}"#),
        body("version 1 with a string as receipt", "signed-payload-missing", #"{"unified_receipt":""}"#),
        body(
            "version 1 with an empty signedPayload",
            "jws-not-three-parts",
            #"{"notification_type":"DID_RENEW","signedPayload":""}"#
        ),
        body(
            "version 1 with signedPayload null",
            "signed-payload-missing",
            #"{"notification_type":"DID_RENEW","signedPayload":null}"#
        ),
        body("version 1 in an array", "body-not-json", #"[{"notification_type":"DID_RENEW"}]"#),
        body(
            "version 1 with a member twice",
            "body-not-json",
            #"{"notification_type":"DID_RENEW","notification_type":"CANCEL"}"#
        ),
        body("an object without members", "signed-payload-missing", "{}"),
        NotificationZooRow(accepted: "a signed notification beside members of version 1") { forge in
            let token = try forge.body(forge.notification()).dropFirst(18).dropLast(2)
            let text = String(decoding: token, as: UTF8.self)
            return Array(#"{"notification_type":"DID_RENEW","signedPayload":"\#(text)"}"#.utf8)
        },
        NotificationZooRow(accepted: "a body with white space") { forge in
            let body = String(decoding: try forge.body(forge.notification()), as: UTF8.self)
            return Array("\r\n\(body.replacing(":\"ey", with: " : \"ey")) \t".utf8)
        },
    ]

    static let payload: [NotificationZooRow] = unreadable + incomplete + mistyped

    private static let unreadable: [NotificationZooRow] = [
        raw("an empty payload", ""), raw("a payload that is not JSON", "hello"),
        raw("a payload that is an array", "[]"), raw("a payload that is null", "null"),
        raw("a payload with a name twice", #"{"notificationType":"TEST","notificationType":"TEST"}"#),
        raw("a payload that is nested too deeply", nested),
    ]

    private static let incomplete: [NotificationZooRow] = [
        missing("a payload without members") { _ in Array("{}".utf8) },
        missing("a request for a retention message") { $0.payload.text },
        missing("a transaction by itself") { $0.subscription.transaction(signedDate: $0.now).json },
        missing("a renewal info by itself") { $0.subscription.renewalInfo(signedDate: $0.now).json },
        missing("an app transaction by itself") {
            $0.subscription.appTransaction(signedDate: $0.now).json
        },
        missing("a notification without type") { try changed($0, "notificationType", nil) },
        missing("a notification without UUID") { try changed($0, "notificationUUID", nil) },
    ]

    private static let mistyped: [NotificationZooRow] =
        ["null", "1", "true", "[]", "{}", #""""#].flatMap { json in
            ["notificationType", "notificationUUID"].map { name in
                NotificationZooRow("\(name) as \(json.prefix(8))", 400, "payload-member-mistyped") {
                    try $0.notification(raw: changed($0, name, json))
                }
            }
        }

    private static let old1 = """
        {"notification_type":"DID_RENEW","password":"a shared secret","environment":"PROD","bid":"com.example.app",\
        "bvrs":"42","auto_renew_product_id":"com.example.product","auto_renew_status":"true",\
        "unified_receipt":{"environment":"Production","status":0,"latest_receipt":"MIIT"}}
        """

    private static let nested =
        #"{"notificationType":"TEST","x":"# + String(repeating: "[", count: 64)
        + String(repeating: "]", count: 64) + "}"

    private static func body(_ name: String, _ code: String, _ text: String) -> NotificationZooRow {
        NotificationZooRow(name, 400, code) { _ in Array(text.utf8) }
    }

    private static func old(_ name: String, _ text: String) -> NotificationZooRow {
        body(name, "notification-version-1", text)
    }

    private static func raw(_ name: String, _ text: String) -> NotificationZooRow {
        NotificationZooRow(name, 400, "payload-not-json") { try $0.notification(raw: Array(text.utf8)) }
    }

    private static func missing(
        _ name: String,
        _ payload: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) -> NotificationZooRow {
        NotificationZooRow(name, 400, "payload-member-missing") { try $0.notification(raw: payload($0)) }
    }

    private static func changed(_ forge: ZooForge, _ name: String, _ json: String?) throws -> [UInt8] {
        var members = try forge.notification("TEST", nil).members
        members.set(name, json: json)
        return members.json
    }
}

extension NotificationZoo {
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

    private static func sized(_ forge: ZooForge, _ byteCount: Int) throws -> [UInt8] {
        let payload = try forge.notification("TEST", nil)
        let members = payload.members.with { $0.set("data", members: payload.object) }
        let left = byteCount - members.with { $0.set("x", text: "") }.json.count
        return members.with { $0.set("x", text: String(repeating: "x", count: left)) }.json
    }

    private static func spaced(_ forge: ZooForge, _ byteCount: Int) throws -> [UInt8] {
        let body = try forge.body(forge.notification())
        return [UInt8](repeating: UInt8(ascii: " "), count: byteCount - body.count) + body
    }
}

extension ZooForge {
    static func payload(of token: [UInt8]) throws -> [UInt8] {
        let parts = token.split(separator: UInt8(ascii: "."))
        guard parts.count == 3, let payload = Base64URL.decode(Array(parts[1]).span) else {
            throw Malformed()
        }
        return payload
    }

    static func position(of text: String, in bytes: [UInt8]) throws -> Int {
        let pattern = Array(text.utf8)
        let found = bytes.indices.first { bytes[$0...].starts(with: pattern) }
        guard let found else { throw Malformed() }
        return found
    }

    private struct Malformed: Error {}
}
