import AppStoreSimulator
@testable import NotificationStore
import SignedPayloads
import SQL
import Support
import Testing

@Suite("Payloads that are sound and strange")
struct StrangePayloadTests {
    private static let forge = Result { try ZooForge(now: TestPKI.now) }

    /// Texts, in JSON, that a database might take for something else, cannot keep, or compares in a way of its own.
    private static let texts = [
        #"" ""#, #""\u0001\t\n\u001f\u007f\u0080\u009f""#, #""\u202e\u200b\ufeff""#, #""\uffff\ufffe\ufdd0""#,
        #""\ud83d\ude00\udbff\udfff""#, #""\u00e9""#, #""e\u0301""#, #""\u00c9""#, #""ß ﬁ İ ı ſ K""#,
        #""'; DROP TABLE notifications; --""#, #""$1 ? %s %n \\x00 \\000 \\N \\""#, #""NULL""#, #""nan""#,
        #""0""#, #""0x10""#, #""1e3""#, #""2024-02-30""#, #""{}""#, #""a.b.c""#,
        "\"\(String(repeating: "x", count: 256))\"", "\"\(String(repeating: "\\u0800", count: 85))\"",
    ]

    private static let values = [
        "null", "true", "false", "[]", "{}", "[[]]", "[null]", #"[1,"x",{}]"#, #"{"a":{"b":[]}}"#, #""""#,
        "\"\(String(repeating: "x", count: 5000))\"", "0", "-0", "-1", "2", "2147483648", "-2147483649",
        "9223372036854775807", "-9223372036854775808", "1.0", "-0.0", "1.5", "1E3", "1e308", "-1e-320",
        "253402300799999", "253402300800000", "-62135596800000", "1700000000000.5",
    ]

    /// Returns an item of a notification in which every member has this value, but for those that say whose it is.
    private static func item(_ json: String, _ number: UInt64) throws -> StoreItem {
        let forge = try forge.get()
        var payload = try forge.notification(number: number)
        if texts.contains(json) { payload.members.set("notificationType", json: json) }
        for name in ["subtype", "version", "aNewMember"] { payload.members.set(name, json: json) }
        for name in ["bundleVersion", "status", "consumptionRequestReason", "aNewMember"] {
            payload.object.set(name, json: json)
        }
        let kept: Set = ["bundleId", "environment", "signedDate"]
        for name in TransactionColumns.members.keys.sorted() where !kept.contains(name) {
            payload.transaction?.set(name, json: json)
        }
        for name in RenewalColumns.members.keys.sorted() where !kept.contains(name) {
            payload.renewalInfo?.set(name, json: json)
        }
        payload.transaction?.set("commitmentInfo", json: #"{"billingPeriodNumber":\#(json)}"#)
        payload.transaction?.set("advancedCommerceInfo", json: #"{"items":[{"SKU":\#(json)}]}"#)
        return try item(payload)
    }

    private static func item(_ payload: NotificationPayload) throws -> StoreItem {
        let forge = try forge.get()
        let body = try forge.body(payload)
        let verified = try forge.verifier().verifyNotification(body: body.span, nowMilliseconds: forge.now)
        #expect(verified.payload.failedParts.isEmpty)
        return StoreItem(verified, source: .push, receivedAt: forge.now)
    }

    private static func content(_ place: TestStore) throws -> [[SQLRow]] {
        try [StoreTable.notifications, .transactions, .renewals].map { table in
            let columns = table.payloadColumns + [table == .notifications ? "uuid" : "digest", "unfit"]
            return try place.connect().query(
                "SELECT " + .list(columns) + " FROM " + table.name + " ORDER BY id")
        }
    }

    @Test("are stored once, rebuilt byte by byte, and have the same columns on both systems")
    func values() throws {
        var items: [StoreItem] = []
        let all = Self.texts + Self.values
        for (number, json) in all.enumerated() {
            items.append(try Self.item(json, UInt64(number)))
        }
        // Texts that a person cannot tell apart are different identifiers.
        for json in Self.texts {
            let payload = try Self.forge.get().notification()
            items.append(try Self.item(payload.with { $0.members.set("notificationUUID", json: json) }))
        }
        var contents: [[[SQLRow]]] = []
        for system in StoreSystem.allCases {
            let place = try TestStore(system)
            let store = try place.open()
            for outcome in [StoreOutcome.stored, .alreadyThere] {
                let others = store.store(items).enumerated().filter { $0.element != outcome }
                #expect(others.isEmpty, "\(system)")
            }
            #expect(try store.everyJWS() == items.map(\.jws))
            contents.append(try Self.content(place))
        }
        #expect(contents[0] == contents[1])
        #expect(contents[0][0].count == items.count)
    }
}
