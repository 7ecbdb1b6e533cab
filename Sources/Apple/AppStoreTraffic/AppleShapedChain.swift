public import CertificateAuthority
internal import Cryptography

/// Root, intermediate and leaf in the shape of Apple's chain for signed App Store data: P-384, P-384 and P-256, signed
/// with ecdsa-with-SHA384, with Apple's marker extensions. What Apple's names say is said of a test authority.
///
/// Source: the extensions of Apple Root CA - G3, Apple WWDR CA G6 and the leaf of 2025.
public struct AppleShapedChain: Sendable {
    /// The marker that Apple puts into leaves that sign receipts and App Store data.
    public static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// The marker that Apple puts into its WWDR intermediates.
    public static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    /// The self-signed anchor.
    public let root: IssuedCertificate
    /// What the root issued.
    public let intermediate: IssuedCertificate
    /// What the intermediate issued; its key signs payloads.
    public let leaf: IssuedCertificate

    /// Puts a chain together, also from parts that do not fit.
    public init(root: IssuedCertificate, intermediate: IssuedCertificate, leaf: IssuedCertificate) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
    }

    /// Makes a sound chain, all three valid for the same time.
    ///
    /// - Parameters:
    ///   - notBeforeMilliseconds: the first valid moment, milliseconds since 1970.
    ///   - notAfterMilliseconds: the last valid moment.
    ///   - name: ends every common name, so that two authorities can be told apart.
    /// - Returns: the chain, its keys new.
    /// - Throws: `certificate-authority.key`.
    public static func make(
        notBeforeMilliseconds: Int64,
        notAfterMilliseconds: Int64,
        name: String = ""
    ) throws(CertificateAuthorityError) -> AppleShapedChain {
        let recipes = AppleShapedRecipes(
            notBeforeMilliseconds: notBeforeMilliseconds,
            notAfterMilliseconds: notAfterMilliseconds,
            name: name
        )
        let root = try CertificateAuthority.issue(recipes.root)
        let intermediate = try CertificateAuthority.issue(recipes.intermediate, by: root)
        let leaf = try CertificateAuthority.issue(recipes.leaf, by: intermediate)
        return AppleShapedChain(root: root, intermediate: intermediate, leaf: leaf)
    }

    /// Leaf, intermediate, root in base64, the order and form of `x5c`.
    public var x5c: [String] { [leaf.base64, intermediate.base64, root.base64] }
}

/// The three recipes of a sound chain, to be changed in one place for a bad one.
public struct AppleShapedRecipes: Sendable {
    /// P-384, self-signed.
    public var root: CertificateRecipe
    /// P-384, path length 0, with its marker.
    public var intermediate: CertificateRecipe
    /// P-256, with its marker.
    public var leaf: CertificateRecipe

    /// The sound recipes.
    public init(notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, name: String = "") {
        func recipe(_ commonName: String, _ unit: String?) -> CertificateRecipe {
            CertificateRecipe(
                subject: DistinguishedName(commonName: commonName + name, organizationalUnit: unit),
                notBeforeMilliseconds: notBeforeMilliseconds,
                notAfterMilliseconds: notAfterMilliseconds
            )
        }
        root = recipe("Test Root CA - G3", "Test Certification Authority").with {
            $0.algorithm = .p384
            $0.isCA = true
            $0.keyUsage = [.certificateSigning, .revocationListSigning]
        }
        intermediate = recipe("Test Worldwide Developer Relations Certification Authority", "G6").with {
            $0.algorithm = .p384
            $0.isCA = true
            $0.pathLength = 0
            $0.keyUsage = [.certificateSigning, .revocationListSigning]
            $0.markers = [AppleShapedChain.intermediateMarker]
            $0.extensions = [
                .authorityInformationAccess(responder: "http://ocsp.example.com/ocsp03-testrootcag3"),
                .revocationList("http://crl.example.com/testrootcag3.crl"),
            ]
        }
        leaf = recipe("Test ECC Mac App Store and iTunes Store Receipt Signing", nil).with {
            $0.markers = [AppleShapedChain.leafMarker]
            $0.extensions = [
                .authorityInformationAccess(
                    issuer: "http://certs.example.com/testg6.der",
                    responder: "http://ocsp.example.com/ocsp03-testg602"
                ),
                // As long as Apple's, so that requests have the size of real ones.
                .certificatePolicy(
                    "1.2.840.113635.100.5.6.1",
                    notice: """
                        Made by a test authority and worth nothing: nobody may rely on this certificate, no terms and \
                        conditions of use apply, and there is neither a policy nor a practice statement.
                        """,
                    statement: "http://www.example.com/certificateauthority/"
                ),
            ]
        }
    }
}
