import CertificateAuthority
import Cryptography
import SignedPayloads
import Support
import System
import Testing

enum PolicyCase {
    static let app = AppIdentity(
        appAppleId: SignedBody.appAppleId, bundleId: "com.example.app", environments: [.sandbox, .production])

    static func verifier(_ change: (inout VerificationPolicy) -> Void = { _ in }) throws
        -> SignedPayloadVerifier
    {
        var policy = VerificationPolicy(anchors: [try TestPKI.anchor()], apps: [app])
        change(&policy)
        return try SignedPayloadVerifier(policy: policy)
    }

    /// Checks a body twice. The second check uses what the verifier remembers of the first, and must have the same
    /// outcome.
    static func check(
        _ body: [UInt8], _ refusal: Refusal?, with verifier: SignedPayloadVerifier? = nil,
        now: Int64 = TestPKI.now, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let verifier = try verifier ?? Self.verifier()
        for _ in 0..<2 {
            let found = verifier.refusal(of: body, at: now)
            #expect(found == refusal, sourceLocation: sourceLocation)
        }
    }
}

extension SignedPayloadVerifier {
    func refusal(of body: [UInt8], at milliseconds: Int64) -> Refusal? {
        do throws(VerificationError) {
            _ = try verifyRealtimeRequest(body: body.span, nowMilliseconds: milliseconds)
            return nil
        } catch {
            return error.refusal
        }
    }

    func refusal(of chain: ChainBytes, at milliseconds: Int64) -> Refusal? {
        do throws(VerificationError) {
            _ = try verifyChain(chain, atMilliseconds: milliseconds)
            return nil
        } catch {
            return error.refusal
        }
    }
}
