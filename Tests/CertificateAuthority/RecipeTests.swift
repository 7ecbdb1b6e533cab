import AppStoreSimulator
import CertificateAuthority
import Cryptography
import Support
import Testing

@Suite("Bad chains made from recipes")
struct RecipeTests {
    /// One change of a recipe, and the number (`X509_V_ERR_*`) and depth of OpenSSL's verification error for it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let number: Int
        let depth: Int
        let chain: @Sendable () throws -> AppleShapedChain
    }

    @Test("are refused with exactly the error that belongs to the change", arguments: rows)
    func refusals(row: Row) throws {
        let chain = try row.chain()
        let failure = try ChainVerifier(anchor: chain.root.certificate()).failure(
            leaf: chain.leaf.certificate(), intermediate: chain.intermediate.certificate(),
            issuerIsVerified: false)
        #expect(failure == .refused(number: row.number, depth: row.depth))
    }

    @Test("with a certificate that OpenSSL cannot read are refused as not DER")
    func unreadable() throws {
        let certificate = try TestPKI.chain().leaf
        let cut = IssuedCertificate(
            der: certificate.der.dropLast(), key: certificate.key, name: certificate.name)
        let error = #expect(throws: CryptographyError.self) { try cut.certificate() }
        #expect(error?.code == "cryptography.certificate-not-der")
    }

    static let rows: [Row] = [
        leaf("damaged signature", 7, 0) { $0.hasDamagedSignature = true },
        leaf("SHA-1", 68, 0) { $0.digest = .sha1 },
        leaf("RSA key of 1024 bits", 66, 0) { $0.algorithm = .rsa1024 },
        leaf("explicit curve parameters", 94, 0) { $0.algorithm = .p256Explicit },
        leaf("wrong authority key identifier", 20, 0) { $0.authorityKeyIdentifier = .bytes([1, 2, 3]) },
        leaf("no authority key identifier", 85, 0) { $0.authorityKeyIdentifier = .absent },
        leaf("unknown critical extension", 34, 0) {
            $0.extensions = [CertificateExtension("1.2.3.4", isCritical: true, value: DER.null)]
        },
        leaf("different inner and outer algorithms", 78, 0) { $0.innerDigest = .sha256 },
        leaf("another issuer's name", 20, 0) { $0.issuerName = DistinguishedName(commonName: "Other") },
        intermediate("not an authority", 79, 1) { $0.isCA = false },
        intermediate("no basicConstraints", 79, 1) { $0.isCA = nil },
        intermediate("basicConstraints not critical", 89, 1) { $0.basicConstraintsIsCritical = false },
        intermediate("may not sign certificates", 79, 1) { $0.keyUsage = [.digitalSignature] },
        intermediate("a path length without keyUsage", 81, 1) { $0.keyUsage = nil },
        intermediate("no subject key identifier", 86, 1) { $0.subjectKeyIdentifier = .absent },
        intermediate("version 1", 79, 1) { $0.version = 1 },
        intermediate("name constraints that exclude the leaf", 47, 0) {
            $0.extensions = [.nameConstraints(permitting: DistinguishedName(commonName: "Other"))]
        },
        intermediate("RSA key of 1024 bits", 67, 1) { $0.algorithm = .rsa1024 },
        Row(testDescription: "leaf signed by a key that is not the issuer's", number: 7, depth: 0) {
            let other = try PrivateKey.generate(.p384)
            return try TestPKI.chain(leaf: { $0.signer = other })
        },
        Row(testDescription: "path length used up", number: 25, depth: 2) {
            try TestPKI.chain(root: { $0.pathLength = 0 }, intermediate: { $0.pathLength = nil })
        },
    ]

    private static func leaf(
        _ name: String, _ number: Int, _ depth: Int,
        _ change: @escaping @Sendable (inout CertificateRecipe) -> Void
    ) -> Row {
        Row(testDescription: "leaf: \(name)", number: number, depth: depth) {
            try TestPKI.chain(leaf: change)
        }
    }

    private static func intermediate(
        _ name: String, _ number: Int, _ depth: Int,
        _ change: @escaping @Sendable (inout CertificateRecipe) -> Void
    ) -> Row {
        Row(testDescription: "intermediate: \(name)", number: number, depth: depth) {
            try TestPKI.chain(intermediate: change)
        }
    }
}
