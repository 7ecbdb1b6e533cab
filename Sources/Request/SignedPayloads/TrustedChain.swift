internal import Cryptography

/// A chain that passed every check but that of time, with the key that it vouches for.
final class TrustedChain {
    /// Checks signatures made with the leaf's key.
    let key: ES256Verifier
    /// SHA-256 of the root that vouched.
    let anchor: SHA256Digest
    /// The latest notBefore of the three certificates, milliseconds since 1970.
    let notBeforeMilliseconds: Int64
    /// The earliest notAfter of the three, milliseconds since 1970; that second still counts (RFC 5280 4.1.2.5).
    let notAfterMilliseconds: Int64
    /// Whether other workers have been told of it.
    var isTold = false

    init(
        key: ES256Verifier,
        anchor: SHA256Digest,
        notBeforeMilliseconds: Int64,
        notAfterMilliseconds: Int64
    ) {
        self.key = key
        self.anchor = anchor
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
    }

    /// Holds `time` against the interval in which all three certificates are valid.
    func checkValidity(at milliseconds: Int64) throws(Refusal) {
        guard milliseconds >= notBeforeMilliseconds else { throw .certificateNotYetValid }
        guard milliseconds < notAfterMilliseconds.addingReportingOverflow(1000).partialValue else {
            throw .certificateExpired
        }
    }
}
