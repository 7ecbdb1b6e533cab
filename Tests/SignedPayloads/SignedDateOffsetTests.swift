import AppStoreSimulator
import SignedPayloads
import Support
import Testing

@Suite("The offsets of signedDate")
struct SignedDateOffsetTests {
    private static let now = TestPKI.now

    /// Sends a request that was signed `offset` milliseconds after the service's clock.
    private static func send(_ verifier: SignedPayloadVerifier, _ offset: Int64, at now: Int64 = now) throws {
        let body = try SignedBody.make(SignedBody.payload(signedDate: now + offset))
        _ = verifier.refusal(of: body, at: now)
    }

    @Test("are those of accepted requests, and of requests that are refused for their date")
    func requests() throws {
        let verifier = try PolicyCase.verifier()
        for offset in [-200, 60_000, -300_000, 60_001, -200] as [Int64] { try Self.send(verifier, offset) }
        #expect(verifier.takeSignedDateOffsets() == [-200, 60_000, -300_000, 60_001, -200])
        #expect(verifier.takeSignedDateOffsets().isEmpty)
        _ = verifier.refusal(of: Array("{}".utf8), at: Self.now)
        _ = verifier.refusal(of: try SignedBody.make(chain: TestPKI.foreignChain()), at: Self.now)
        let other = SignedBody.payload().with { $0.appAppleId = 7 }
        _ = verifier.refusal(of: try SignedBody.make(other), at: Self.now)
        #expect(verifier.takeSignedDateOffsets().isEmpty, "only what Apple signed for our apps counts")
    }

    @Test("leave out old requests that somebody sends again, but no new ones when the clock is fast")
    func replay() throws {
        let verifier = try PolicyCase.verifier()
        try Self.send(verifier, -100)
        for _ in 0..<5 { try Self.send(verifier, -1_000_000) }
        #expect(verifier.takeSignedDateOffsets() == [-100])
        let fast = try PolicyCase.verifier()
        for step in 0..<5 { try Self.send(fast, -1_000_000, at: Self.now + Int64(step)) }
        #expect(fast.takeSignedDateOffsets() == [Int64](repeating: -1_000_000, count: 5))
        for _ in 0..<5 { try Self.send(fast, -1_000_000) }
        #expect(fast.takeSignedDateOffsets().isEmpty)
    }
}
