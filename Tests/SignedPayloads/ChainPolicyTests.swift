import AppStoreSimulator
import CertificateAuthority
import Cryptography
import SignedPayloads
import Support
import Testing

@Suite("The chain behind a signature")
struct ChainPolicyTests {
    typealias Change = @Sendable (inout CertificateRecipe) -> Void
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let refusal: Refusal?
        var intermediate: Change?
        var leaf: Change?
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "sound", refusal: nil, leaf: { _ in }),
        Row(name: "leaf without marker", refusal: .leafMarkerMissing, leaf: { $0.markers = [] }),
        Row(
            name: "leaf with the intermediate's marker",
            refusal: .leafMarkerMissing,
            leaf: { $0.markers = ["1.2.840.113635.100.6.2.1"] }
        ),
        Row(
            name: "intermediate without marker",
            refusal: .intermediateMarkerMissing,
            intermediate: { $0.markers = [] }
        ),
        Row(name: "P-384 leaf", refusal: .leafKey, leaf: { $0.algorithm = .p384 }),
        Row(name: "P-521 leaf", refusal: .leafKey, leaf: { $0.algorithm = .p521 }),
        Row(
            name: "leaf with explicit curve parameters",
            refusal: .chainInvalid,
            leaf: { $0.algorithm = .p256Explicit }
        ),
        Row(name: "RSA leaf", refusal: .leafKey, leaf: { $0.algorithm = .rsa2048 }),
        Row(name: "Ed25519 leaf", refusal: .leafKey, leaf: { $0.algorithm = .ed25519 }),
        Row(name: "P-521 intermediate", refusal: .intermediateKey, intermediate: { $0.algorithm = .p521 }),
        Row(name: "RSA 2048 intermediate", refusal: nil, intermediate: { $0.algorithm = .rsa2048 }),
        Row(name: "P-256 intermediate", refusal: nil, intermediate: { $0.algorithm = .p256 }),
        Row(name: "RSA 1024 intermediate", refusal: .chainInvalid, intermediate: { $0.algorithm = .rsa1024 }),
        Row(name: "SHA-1 leaf signature", refusal: .chainInvalid, leaf: { $0.digest = .sha1 }),
        Row(
            name: "SHA-1 intermediate signature",
            refusal: .chainInvalid,
            intermediate: { $0.digest = .sha1 }
        ),
        Row(name: "SHA-256 leaf signature", refusal: nil, leaf: { $0.digest = .sha256 }),
        Row(name: "damaged leaf signature", refusal: .chainInvalid, leaf: { $0.hasDamagedSignature = true }),
        Row(
            name: "damaged intermediate signature",
            refusal: .chainInvalid,
            intermediate: { $0.hasDamagedSignature = true }
        ),
        Row(
            name: "intermediate that is not an authority",
            refusal: .chainInvalid,
            intermediate: { $0.isCA = false }
        ),
        Row(
            name: "intermediate without basicConstraints",
            refusal: .chainInvalid,
            intermediate: { $0.isCA = nil }
        ),
        Row(
            name: "intermediate with uncritical basicConstraints",
            refusal: .chainInvalid,
            intermediate: { $0.basicConstraintsIsCritical = false }
        ),
        Row(
            name: "intermediate that may not sign certificates",
            refusal: .chainInvalid,
            intermediate: { $0.keyUsage = .digitalSignature }
        ),
        Row(
            name: "intermediate without subject key identifier",
            refusal: .chainInvalid,
            intermediate: { $0.subjectKeyIdentifier = .absent }
        ),
        Row(
            name: "leaf without authority key identifier",
            refusal: .chainInvalid,
            leaf: { $0.authorityKeyIdentifier = .absent }
        ),
        Row(
            name: "leaf with a wrong authority key identifier",
            refusal: .chainInvalid,
            leaf: { $0.authorityKeyIdentifier = .bytes([1, 2, 3]) }
        ),
        Row(
            name: "leaf with another issuer's name",
            refusal: .chainInvalid,
            leaf: { $0.issuerName = DistinguishedName(commonName: "Somebody") }
        ),
        Row(
            name: "version 1 leaf, which has no extensions",
            refusal: .leafUsage,
            leaf: { $0.version = 1 }
        ),
        Row(
            name: "leaf with an unknown critical extension",
            refusal: .chainInvalid,
            leaf: { $0.extensions = [CertificateExtension("1.2.3.4", isCritical: true, value: [5, 0])] }
        ),
        Row(
            name: "leaf with an unknown uncritical extension",
            refusal: nil,
            leaf: { $0.extensions = [CertificateExtension("1.2.3.4", value: [5, 0])] }
        ),
        Row(name: "leaf that is an authority", refusal: .leafUsage, leaf: { $0.isCA = true }),
        Row(
            name: "leaf that is an authority and may sign anything",
            refusal: .leafUsage,
            leaf: {
                $0.isCA = true
                $0.keyUsage = [.digitalSignature, .certificateSigning]
            }
        ),
        Row(name: "leaf for encryption", refusal: .leafUsage, leaf: { $0.keyUsage = .keyEncipherment }),
        Row(name: "leaf without key usage", refusal: .leafUsage, leaf: { $0.keyUsage = nil }),
        Row(
            name: "leaf for signing and encryption",
            refusal: nil,
            leaf: { $0.keyUsage = [.digitalSignature, .keyEncipherment] }
        ),
        Row(name: "leaf without basicConstraints", refusal: nil, leaf: { $0.isCA = nil }),
        purposes("a web server", ["1.3.6.1.5.5.7.3.1"], isCritical: true, .leafUsage),
        purposes("a web server, not critical", ["1.3.6.1.5.5.7.3.1"], isCritical: false, nil),
        purposes("no purpose", [], isCritical: true, .leafUsage),
        purposes("an OID beside Apple's purposes", ["1.2.840.113635.100.40.1"], isCritical: true, .leafUsage),
        purposes("any purpose", ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"], isCritical: true, nil),
        purposes("an Apple purpose", ["1.2.840.113635.100.4.1"], isCritical: true, nil),
        Row(
            name: "leaf whose purposes cannot be read",
            refusal: .chainInvalid,
            leaf: { $0.extensions = [CertificateExtension("2.5.29.37", isCritical: true, value: [5, 0])] }
        ),
        Row(
            name: "leaf that has expired",
            refusal: .certificateExpired,
            leaf: { $0.notAfterMilliseconds = TestPKI.now - 1_000 }
        ),
        Row(
            name: "intermediate that is not valid yet",
            refusal: .certificateNotYetValid,
            intermediate: { $0.notBeforeMilliseconds = TestPKI.now + 1_000 }
        ),
    ]

    private static func purposes(_ name: String, _ purposes: [String], isCritical: Bool, _ refusal: Refusal?)
        -> Row
    {
        Row(
            name: "leaf for \(name)",
            refusal: refusal,
            leaf: { $0.extensions = [.extendedKeyUsage(purposes, isCritical: isCritical)] }
        )
    }

    @Test("is refused for any flaw before the signature is checked", arguments: rows)
    func flaws(row: Row) throws {
        let chain = try TestPKI.chain(intermediate: row.intermediate, leaf: row.leaf)
        let leafKeyIsP256 = row.refusal != .leafKey
        let body = leafKeyIsP256 ? try SignedBody.make(chain: chain) : try unsignedBody(chain)
        try PolicyCase.check(body, row.refusal)
        // The same with a known intermediate: its signature is not checked again, everything else is checked.
        guard row.intermediate == nil else { return }
        let verifier = try PolicyCase.verifier()
        try PolicyCase.check(SignedBody.make(), nil, with: verifier)
        try PolicyCase.check(body, row.refusal, with: verifier)
    }

    @Test("is refused under a root that is not configured, whatever its name")
    func foreignRoot() throws {
        try PolicyCase.check(SignedBody.make(chain: TestPKI.foreignChain()), .anchorUnknown)
    }

    @Test("is refused when it presents the sound root but does not lead to it")
    func borrowedRoot() throws {
        let sound = try TestPKI.chain()
        let foreign = try TestPKI.foreignChain()
        let mixed = AppleShapedChain(root: sound.root, intermediate: foreign.intermediate, leaf: foreign.leaf)
        try PolicyCase.check(SignedBody.make(chain: mixed), .chainInvalid)
        let leafOnly = AppleShapedChain(
            root: sound.root, intermediate: sound.intermediate, leaf: foreign.leaf)
        try PolicyCase.check(SignedBody.make(chain: leafOnly), .chainInvalid)
    }

    @Test("does not make a signature by another key valid")
    func anotherKey() throws {
        let sound = try TestPKI.chain()
        let foreign = try TestPKI.foreignChain()
        let header = SignedRequestBuilder.header(x5c: sound.x5c)
        let key = try foreign.leaf.key.signingKey()
        let builder = SignedRequestBuilder(header: header, key: key)
        try PolicyCase.check(builder.body(SignedBody.payload()), .signatureInvalid)
    }

    private func unsignedBody(_ chain: AppleShapedChain) throws -> [UInt8] {
        let header = SignedRequestBuilder.header(x5c: chain.x5c)
        return try SignedRequestBuilder(header: header, key: SigningKey.generate()).body(SignedBody.payload())
    }
}
