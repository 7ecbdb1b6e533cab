import AppStoreSimulator
import CertificateAuthority
import SignedPayloads
import Support
import System
import Testing

@Suite("The zoo of notifications, in process")
struct NotificationZooTests {
    static let forge = Result { try ZooForge(now: TestPKI.now) }

    @Test("gives each body the outcome of its row, also the second time", arguments: NotificationZoo.rows)
    func row(row: NotificationZooRow) throws {
        let forge = try Self.forge.get()
        let body = try row.body(forge)
        let verifier = try forge.verifier()
        for _ in 0..<2 {
            do throws(VerificationError) {
                let verified = try verifier.verifyNotification(body: body.span, nowMilliseconds: forge.now)
                #expect(row.code == nil, "accepted")
                let failed = verified.payload.failedParts.map { ($0.name, $0.error.code) }
                #expect(Dictionary(uniqueKeysWithValues: failed) == row.failedParts)
                #expect(verified.payload.content.unusableMembers == row.unusable)
                #expect(SignedNotificationCheck.isLossless(verified.payload, body: body))
            } catch {
                #expect(error.code == row.code, "\(error)")
            }
        }
    }

    @Test(
        "has at least a hundred rows, with unique names and every refusal that only a notification can cause"
    )
    func completeness() {
        let rows = NotificationZoo.rows
        #expect(rows.count >= 100)
        #expect(Set(rows.map(\.name)).count == rows.count, "names are not unique")
        let codes = Set(rows.compactMap(\.code) + rows.flatMap(\.failedParts.values))
        let wanted: [Refusal] = [
            .notificationVersion1, .signedPayloadMissing, .payloadNotJSON, .payloadMemberMissing,
            .payloadMemberMistyped, .certificateNotYetValid, .certificateExpired, .appUnknown,
            .anchorNotForApp,
            .environmentNotConfigured, .ownerUnknown, .appDiffers, .environmentDiffers, .signedDateAhead,
        ]
        #expect(wanted.filter { !codes.contains($0.code) }.isEmpty)
    }

    @Test("gives bodies that are refused before their payload is read the refusal of a retention message")
    func common() throws {
        let forge = try Self.forge.get()
        let steps: [VerificationStep] = [
            .body, .compactSerialization, .header, .certificates, .anchor, .chain, .markers, .signature,
        ]
        let codes = Set(Refusal.allCases.filter { steps.contains($0.step) }.map(\.code))
        let rows = Zoo.bodies.filter { $0.code.map { codes.contains($0) } == true }
        #expect(rows.count >= 100)
        for row in rows {
            let verifier = try forge.verifier()
            let body = try row.body(forge)
            #expect(throws: VerificationError.self, "\(row.name)") {
                do throws(VerificationError) {
                    _ = try verifier.verifyNotification(body: body.span, nowMilliseconds: forge.now)
                } catch {
                    #expect(error.code == row.code, "\(row.name)")
                    throw error
                }
            }
        }
    }
}
