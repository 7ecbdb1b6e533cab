internal import Cryptography

/// A configured root with OpenSSL's view of it.
final class TrustedAnchor {
    let certificate: Certificate
    let fingerprint: SHA256Digest
    let verifier: ChainVerifier

    init(_ certificate: Certificate) throws(AnchorError) {
        do {
            verifier = try ChainVerifier(anchor: certificate)
        } catch {
            throw .unusable
        }
        self.certificate = certificate
        fingerprint = certificate.fingerprint
    }
}
