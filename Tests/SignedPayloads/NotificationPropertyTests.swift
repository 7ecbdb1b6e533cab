import AppStoreTraffic
import SignedPayloads
import Support
import Testing
import Vocabulary

@Suite("Random notifications")
struct NotificationPropertyTests {
    /// Members that decide about the owner, the time and the parts. The zoo has rows for them.
    private static let decisive: Set<String> = [
        "bundleId", "environment", "appAppleId", "signedDate", "receiptType", "receiptCreationDate",
        "externalPurchaseId",
    ]

    private static let rows = MemberTests.table.filter {
        !decisive.contains($0.member) && $0.payload.split(separator: ".").count == 1
    }

    @Test("are accepted and rebuilt whatever their members are, and exactly the unusable members are marked")
    func members() throws {
        let forge = try NotificationZooTests.forge.get()
        let verifier = try forge.verifier()
        var random = SeededGenerator(for: "NotificationPropertyTests.members")
        for round in 0..<400 {
            let kind = NotificationKind.documented.randomElement(using: &random)
            var payload = try forge.notification(kind?.type ?? "TEST", kind?.subtype, number: UInt64(round))
            let wanted = Self.change(&payload, &random)
            let body = try forge.body(payload)
            let verified = try verifier.verifyNotification(body: body.span, nowMilliseconds: forge.now)
            let found = verified.payload
            #expect(found.failedParts.isEmpty)
            #expect(Set(found.content.unusableMembers) == wanted["notification", default: []])
            if let part = found.transaction?.content {
                #expect(Set(part.unusableMembers) == wanted["transaction", default: []])
            }
            if let part = found.renewalInfo?.content {
                #expect(Set(part.unusableMembers) == wanted["renewal", default: []])
            }
            if let part = found.appTransaction?.content {
                #expect(Set(part.unusableMembers) == wanted["app", default: []])
            }
            #expect(SignedNotificationCheck.isLossless(found, body: body))
        }
    }

    /// Gives random members random values, and adds random members that nobody knows.
    ///
    /// - Returns: the names of the members that cannot be used, by payload.
    private static func change(_ payload: inout NotificationPayload, _ random: inout SeededGenerator)
        -> [String: Set<String>]
    {
        var unusable: [String: Set<String>] = [:]
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            guard let row = rows.randomElement(using: &random),
                let value = MemberTests.values.randomElement(using: &random)
            else { continue }
            set(row.member, value.json, in: row.payload, of: &payload)
            // An empty token is none.
            let isNone = row.member == "appAccountToken" && value.json == #""""#
            if isNone || value.fits.contains(row.form) {
                unusable[row.payload]?.remove(row.member)
            } else {
                unusable[row.payload, default: []].insert(row.member)
            }
        }
        for payloadName in ["notification", "transaction", "renewal", "app"] {
            let value = MemberTests.values.randomElement(using: &random)
            set("unknown\(random.next())", value?.json ?? "1", in: payloadName, of: &payload)
        }
        return unusable
    }

    private static func set(
        _ member: String,
        _ json: String,
        in name: String,
        of payload: inout NotificationPayload
    ) {
        switch name {
        case "transaction": payload.transaction?.set(member, json: json)
        case "renewal": payload.renewalInfo?.set(member, json: json)
        case "app": payload.appTransaction?.set(member, json: json)
        default: payload.members.set(member, json: json)
        }
    }

    @Test("with one byte changed are refused, or a part of them fails: nothing of them is taken for signed")
    func damaged() throws {
        let forge = try NotificationZooTests.forge.get()
        let body = try forge.body(forge.notification())
        let sound = try forge.verifier()
            .verifyNotification(body: body.span, nowMilliseconds: forge.now)
        var random = SeededGenerator(for: "NotificationPropertyTests.damaged")
        let verifier = try forge.verifier()
        for _ in 0..<400 {
            var other = body
            let index = Int.random(in: other.indices, using: &random)
            other[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            // A changed byte of the body's frame may leave the JWS as it was.
            guard
                let verified = try? verifier.verifyNotification(body: other.span, nowMilliseconds: forge.now)
            else { continue }
            #expect(verified.payload.received == sound.payload.received)
        }
    }
}
