import AppStoreTraffic
import CertificateAuthority
import Cryptography
import Support
import Testing

@Suite("Chains in Apple's shape")
struct AppleShapedChainTests {
    @Test("pass the service's own chain check")
    func soundChain() throws {
        let chain = try TestPKI.chain()
        #expect(try failure(of: chain) == nil)
        #expect(try failure(of: TestPKI.foreignChain()) == nil)
    }

    @Test("have Apple's keys, names, dates and markers")
    func shape() throws {
        let chain = try TestPKI.chain()
        let (leaf, intermediate, root) = try (
            chain.leaf.certificate(), chain.intermediate.certificate(), chain.root.certificate()
        )
        #expect([leaf, intermediate, root].map(\.keyKind) == [.p256, .p384, .p384])
        #expect(leaf.hasExtension("1.2.840.113635.100.6.11.1"))
        #expect(intermediate.hasExtension("1.2.840.113635.100.6.2.1"))
        #expect(!root.hasExtension("1.2.840.113635.100.6.2.1"))
        #expect(leaf.issuer == intermediate.subject)
        #expect(intermediate.issuer == root.subject)
        #expect(root.issuer == root.subject)
        for certificate in [leaf, intermediate, root] {
            #expect(certificate.notBeforeMilliseconds == TestPKI.notBefore)
            #expect(certificate.notAfterMilliseconds == TestPKI.notAfter)
        }
        #expect(chain.x5c.count == 3)
    }

    @Test("are refused under the root of another chain, although the names are the same")
    func foreignRoot() throws {
        let (sound, foreign) = try (TestPKI.chain(), TestPKI.foreignChain())
        let mixed = AppleShapedChain(root: foreign.root, intermediate: sound.intermediate, leaf: sound.leaf)
        #expect(try failure(of: mixed) != nil)
    }

    private func failure(of chain: AppleShapedChain) throws -> ChainFailure? {
        try ChainVerifier(anchor: chain.root.certificate()).failure(
            leaf: chain.leaf.certificate(), intermediate: chain.intermediate.certificate(),
            issuerIsVerified: false)
    }
}
