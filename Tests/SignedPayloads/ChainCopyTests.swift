import AppStoreSimulator
import CertificateAuthority
import Cryptography
@testable import SignedPayloads
import Support
import Testing

@Suite("Copies of a public chain, made without any key")
struct ChainCopyTests {
    @Test(
        "are refused",
        arguments: CertificateCopy.allCases,
        [0, 1]
    )
    func copies(copy: CertificateCopy, position: Int) throws {
        let verifier = try Self.verifier()
        var certificates = try Self.apple.certificates
        certificates[position] = copy.applied(to: certificates[position])
        let chain = try #require(ChainBytes(certificates: certificates))
        for _ in 0..<2 {
            let refusal = verifier.refusal(of: chain, at: AppleChainTests.june2026)
            #expect(refusal == .x5cNotDER || refusal == .chainInvalid)
        }
    }

    @Test("with n - s in place of s are four forms of a chain at most")
    func twins() throws {
        let verifier = try Self.verifier(ChainBudget(burst: 4, perSecond: 0))
        let originals = try Self.apple.certificates
        let twins = originals.prefix(2).map { CertificateParts($0).twin(order: CertificateParts.orderP384) }
        for _ in 0..<2 {
            for leaf in [originals[0], twins[0]] {
                for intermediate in [originals[1], twins[1]] {
                    let chain = try #require(ChainBytes(certificates: [leaf, intermediate, originals[2]]))
                    _ = try verifier.verifyChain(chain, atMilliseconds: AppleChainTests.june2026)
                }
            }
        }
        #expect(verifier.counts.chainCacheMisses == 4)
        #expect(verifier.counts.chainCacheHits == 4)
    }

    @Test("with an RSA signature of another length are refused")
    func modulus() throws {
        let chain = try TestPKI.chain(intermediate: { $0.algorithm = .rsa2048 })
        let verifier = try PolicyCase.verifier()
        let parts = CertificateParts(chain.leaf.der)
        let algorithm = DER.value(0x30, parts.algorithm)
        for signature in [[0] + parts.signature, Array(parts.signature.dropLast())] {
            let leaf = DER.sequence(parts.signed, algorithm, DER.value(0x03, signature))
            let copy = try #require(ChainBytes(certificates: [leaf, chain.intermediate.der, chain.root.der]))
            #expect(verifier.refusal(of: copy, at: TestPKI.now) == .chainInvalid)
        }
    }

    @Test("A chain becomes a hint only after a payload has passed every check, and only once")
    func hints() throws {
        let verifier = try PolicyCase.verifier()
        let chain = try TestPKI.chain()
        let bytes = try #require(
            ChainBytes(certificates: [chain.leaf.der, chain.intermediate.der, chain.root.der])
        )
        let signedByOther = SignedRequestBuilder(
            header: SignedRequestBuilder.header(x5c: chain.x5c),
            key: try TestPKI.foreignChain().leaf.key.signingKey())
        let unknownApp = SignedBody.payload().with { $0.appAppleId = 1 }
        let refused: [(body: [UInt8], refusal: Refusal)] = [
            (try signedByOther.body(SignedBody.payload()), .signatureInvalid),
            (try SignedBody.make(unknownApp), .appUnknown),
            (try SignedBody.make(SignedBody.payload(signedDate: TestPKI.now - 301_000)), .signedDateTooOld),
            (try SignedBody.make(SignedBody.payload(signedDate: TestPKI.now + 61_000)), .signedDateAhead),
        ]
        _ = try verifier.verifyChain(bytes, atMilliseconds: TestPKI.now)
        let isWarm = verifier.warm(bytes, nowMilliseconds: TestPKI.now)
        #expect(isWarm)
        for (body, refusal) in refused {
            try PolicyCase.check(body, refusal, with: verifier)
            #expect(verifier.takeVerifiedChain() == nil, "\(refusal)")
        }
        try PolicyCase.check(SignedBody.make(), nil, with: verifier)
        #expect(verifier.takeVerifiedChain() == bytes)
        // The same chain in another header does not become a hint again.
        let header = SignedRequestBuilder.header(x5c: chain.x5c)
        let spaced = SignedRequestBuilder(
            header: header + Array(" ".utf8), key: try chain.leaf.key.signingKey())
        try PolicyCase.check(spaced.body(SignedBody.payload()), nil, with: verifier)
        #expect(verifier.takeVerifiedChain() == nil)
    }

    private static var apple: ChainBytes {
        get throws {
            let certificates = try [AppleCertificates.leaf2025, .intermediateG6, .rootG3].map {
                try $0.certificate().der
            }
            return try #require(ChainBytes(certificates: certificates))
        }
    }

    /// Returns a verifier with Apple's anchors and a budget for one chain, unless another budget is given.
    private static func verifier(
        _ budget: ChainBudget = ChainBudget(burst: 1, perSecond: 0)
    ) throws -> SignedPayloadVerifier {
        try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: AppleRoots.certificates(), apps: [], unseenChains: budget,
                returningChains: ChainBudget(burst: 0, perSecond: 0))
        )
    }
}
