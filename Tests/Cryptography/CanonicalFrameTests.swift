import AppStoreSimulator
import CertificateAuthority
import Cryptography
import Support
import Testing

@Suite("The unsigned part of a certificate")
struct CanonicalFrameTests {
    @Test("is canonical in Apple's certificates", arguments: AppleCertificates.allCases)
    func apple(which: AppleCertificates) throws {
        let der = try which.certificate().der
        let isCanonical = Certificate.hasCanonicalUnsignedPart(der.span)
        #expect(isCanonical)
    }

    @Test("is canonical with any key and digest", arguments: PrivateKey.Algorithm.allCases)
    func keys(algorithm: PrivateKey.Algorithm) throws {
        for digest in SignatureDigest.allCases {
            let recipe = TestPKI.recipes.root.with {
                $0.algorithm = algorithm
                $0.digest = digest
            }
            let der = try CertificateAuthority.issue(recipe).der
            let isCanonical = Certificate.hasCanonicalUnsignedPart(der.span)
            #expect(isCanonical, "\(digest)")
        }
        let old = try CertificateAuthority.issue(TestPKI.recipes.root.with { $0.version = 1 }).der
        let isCanonical = Certificate.hasCanonicalUnsignedPart(old.span)
        #expect(isCanonical)
    }

    @Test(
        "is not canonical in a rewritten copy, even when OpenSSL accepts the copy",
        arguments: CertificateCopy.allCases
    )
    func copies(copy: CertificateCopy) throws {
        let intermediate = try AppleCertificates.intermediateG6.certificate()
        let der = try AppleCertificates.leaf2025.certificate().der
        let changed = copy.applied(to: der)
        #expect(changed != der)
        let isCanonical = Certificate.hasCanonicalUnsignedPart(changed.span)
        #expect(!isCanonical)
        let verifier = try ChainVerifier(anchor: AppleCertificates.rootG3.certificate())
        let leaf = try? Certificate(der: changed.span)
        let failure = leaf.map {
            verifier.failure(leaf: $0, intermediate: intermediate, issuerIsVerified: true)
        }
        #expect((leaf != nil && failure == .some(nil)) == copy.passesOpenSSL)
    }

    @Test(
        "is read inside its bounds whatever its length bytes say, and is not canonical in a shortened certificate"
    )
    func everyByte() throws {
        let der = try AppleCertificates.leaf2025.certificate().der
        let frameStart = 4 + CertificateParts(der).signed.count
        for index in der.indices where index < 40 || index >= frameStart {
            var changed = der
            for byte in UInt8.min...UInt8.max {
                changed[index] = byte
                _ = Certificate.hasCanonicalUnsignedPart(changed.span)
            }
            for count in [index, index + 1] {
                let isCanonical = Certificate.hasCanonicalUnsignedPart(der.span.extracting(first: count))
                #expect(isCanonical == (count == der.count))
            }
        }
        let inside = Array(der[4...])
        for short: [UInt8] in [
            [], [0x30], [0x30, 0], [0x30, 0x80], [0x30, 0x82, 1], [0x30, 0x84, 0, 0, 0, 0], inside,
        ] {
            let isCanonical = Certificate.hasCanonicalUnsignedPart(short.span)
            #expect(!isCanonical)
        }
    }

    @Test(
        "must contain two integers above zero, each in its shortest form",
        arguments: [
            ([0x30, 6, 2, 1, 1, 2, 1, 1], true), ([0x30, 6, 2, 1, 0x7F, 2, 1, 1], true),
            ([0x30, 7, 2, 2, 0, 0x80, 2, 1, 1], true), ([0x30, 6, 2, 1, 0x80, 2, 1, 1], false),
            ([0x30, 6, 2, 1, 0, 2, 1, 1], false), ([0x30, 6, 2, 1, 1, 2, 1, 0], false),
            ([0x30, 7, 2, 2, 0, 0x7F, 2, 1, 1], false), ([0x30, 7, 2, 2, 0, 1, 2, 1, 1], false),
            ([0x30, 5, 2, 0, 2, 1, 1], false), ([0x30, 3, 2, 1, 1], false), ([0x30, 0], false),
            ([0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1], false), ([0x30, 6, 2, 1, 1, 3, 1, 1], false),
            ([0x31, 6, 2, 1, 1, 2, 1, 1], false), ([0x30, 6, 2, 1, 1, 2, 1], false), ([], false),
            ([0x30, 6, 2, 1, 1, 2, 1, 1, 0], false), ([0x30, 0x81, 6, 2, 1, 1, 2, 1, 1], false),
        ] as [([UInt8], Bool)]
    )
    func pairs(pair: [UInt8], isCanonical: Bool) throws {
        let parts = CertificateParts(try AppleCertificates.leaf2025.certificate().der)
        let der = DER.sequence(parts.signed, DER.value(0x30, parts.algorithm), DER.bitString(pair))
        let found = Certificate.hasCanonicalUnsignedPart(der.span)
        #expect(found == isCanonical)
    }
}
