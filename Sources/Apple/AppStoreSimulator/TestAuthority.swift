package import CertificateAuthority
package import Cryptography
internal import System

/// A directory with the keys and certificates for sending requests in place of the App Store server: a root, an
/// intermediate and a leaf in the shape of Apple's, and a certificate for a web server on this machine.
///
/// A service with `root.pem` as an anchor accepts everything that `leaf.key` signs. Never configure that anchor for the real
/// environments of an app.
package struct TestAuthority: Sendable {
    package enum File: String, Sendable, CaseIterable {
        case root = "root.pem"
        case rootKey = "root.key"
        case intermediate = "intermediate.pem"
        case intermediateKey = "intermediate.key"
        case leaf = "leaf.pem"
        case leafKey = "leaf.key"
        case serverAuthority = "tls-authority.pem"
        case server = "tls-server.pem"
        case serverKey = "tls-server.key"
        /// A key as App Store Connect gives one for the API: `--key` of `serve`, `--key-file` of retentionctl.
        case apiKey = "api-key.p8"

        package var permissions: UInt32 { rawValue.hasSuffix(".pem") ? 0o644 : 0o600 }
    }

    package let root: Certificate
    package let intermediate: Certificate
    package let leaf: Certificate
    private let leafKey: SigningKey

    /// Valid from two years before now, so that what was signed in this time can be shown too, to ten years after.
    package static func create(in directory: String, nowMilliseconds: Int64) throws {
        for file in File.allCases where (try? FileStatus(path: path(file, directory))) != nil {
            throw ToolError(
                code: "app-store-traffic.authority-exists",
                "\(directory) holds an authority already; its keys are kept")
        }
        let texts = try texts(nowMilliseconds - 730 * day, nowMilliseconds + 3653 * day)
        try ToolError.about(directory) {
            if (try? FileStatus(path: directory)) == nil {
                try Directory.make(path: directory, permissions: 0o755)
            }
        }
        for (file, text) in texts {
            try ToolError.about(path(file, directory)) {
                let bytes = Array(text.utf8)
                try AtomicFile.write(bytes.span, to: path(file, directory), permissions: file.permissions)
            }
        }
    }

    private static func texts(_ notBefore: Int64, _ notAfter: Int64) throws -> [(File, String)] {
        let chain = try AppleShapedChain.make(
            notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter)
        let (authority, server) = try webServer(notBefore, notAfter)
        return try [
            (.rootKey, chain.root.key.pem()), (.intermediateKey, chain.intermediate.key.pem()),
            (.leafKey, chain.leaf.key.pem()), (.serverKey, server.key.pem()),
            (.apiKey, PrivateKey.generate(.p256).pem()),
            (.intermediate, chain.intermediate.pem), (.leaf, chain.leaf.pem),
            (.serverAuthority, authority.pem), (.server, server.pem), (.root, chain.root.pem),
        ]
    }

    package init(directory: String) throws {
        func read<Value>(_ file: File, _ body: ([UInt8]) throws -> Value) throws -> Value {
            let path = Self.path(file, directory)
            return try ToolError.about(path) {
                try body(FileDescriptor.openForReading(path: path).readAll(limitBytes: Self.fileByteCount))
            }
        }
        root = try read(.root) { try Certificate.pem($0.span)[0] }
        intermediate = try read(.intermediate) { try Certificate.pem($0.span)[0] }
        leaf = try read(.leaf) { try Certificate.pem($0.span)[0] }
        leafKey = try read(.leafKey) { try SigningKey(p8: $0.span) }
    }

    package var requestBuilder: SignedRequestBuilder {
        let x5c = [leaf, intermediate, root].map {
            String(decoding: Base64.encode($0.der.span), as: UTF8.self)
        }
        return SignedRequestBuilder(header: SignedRequestBuilder.header(x5c: x5c), key: leafKey)
    }

    package static func path(_ file: File, _ directory: String) -> String { "\(directory)/\(file.rawValue)" }

    private static let day: Int64 = 86_400_000
    private static let fileByteCount = 64 << 10

    /// The authority's key is written to no file, so that it cannot issue certificates for other servers.
    private static func webServer(_ notBefore: Int64, _ notAfter: Int64) throws
        -> (authority: IssuedCertificate, server: IssuedCertificate)
    {
        let recipe = CertificateRecipe(
            subject: DistinguishedName(commonName: "Test web server authority"),
            notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter
        ).with {
            $0.isCA = true
            $0.pathLength = 0
            $0.keyUsage = [.certificateSigning]
            $0.digest = .sha256
        }
        let authority = try CertificateAuthority.issue(recipe)
        let server = try CertificateAuthority.issue(
            TLSServerCertificate.recipe(notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter),
            by: authority)
        return (authority, server)
    }
}

/// Root, intermediate and leaf in the shape of Apple's chain for signed App Store data: P-384, P-384 and P-256, signed
/// with ecdsa-with-SHA384, with Apple's marker extensions. The names are like Apple's but say that they are of a test
/// authority. Source: the extensions of Apple Root CA - G3, Apple WWDR CA G6 and the leaf of 2025.
package struct AppleShapedChain: Sendable {
    package static let leafMarker = "1.2.840.113635.100.6.11.1"
    package static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    package let root: IssuedCertificate
    package let intermediate: IssuedCertificate
    package let leaf: IssuedCertificate

    package init(root: IssuedCertificate, intermediate: IssuedCertificate, leaf: IssuedCertificate) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
    }

    package static func make(notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, name: String = "")
        throws(CryptographyError) -> AppleShapedChain
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

package struct AppleShapedRecipes: Sendable {
    package var root: CertificateRecipe
    package var intermediate: CertificateRecipe
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
