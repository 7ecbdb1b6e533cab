internal import Cryptography

/// A chain that passed every check except validity at a time, with the leaf's key that it vouches for.
final class TrustedChain {
    /// The verifier of signatures made with the leaf's key.
    let key: ES256Verifier
    /// The SHA-256 of the root that vouches for the chain.
    let anchor: SHA256Digest
    /// The latest notBefore of the three certificates, milliseconds since 1970.
    let notBeforeMilliseconds: Int64
    /// The earliest notAfter of the three certificates, milliseconds since 1970. The second of notAfter is still valid
    /// (RFC 5280 4.1.2.5).
    let notAfterMilliseconds: Int64
    /// The leaf and the intermediate.
    let certificates: [UsedCertificate]
    /// When ``ChainTrust/noteUse(of:atMilliseconds:)`` last noted the chain, in milliseconds since 1970; nil before.
    var useNotedAt: Int64?
    /// True when the chain was noted for sending to the other workers.
    var isNotedForSending = false

    init(
        key: ES256Verifier, anchor: SHA256Digest, notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64,
        certificates: [UsedCertificate]
    ) {
        self.key = key
        self.anchor = anchor
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
        self.certificates = certificates
    }

    /// Checks that all three certificates are valid at the given time.
    ///
    /// - Throws: `certificate-not-yet-valid`, `certificate-expired`.
    func checkValidity(at milliseconds: Int64) throws(Refusal) {
        guard milliseconds >= notBeforeMilliseconds else { throw .certificateNotYetValid }
        guard milliseconds < notAfterMilliseconds.addingReportingOverflow(1000).partialValue else {
            throw .certificateExpired
        }
    }
}
