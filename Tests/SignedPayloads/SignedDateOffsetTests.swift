import AppStoreSimulator
import SignedPayloads
import Support
import Testing

@Suite("The offset of signedDate")
struct SignedDateOffsetTests {
    private static let now = TestPKI.now

    /// Sends a request that was signed `offset` milliseconds after the service's clock.
    private static func send(_ verifier: SignedPayloadVerifier, _ offset: Int64, at now: Int64 = now) throws {
        let body = try SignedBody.make(SignedBody.payload(signedDate: now + offset))
        _ = verifier.refusal(of: body, at: now)
    }

    @Test("is that of a request that Apple signed for our apps, also of one that is refused for its date")
    func requests() throws {
        let verifier = try PolicyCase.verifier()
        for offset in [-200, 60_000, -300_000, 60_001] as [Int64] {
            try Self.send(verifier, offset)
            #expect(verifier.takeSignedDateOffset() == offset)
        }
        _ = verifier.refusal(of: Array("{}".utf8), at: Self.now)
        _ = verifier.refusal(of: try SignedBody.make(chain: TestPKI.foreignChain()), at: Self.now)
        let other = SignedBody.payload().with { $0.appAppleId = 7 }
        _ = verifier.refusal(of: try SignedBody.make(other), at: Self.now)
        #expect(verifier.takeSignedDateOffset() == nil)
    }

    @Test("leaves out an old request that somebody sends again")
    func replay() throws {
        let verifier = try PolicyCase.verifier()
        try Self.send(verifier, -100)
        try Self.send(verifier, -1_000_000)
        #expect(verifier.takeSignedDateOffset() == -100)
    }
}
