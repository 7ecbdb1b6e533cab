internal import Cryptography
internal import Logging
internal import SignedPayloads
internal import Telemetry

/// Watches the certificates that vouch for notifications, and the clock.
extension Recorder {
    /// The leaves and intermediates that vouched for notifications lately, and the anchors.
    var certificatesInUse: [UsedCertificate] { sightings.inUse + anchors }

    /// Notes the certificates that vouched for a notification.
    func noteCertificates() {
        for certificate in verifier.takeUsedCertificates() {
            sightings.note(certificate, atMilliseconds: Int64(timing.monotonicNanoseconds() / 1_000_000))
        }
    }

    /// Logs each certificate in use that ends within 30 days, once a day, and a wrong clock. The process calls this after each turn.
    func watch() {
        guard timing.monotonicNanoseconds() >= nextLook else { return }
        nextLook = timing.monotonicNanoseconds() &+ Self.lookNanoseconds
        // Side by side: if a write to the log hung between the two, the clock would seem to have jumped.
        let (now, boot) = (timing.wallMilliseconds(), timing.bootMilliseconds)
        for warning in certificateWatch.look(at: now, certificatesInUse) { warning.write(to: logger) }
        for offset in verifier.takeSignedDateOffsets() { clockOffsets.note(offset, atMilliseconds: boot) }
        let offset = clockOffsets.median(atMilliseconds: boot)
        for warning in clockWatch.look(wall: now, boot: boot, offset: offset) {
            warning.write(to: logger)
            guard case .jumped = warning else { continue }
            counters.clockJumps += 1
            clockOffsets.forget()
        }
    }

    /// How late notifications may come before the clock counts as fast: Apple does not promise a time.
    static let lateMilliseconds: Int64 = 60_000

    /// The time between two looks at certificates.
    static let lookNanoseconds: UInt64 = 2_000_000_000
}
