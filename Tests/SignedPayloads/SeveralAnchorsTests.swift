import AppStoreSimulator
import CertificateAuthority
import Cryptography
@testable import SignedPayloads
import Support
import Testing

@Suite("The memory of one anchor's chains")
struct SeveralAnchorsTests {
    @Test("does not decide about the same leaf and intermediate under another anchor")
    func otherRoot() throws {
        let (sound, foreign) = try (TestPKI.chain(), TestPKI.foreignChain())
        let good = try Self.bytes(sound.leaf, sound.intermediate, sound.root)
        let forged = try Self.bytes(sound.leaf, sound.intermediate, foreign.root)
        for order in [[forged, good, forged, good], [good, forged, good, forged]] {
            let verifier = try Self.verifier(sound.root, foreign.root)
            for chain in order { try Self.check(chain, chain == good ? nil : .chainInvalid, with: verifier) }
        }
    }

    @Test("does not make an intermediate valid under another anchor of the same name")
    func otherIntermediate() throws {
        // Both roots have the same name and key identifier, so only the signature shows which root issued the
        // intermediate.
        let identifier = CertificateRecipe.KeyIdentifier.bytes([UInt8](repeating: 5, count: 20))
        let recipe = TestPKI.recipes.root.with { $0.subjectKeyIdentifier = identifier }
        let (first, second) = try (CertificateAuthority.issue(recipe), CertificateAuthority.issue(recipe))
        let intermediate = try CertificateAuthority.issue(
            TestPKI.recipes.intermediate.with { $0.authorityKeyIdentifier = identifier },
            by: first
        )
        let leaf = try CertificateAuthority.issue(TestPKI.recipes.leaf, by: intermediate)
        let next = try CertificateAuthority.issue(TestPKI.recipes.leaf, by: intermediate)
        let verifier = try Self.verifier(first, second)
        try Self.check(Self.bytes(leaf, intermediate, first), nil, with: verifier)
        try Self.check(Self.bytes(next, intermediate, second), .chainInvalid, with: verifier)
        try Self.check(Self.bytes(next, intermediate, first), nil, with: verifier)
    }

    private static func bytes(
        _ leaf: IssuedCertificate, _ intermediate: IssuedCertificate, _ root: IssuedCertificate
    ) throws -> ChainBytes {
        try #require(ChainBytes(certificates: [leaf.der, intermediate.der, root.der]))
    }

    private static func verifier(_ roots: IssuedCertificate...) throws -> SignedPayloadVerifier {
        try SignedPayloadVerifier(
            policy: VerificationPolicy(anchors: roots.map { try $0.certificate() }, apps: [])
        )
    }

    private static func check(_ chain: ChainBytes, _ refusal: Refusal?, with verifier: SignedPayloadVerifier)
        throws
    {
        if let refusal {
            #expect(verifier.refusal(of: chain, at: TestPKI.now) == refusal)
        } else {
            let anchor = try verifier.verifyChain(chain, atMilliseconds: TestPKI.now)
            let root = chain.certificates[2]
            let fingerprint = SHA256.hash(root.span)
            #expect(anchor == fingerprint)
        }
    }
}
