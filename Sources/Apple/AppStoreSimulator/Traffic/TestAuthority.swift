internal import CertificateAuthority
package import Cryptography
internal import System

/// A directory with the keys and certificates for sending requests in place of the App Store server: a root, an
/// intermediate and a leaf in the shape of Apple's, and a certificate for a web server on this machine.
///
/// A service with `root.pem` as an anchor accepts everything that `leaf.key` signs. Never configure that anchor for the real
/// environments of an app.
package struct TestAuthority: Sendable {
    /// The files of the directory, each in PEM.
    package enum File: String, Sendable, CaseIterable {
        case root = "root.pem"
        case rootKey = "root.key"
        case intermediate = "intermediate.pem"
        case intermediateKey = "intermediate.key"
        case leaf = "leaf.pem"
        case leafKey = "leaf.key"
        /// The certificate that issued the web server's certificate, for `--cacert`.
        case serverAuthority = "tls-authority.pem"
        /// The web server's certificate, for `localhost` and 127.0.0.1: nginx's `ssl_certificate`.
        case server = "tls-server.pem"
        /// The web server's key: nginx's `ssl_certificate_key`.
        case serverKey = "tls-server.key"

        /// The file mode: only the owner may read a key, everybody may read a certificate.
        package var permissions: UInt32 { rawValue.hasSuffix(".key") ? 0o600 : 0o644 }
    }

    package let root: Certificate
    package let intermediate: Certificate
    /// The certificate that the intermediate issued. Its key signs payloads.
    package let leaf: Certificate
    private let leafKey: SigningKey

    /// Makes a new authority and writes its files. The certificates are valid from two years before now, so that what was signed
    /// in this time can be shown too, to ten years after now.
    ///
    /// - Parameters:
    ///   - directory: the path; the directory is made when it does not exist. It must not hold an authority.
    ///   - nowMilliseconds: the current time, milliseconds since 1970.
    /// - Throws: `app-store-traffic.authority-exists`, `app-store-traffic.file`, `app-store-traffic.certificate`.
    package static func create(in directory: String, nowMilliseconds: Int64) throws(AppStoreTrafficError) {
        for file in File.allCases where (try? FileStatus(path: path(file, directory))) != nil {
            throw .authorityExists(directory)
        }
        let (notBefore, notAfter) = (nowMilliseconds - 730 * day, nowMilliseconds + 3653 * day)
        let texts = try CertificateAuthorityError.mapped(
            to: AppStoreTrafficError.certificate, try texts(notBefore, notAfter))
        if (try? FileStatus(path: directory)) == nil {
            try SystemCallError.mapped(
                to: { AppStoreTrafficError.file(directory, $0) },
                try Directory.make(path: directory, permissions: 0o755)
            )
        }
        for (file, text) in texts { try write(text, file, directory) }
    }

    /// Makes the certificates and the keys, and returns the text of each file.
    private static func texts(_ notBefore: Int64, _ notAfter: Int64) throws(CertificateAuthorityError) -> [(
        File, String
    )] {
        let chain = try AppleShapedChain.make(
            notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter)
        let (authority, server) = try webServer(notBefore, notAfter)
        return try [
            (.rootKey, pem(chain.root.key)), (.intermediateKey, pem(chain.intermediate.key)),
            (.leafKey, pem(chain.leaf.key)), (.serverKey, pem(server.key)),
            (.intermediate, chain.intermediate.pem), (.leaf, chain.leaf.pem),
            (.serverAuthority, authority.pem), (.server, server.pem), (.root, chain.root.pem),
        ]
    }

    /// Reads the three certificates and the leaf's key, which signing needs.
    ///
    /// - Throws: `app-store-traffic.file`, `app-store-traffic.content`.
    package init(directory: String) throws(AppStoreTrafficError) {
        root = try Self.certificate(.root, directory)
        intermediate = try Self.certificate(.intermediate, directory)
        leaf = try Self.certificate(.leaf, directory)
        let text = try Self.read(.leafKey, directory)
        do {
            leafKey = try SigningKey(p8: text.span)
        } catch {
            throw .content(Self.path(.leafKey, directory), error)
        }
    }

    package var requestBuilder: SignedRequestBuilder {
        let x5c = [leaf, intermediate, root].map {
            String(decoding: Base64.encode($0.der.span), as: UTF8.self)
        }
        return SignedRequestBuilder(header: SignedRequestBuilder.header(x5c: x5c), key: leafKey)
    }

    /// Returns the path of a file of the authority in `directory`.
    package static func path(_ file: File, _ directory: String) -> String { "\(directory)/\(file.rawValue)" }

    private static let day: Int64 = 86_400_000
    /// The limit of a file in bytes. The PEM files of an authority are far smaller.
    private static let fileByteCount = 64 << 10

    /// Makes the web server's certificate and the authority that issues it. The authority's key is written to no file, so that
    /// it cannot issue certificates for other servers.
    private static func webServer(_ notBefore: Int64, _ notAfter: Int64) throws(CertificateAuthorityError)
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

    private static func pem(_ key: PrivateKey) throws(CertificateAuthorityError) -> String {
        try CryptographyError.mapped(to: CertificateAuthorityError.key, try key.pem())
    }

    private static func write(_ text: String, _ file: File, _ directory: String) throws(AppStoreTrafficError)
    {
        let bytes = Array(text.utf8)
        try SystemCallError.mapped(
            to: { AppStoreTrafficError.file(path(file, directory), $0) },
            try AtomicFile.write(bytes.span, to: path(file, directory), permissions: file.permissions)
        )
    }

    private static func read(_ file: File, _ directory: String) throws(AppStoreTrafficError) -> [UInt8] {
        try SystemCallError.mapped(
            to: { AppStoreTrafficError.file(path(file, directory), $0) },
            try FileDescriptor.openForReading(path: path(file, directory))
                .readAll(limitBytes: fileByteCount)
        )
    }

    private static func certificate(_ file: File, _ directory: String) throws(AppStoreTrafficError)
        -> Certificate
    {
        let text = try read(file, directory)
        return try CryptographyError.mapped(
            to: { AppStoreTrafficError.content(path(file, directory), $0) },
            try Certificate.pem(text.span)[0]
        )
    }
}
