internal import Cryptography
internal import Logging
internal import SignedPayloads
internal import Telemetry

/// Watches the certificates that vouch for notifications.
extension Recorder {
    /// The leaves and intermediates that vouched for notifications lately, and the anchors.
    var certificatesInUse: [UsedCertificate] { sightings.inUse + anchors }

    /// Notes the certificates that vouched for a notification.
    func noteCertificates() {
        for certificate in verifier.takeUsedCertificates() {
            sightings.note(certificate, atMilliseconds: Int64(timing.monotonicNanoseconds() / 1_000_000))
        }
    }

    /// Logs each certificate in use that ends within 30 days, once a day. The process calls this after each turn.
    func watch() {
        guard timing.monotonicNanoseconds() >= nextLook else { return }
        nextLook = timing.monotonicNanoseconds() &+ Self.lookNanoseconds
        let now = timing.wallMilliseconds()
        for warning in certificateWatch.look(at: now, certificatesInUse) { warning.write(to: logger) }
    }

    /// The time between two looks at certificates.
    static let lookNanoseconds: UInt64 = 2_000_000_000
}
