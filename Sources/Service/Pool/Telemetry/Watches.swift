package import Cryptography

/// Notices that somebody sets this machine's clock while the process runs.
package struct ClockWatch: Sendable {
    private var difference: Int64?

    package init() {}

    /// Returns by how many milliseconds the wall clock was set since the last look, when that is 1.5 seconds or more.
    /// `boot` is the time of a clock that nobody sets and that also counts while the machine sleeps
    /// (`Clock.bootNanoseconds()`), in milliseconds.
    package mutating func jump(wall: Int64, boot: Int64) -> Int64? {
        let now = wall &- boot
        defer { difference = now }
        guard let difference else { return nil }
        let jump = now &- difference
        return jump.magnitude >= TelemetryLimits.clockJumpMilliseconds ? jump : nil
    }
}

/// When the certificates end that vouched for payloads last, by their place in the chain, in milliseconds since 1970. Of several
/// anchors, the first end.
package typealias CertificateEnds = [UsedCertificate.Position: Int64]

extension Dictionary<UsedCertificate.Position, Int64> {
    package var inOrder: [(position: UsedCertificate.Position, milliseconds: Int64)] {
        UsedCertificate.Position.allCases.compactMap { position in self[position].map { (position, $0) } }
    }
}

extension SharedCounters {
    package func set(_ certificate: UsedCertificate) {
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

    /// How far `signedDate` of the latest payload was ahead of this machine's clock, in milliseconds; nil before the
    /// first.
    package var signedDateOffset: Int64? {
        let word = highest(.signedDateOffset)
        return word == 0 ? nil : Int64(bitPattern: word)
    }

    package func set(signedDateOffset offset: Int64) {
        set(.signedDateOffset, to: UInt64(bitPattern: offset == 0 ? 1 : offset))
    }
}
