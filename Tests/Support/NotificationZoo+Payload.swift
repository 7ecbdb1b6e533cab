internal import AppStoreTraffic
internal import Cryptography

/// Rows about bodies and payloads that are no notification of version 2.
extension NotificationZoo {
    /// Bodies in the format of version 1, which has no signature.
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

    /// Signed payloads that are no notification, or lack what makes them one.
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
        (["null", "1", "true", "[]", "{}", #""""#] + unreadableValues)
        .flatMap { json in
            ["notificationType", "notificationUUID"].map { name in
                NotificationZooRow("\(name) as \(json.prefix(8))", 400, "payload-member-mistyped") {
                    try $0.notification(raw: changed($0, name, json))
                }
            }
        }

    /// Values, in JSON, that jansson does not read. In another member they make the member unusable, and not the notification.
    public static let unreadableValues = [
        "18446744073709551616", "-1e999", #""TEST\u0000""#, #""\ud83d""#, #""\udc00 TEST""#,
    ]

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

    /// Returns the payload of a test notification with one member changed.
    private static func changed(_ forge: ZooForge, _ name: String, _ json: String?) throws -> [UInt8] {
        var members = try forge.notification("TEST", nil).members
        members.set(name, json: json)
        return members.json
    }
}
