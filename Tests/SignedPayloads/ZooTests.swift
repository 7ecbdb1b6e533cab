import AppStoreSimulator
import CertificateAuthority
import SignedPayloads
import Support
import System
import Testing

@Suite("The zoo of odd bodies, in process")
struct ZooTests {
    static let forge = Result { try ZooForge(now: TestPKI.now) }
    static let decided: Set<String> = ["rules-missing", "no-answer"]

    @Test("gives each body the refusal of its row, also the second time", arguments: Zoo.bodies)
    func row(row: ZooRow) throws {
        let forge = try Self.forge.get()
        let body = try row.body(forge)
        let verifier = try Self.verifier(forge)
        let code = row.code.flatMap { Self.decided.contains($0) ? nil : $0 }
        for _ in 0..<2 {
            var found: String?
            do throws(VerificationError) {
                _ = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: forge.now)
            } catch {
                found = error.code
                #expect(error.code == code, "\(error)")
            }
            #expect(found == code)
        }
    }

    @Test("has a row for every refusal that a body can cause")
    func completeness() {
        let codes = Set(Zoo.bodies.compactMap(\.code))
        let missing = Refusal.allCases.filter { !codes.contains($0.code) }
        // Only a flood uses up a budget, and no body makes OpenSSL fail. The others concern notifications.
        let others: [Refusal] = [.notificationVersion1, .appDiffers, .environmentDiffers, .ownerUnknown]
        #expect(missing.filter { !others.contains($0) } == [.chainBudget, .opensslFailure])
        #expect(Zoo.bodies.count >= 120)
        #expect(Set(Zoo.bodies.map(\.name)).count == Zoo.bodies.count, "names are not unique")
    }

    private static func verifier(_ forge: ZooForge) throws -> SignedPayloadVerifier {
        let strict = try forge.strict.chain.root.certificate()
        return try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: [forge.trusted.chain.root.certificate()],
                apps: [
                    AppIdentity(
                        appAppleId: TestPayload.appAppleId, bundleId: "com.example.app",
                        environments: [.production]),
                    AppIdentity(
                        appAppleId: TestPayload.strictAppAppleId, bundleId: "com.example.strict",
                        environments: [.production], anchors: [strict]),
                ]
            )
        )
    }
}
