package import CertificateAuthority
internal import Cryptography

/// Root, intermediate and leaf in the shape of Apple's chain for signed App Store data: P-384, P-384 and P-256, signed
/// with ecdsa-with-SHA384, with Apple's marker extensions. The names are like Apple's but say that they are of a test
/// authority.
///
/// Source: the extensions of Apple Root CA - G3, Apple WWDR CA G6 and the leaf of 2025.
package struct AppleShapedChain: Sendable {
    /// The marker extension that Apple puts into leaves that sign receipts and App Store data.
    package static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// The marker extension that Apple puts into its WWDR intermediates.
    package static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    package let root: IssuedCertificate
    package let intermediate: IssuedCertificate
    /// The certificate that the intermediate issued. Its key signs payloads.
    package let leaf: IssuedCertificate

    package init(root: IssuedCertificate, intermediate: IssuedCertificate, leaf: IssuedCertificate) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
    }

    /// Makes a valid chain with new keys. All three certificates are valid for the same time.
    ///
    /// - Parameters:
    ///   - notBeforeMilliseconds: the first valid moment, milliseconds since 1970.
    ///   - notAfterMilliseconds: the last valid moment, milliseconds since 1970.
    ///   - name: the end of every common name, so that people can tell two authorities apart.
    /// - Returns: the chain.
    /// - Throws: `certificate-authority.key`.
    package static func make(notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, name: String = "")
        throws(CertificateAuthorityError) -> AppleShapedChain
    {
        let recipes = AppleShapedRecipes(
            notBeforeMilliseconds: notBeforeMilliseconds, notAfterMilliseconds: notAfterMilliseconds,
            name: name)
        let root = try CertificateAuthority.issue(recipes.root)
        let intermediate = try CertificateAuthority.issue(recipes.intermediate, by: root)
        let leaf = try CertificateAuthority.issue(recipes.leaf, by: intermediate)
        return AppleShapedChain(root: root, intermediate: intermediate, leaf: leaf)
    }

    /// Leaf, intermediate and root in base64, in the order and form of `x5c`.
    package var x5c: [String] { [leaf.base64, intermediate.base64, root.base64] }
}

/// The three recipes of a valid chain. A test changes one of them to make a bad chain.
package struct AppleShapedRecipes: Sendable {
    /// The root: P-384, self-signed.
    package var root: CertificateRecipe
    /// The intermediate: P-384, path length 0, with its marker.
    package var intermediate: CertificateRecipe
    /// The leaf: P-256, with its marker.
    package var leaf: CertificateRecipe

    package init(notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, name: String = "") {
        func recipe(_ commonName: String, _ unit: String?) -> CertificateRecipe {
            CertificateRecipe(
                subject: DistinguishedName(commonName: commonName + name, organizationalUnit: unit),
                notBeforeMilliseconds: notBeforeMilliseconds, notAfterMilliseconds: notAfterMilliseconds)
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
                    responder: "http://ocsp.example.com/ocsp03-testg602"),
                // The notice is as long as Apple's, so that requests have the size of real requests.
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
