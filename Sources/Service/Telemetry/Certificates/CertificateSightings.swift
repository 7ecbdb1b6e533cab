public import Cryptography

/// The certificates that vouched for payloads lately. The number is bounded for each position: a new certificate takes
/// the place of the one that was not seen for the longest time. Belongs to one thread.
///
///     var sightings = CertificateSightings()
///     sightings.note(certificate, atMilliseconds: now)
///     let ends = CertificateSightings.ends(sightings.inUse)
public struct CertificateSightings: Sendable {
    /// A certificate, and when it was last seen, in milliseconds of the monotonic clock.
    struct Sighting: Sendable, Hashable {
        let certificate: UsedCertificate
        var milliseconds: Int64
    }

    private var list: [Sighting] = []

    public init() {}

    /// Notes that a certificate is in use at a time of the monotonic clock, in milliseconds.
    public mutating func note(_ certificate: UsedCertificate, atMilliseconds now: Int64) {
        if let index = list.firstIndex(where: { $0.certificate == certificate }) {
            list[index].milliseconds = now
            return
        }
        list.append(Sighting(certificate: certificate, milliseconds: now))
        let same = list.filter { $0.certificate.position == certificate.position }
        guard same.count > TelemetryLimits.certificates,
            let oldest = same.min(by: { $0.milliseconds < $1.milliseconds })
        else { return }
        list.removeAll { $0 == oldest }
    }

    /// The certificates in use.
    public var inUse: [UsedCertificate] { Self.inUse(list) }

    /// Returns the certificates that were seen last, and those seen shortly before: the leaf and the intermediate of
    /// the day before the last request. So a certificate that Apple has replaced is soon forgotten, and a pool without
    /// requests goes on to know its certificates.
    static func inUse(_ sightings: [Sighting]) -> [UsedCertificate] {
        UsedCertificate.Position.allCases.flatMap { position in
            let same = sightings.filter { $0.certificate.position == position }
            let last = same.map(\.milliseconds).max() ?? 0
            let window =
                position == .anchor
                ? TelemetryLimits.anchorUseMilliseconds : TelemetryLimits.certificateUseMilliseconds
            var seen: Set<UsedCertificate> = []
            return same.filter { $0.milliseconds > last - window && seen.insert($0.certificate).inserted }
                .map(\.certificate)
                .sorted { $0.notAfterMilliseconds < $1.notAfterMilliseconds }
        }
    }

    /// Returns for each position the earliest end of its certificates, in milliseconds since 1970. A position without
    /// certificates is left out.
    public static func ends(
        _ certificates: [UsedCertificate]
    ) -> [(position: UsedCertificate.Position, milliseconds: Int64)] {
        UsedCertificate.Position.allCases.compactMap { position in
            certificates.filter { $0.position == position }.map(\.notAfterMilliseconds).min().map {
                (position, $0)
            }
        }
    }
}
