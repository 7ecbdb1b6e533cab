/// A certificate that vouches for payloads, by its place in the chain: what operators must know of its end.
public struct UsedCertificate: Sendable, Hashable {
    /// The places of a chain. The raw value is the label in metrics.
    public enum Position: String, Sendable, Hashable, CaseIterable {
        /// The certificate whose key signs the payloads.
        case leaf
        /// The certificate that vouches for the leaf.
        case intermediate
        /// The configured root.
        case anchor
    }

    /// The place in the chain.
    public let position: Position
    public let fingerprint: SHA256Digest
    /// The field notAfter, the last valid second, in milliseconds since 1970.
    public let notAfterMilliseconds: Int64

    public init(position: Position, fingerprint: SHA256Digest, notAfterMilliseconds: Int64) {
        self.position = position
        self.fingerprint = fingerprint
        self.notAfterMilliseconds = notAfterMilliseconds
    }

    /// Takes the parts from a certificate. Returns nil when its end cannot be read.
    public init?(_ certificate: Certificate, as position: Position) {
        guard let end = certificate.notAfterMilliseconds else { return nil }
        self.init(position: position, fingerprint: certificate.fingerprint, notAfterMilliseconds: end)
    }
}
