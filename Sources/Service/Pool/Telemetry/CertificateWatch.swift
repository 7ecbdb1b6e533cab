package import Cryptography
package import Logging
internal import System

/// When the certificates end that vouched for payloads last, by their place in the chain, in milliseconds since 1970. Of several
/// anchors, the first end.
package typealias CertificateEnds = [UsedCertificate.Position: Int64]

extension Dictionary<UsedCertificate.Position, Int64> {
    package var inOrder: [(position: UsedCertificate.Position, milliseconds: Int64)] {
        UsedCertificate.Position.allCases.compactMap { position in self[position].map { (position, $0) } }
    }
}

extension SharedCounters {
    package func note(_ certificate: UsedCertificate) {
        set(Gauge(endOf: certificate.position), to: UInt64(max(0, certificate.notAfterMilliseconds)))
    }

    package var certificateEnds: CertificateEnds {
        var ends: CertificateEnds = [:]
        for position in UsedCertificate.Position.allCases {
            let end = Int64(clamping: highest(Gauge(endOf: position)))
            if end > 0 { ends[position] = end }
        }
        return ends
    }
}

/// Warns of certificates that end soon: once a day for each place in the chain, from 30 days before the end on.
package struct CertificateWatch: Sendable {
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let warningMilliseconds = 30 * dayMilliseconds
    /// The end that was warned of last, and when, in milliseconds since 1970.
    private var warned: [UsedCertificate.Position: (end: Int64, at: Int64)] = [:]

    package init() {}

    /// Writes the warnings that are due at a time in milliseconds since 1970; errors after the end.
    package mutating func look(at now: Int64, _ ends: CertificateEnds, _ logger: Logger) {
        for (position, end) in ends.inOrder where now >= end - Self.warningMilliseconds {
            if let last = warned[position], last.end == end, now >= last.at,
                now - last.at < Self.dayMilliseconds
            {
                continue
            }
            warned[position] = (end, now)
            let hasEnded = now >= end + 1000
            logger.log(
                level: hasEnded ? .error : .warning,
                hasEnded ? "a certificate in use has ended" : "a certificate in use ends soon",
                metadata: [
                    "code": "certificate-ends-soon", "position": "\(position.rawValue)",
                    "days": "\((end - now) / Self.dayMilliseconds)",
                    "ends": "\(CivilTime(milliseconds: end))",
                ])
        }
    }
}
