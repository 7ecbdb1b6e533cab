public import Cryptography

/// Warns of certificates in use that end soon: once a day for each certificate, from 30 days before its end on.
///
///     var watch = CertificateWatch()
///     for warning in watch.look(at: Clock.wallMilliseconds(), counters.certificatesInUse) { warning.write(to: logger) }
public struct CertificateWatch: Sendable {
    /// When each certificate was last warned of, in milliseconds since 1970.
    private var warned: [UsedCertificate: Int64] = [:]

    public init() {}

    /// Returns the warnings that are due at a time in milliseconds since 1970.
    public mutating func look(at now: Int64, _ inUse: [UsedCertificate]) -> [CertificateWarning] {
        var present: [UsedCertificate: Int64] = [:]
        var due: [CertificateWarning] = []
        for certificate in inUse where certificate.endsSoon(at: now) {
            let last = warned[certificate]
            if let last, (last...last &+ TelemetryLimits.dayMilliseconds - 1).contains(now) {
                present[certificate] = last
                continue
            }
            present[certificate] = now
            due.append(CertificateWarning(certificate: certificate, nowMilliseconds: now))
        }
        warned = present
        return due
    }
}

extension UsedCertificate {
    /// Returns true from 30 days before the end of the certificate on.
    public func endsSoon(at now: Int64) -> Bool {
        now >= notAfterMilliseconds - TelemetryLimits.certificateWarningMilliseconds
    }
}
