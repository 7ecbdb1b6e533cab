import AppStoreSimulator
import CertificateAuthority
import Cryptography
import SignedPayloads
import Support
import Testing

@Suite("The certificates in use")
struct UsedCertificatesTests {
    private static let day: Int64 = 86_400_000

    @Test("are the leaf and the intermediate of an accepted request")
    func accepted() throws {
        let chain = try TestPKI.chain(leaf: { $0.notAfterMilliseconds = TestPKI.now + 5 * Self.day })
        let verifier = try PolicyCase.verifier()
        let body = try SignedBody.make(SignedBody.payload(signedDate: TestPKI.now), chain: chain)
        #expect(verifier.refusal(of: body, at: TestPKI.now) == nil)
        let used = verifier.takeUsedCertificates()
        #expect(used.map(\.position) == [.leaf, .intermediate])
        #expect(used.map(\.notAfterMilliseconds) == [TestPKI.now + 5 * Self.day, TestPKI.notAfter])
        #expect(verifier.takeUsedCertificates().isEmpty)
    }

    @Test("do not include those of a request that is refused, or of a chain that was only presented")
    func refused() throws {
        let verifier = try PolicyCase.verifier()
        let now = TestPKI.now
        var damaged = try SignedBody.make()
        // A character of base64url in place of another one, inside the signature.
        let place = damaged.count - 10
        damaged[place] = damaged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let rows: [(body: [UInt8], refusal: Refusal)] = [
            (damaged, .signatureInvalid),
            (try SignedBody.make(SignedBody.payload().with { $0.appAppleId = 7 }), .appUnknown),
            (try SignedBody.make(SignedBody.payload(signedDate: now - 300_001)), .signedDateTooOld),
            (try SignedBody.make(SignedBody.payload(signedDate: now + 60_001)), .signedDateAhead),
        ]
        for (body, refusal) in rows {
            #expect(verifier.refusal(of: body, at: now) == refusal)
            #expect(verifier.takeUsedCertificates().isEmpty, "\(refusal)")
        }
        let chain = try TestPKI.chain()
        let ders = try [chain.leaf, chain.intermediate, chain.root].map { try $0.certificate().der }
        let hint = try #require(ChainBytes(certificates: ders))
        #expect(verifier.warm(hint, nowMilliseconds: now))
        #expect(verifier.takeUsedCertificates().isEmpty)
    }

    @Test("include those of a notification, and the anchors are those of the policy")
    func anchors() throws {
        let verifier = try PolicyCase.verifier()
        #expect(verifier.anchors.map(\.position) == [.anchor])
        let forge = try ZooForge(now: TestPKI.now)
        let recorder = try forge.verifier()
        let body = try forge.body(forge.notification(number: 1))
        _ = try recorder.verifyNotification(body: body.span, nowMilliseconds: TestPKI.now)
        #expect(recorder.takeUsedCertificates().map(\.position) == [.leaf, .intermediate])
        // The same notification comes again days later. Its certificates are those of its day.
        _ = try recorder.verifyNotification(body: body.span, nowMilliseconds: TestPKI.now + 3 * Self.day)
        #expect(recorder.takeUsedCertificates().isEmpty)
    }
}
