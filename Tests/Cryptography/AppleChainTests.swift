import Cryptography
import Support
import Testing

@Suite("Apple's certificates")
struct AppleChainTests {
    @Test(
        "have the fingerprints that Apple publishes",
        arguments: [
            (AppleCertificates.rootG3, "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"),
            (.rootG2, "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"),
            (.intermediateG6, "bdd4ed6e74691f0c2bfd01be0296197af1379e0418e2d300efa9c3bef642ca30"),
            (.leaf2025, "4c381556c16121e605d1fc2eef6d0de4e072ed65964fe72f575f19711e84c417"),
            (.leaf2021, "87da61ce27a91db54a38618657dffec761f095047c90f59c09d9fd40589b4890"),
        ]
    )
    func fingerprints(which: AppleCertificates, fingerprint: String) throws {
        let certificate = try which.certificate()
        #expect(certificate.fingerprint.hexadecimal == fingerprint)
        let hasShape = Certificate.hasOuterShape(certificate.der.span)
        let read = try Certificate.pem(Array(certificate.pem.utf8).span)
        #expect(hasShape)
        #expect(read.map(\.der) == [certificate.der])
    }

    @Test("form a valid chain under G3, also with a known intermediate", arguments: [false, true])
    func chain(issuerIsVerified: Bool) throws {
        let verifier = try ChainVerifier(anchor: AppleCertificates.rootG3.certificate())
        let intermediate = try AppleCertificates.intermediateG6.certificate()
        for leaf in [AppleCertificates.leaf2021, .leaf2025] {
            let failure = verifier.failure(
                leaf: try leaf.certificate(), intermediate: intermediate, issuerIsVerified: issuerIsVerified)
            #expect(failure == nil, "\(failure?.explanation ?? "")")
        }
    }

    @Test("form no valid chain under G2 or in another order", arguments: [false, true])
    func noChain(issuerIsVerified: Bool) throws {
        let leaf = try AppleCertificates.leaf2025.certificate()
        let intermediate = try AppleCertificates.intermediateG6.certificate()
        let g3 = try AppleCertificates.rootG3.certificate()
        let g2 = try ChainVerifier(anchor: AppleCertificates.rootG2.certificate())
        #expect(g2.failure(leaf: leaf, intermediate: intermediate, issuerIsVerified: issuerIsVerified) != nil)
        let verifier = try ChainVerifier(anchor: g3)
        for (first, second) in [(intermediate, leaf), (leaf, leaf), (leaf, g3), (intermediate, g3), (g3, g3)]
        {
            #expect(
                verifier.failure(leaf: first, intermediate: second, issuerIsVerified: issuerIsVerified) != nil
            )
        }
    }

    @Test("are read with their validity, keys, extensions and subject")
    func contents() throws {
        let leaf = try AppleCertificates.leaf2021.certificate()
        #expect(leaf.notBeforeMilliseconds == 1_629_859_834_000)
        #expect(leaf.notAfterMilliseconds == 1_695_523_833_000)
        #expect(leaf.keyKind == .p256)
        #expect(try AppleCertificates.intermediateG6.certificate().keyKind == .p384)
        #expect(try AppleCertificates.rootG2.certificate().keyKind == .rsa(bits: 4096))
        #expect(leaf.hasExtension("1.2.840.113635.100.6.11.1"))
        #expect(!leaf.hasExtension("1.2.840.113635.100.6.2.1"))
        #expect(leaf.subject.contains("CN=Prod ECC Mac App Store and iTunes Store Receipt Signing"))
    }

    @Test("are refused when a byte is added, removed or changed")
    func damage() throws {
        let der = try AppleCertificates.leaf2025.certificate().der
        for bad in [
            der + [0], Array(der.dropLast()), [], [0x30], [0x30, 0x82, 0, 0], Array("nonsense".utf8),
        ] {
            #expect(throws: CryptographyError.certificateNotDER) { _ = try Certificate(der: bad.span) }
            let hasShape = Certificate.hasOuterShape(bad.span)
            #expect(!hasShape)
        }
        let verifier = try ChainVerifier(anchor: AppleCertificates.rootG3.certificate())
        let intermediate = try AppleCertificates.intermediateG6.certificate()
        var changed = der
        changed[der.count - 1] ^= 1
        let leaf = try Certificate(der: changed.span)
        for known in [false, true] {
            #expect(verifier.failure(leaf: leaf, intermediate: intermediate, issuerIsVerified: known) != nil)
        }
    }
}
