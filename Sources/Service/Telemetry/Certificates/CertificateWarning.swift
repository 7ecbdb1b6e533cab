internal import Cryptography
public import Logging
internal import Vocabulary

/// The log line about a certificate that ends soon or has ended.
public struct CertificateWarning: Sendable, Hashable {
    /// The stable code.
    public static let code = "certificate-ends-soon"
    let certificate: UsedCertificate
    let nowMilliseconds: Int64

    /// The whole days until the end; 0 or less on the last day and after the end.
    var days: Int64 {
        (certificate.notAfterMilliseconds - nowMilliseconds) / TelemetryLimits.dayMilliseconds
    }

    /// True when the certificate is not valid any more.
    var hasEnded: Bool { nowMilliseconds >= certificate.notAfterMilliseconds + 1000 }

    var message: String { hasEnded ? "a certificate in use has ended" : "a certificate in use ends soon" }

    var metadata: Logger.Metadata {
        [
            "code": "\(Self.code)", "position": "\(certificate.position.rawValue)", "days": "\(days)",
            "ends": "\(CivilTime(milliseconds: certificate.notAfterMilliseconds))",
            "sha256": "\(certificate.fingerprint)",
        ]
    }

    /// Writes the line: a warning before the end, an error after it.
    public func write(to logger: Logger) {
        logger.log(level: hasEnded ? .error : .warning, "\(message)", metadata: metadata)
    }
}
