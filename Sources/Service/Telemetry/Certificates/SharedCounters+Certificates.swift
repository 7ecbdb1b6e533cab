public import Cryptography
internal import System

/// The table of certificates in use. Workers write what they see; every process reads it.
///
/// Writers do not wait for each other. Each row has a checksum, and a row that does not agree with its checksum is a
/// free one: where two workers write the same row at once, or a worker dies while it writes, the certificate is missing
/// until a worker sees it again, within about a minute.
extension SharedCounters {
    private enum Word {
        static let checksum = 0
        static let seen = 1
        static let notAfter = 2
        static let fingerprint = 3
    }

    /// Notes that a certificate is in use at a time of the monotonic clock, in milliseconds. When all rows of its
    /// position are taken, it takes the place of the certificate that was not seen for the longest time.
    public func note(_ certificate: UsedCertificate, atMilliseconds now: Int64) {
        var oldest: (row: Int, milliseconds: Int64)?
        for row in Self.rows(of: certificate.position) {
            guard let found = sighting(row, certificate.position) else {
                if oldest.map({ $0.milliseconds > .min }) ?? true { oldest = (row, .min) }
                continue
            }
            if found.certificate == certificate {
                memory.store(UInt64(bitPattern: now), at: certificateWord(row) + Word.seen)
                return
            }
            if found.milliseconds < oldest?.milliseconds ?? .max { oldest = (row, found.milliseconds) }
        }
        guard let oldest else { return }
        let start = certificateWord(oldest.row)
        memory.store(0, at: start + Word.checksum)
        memory.store(UInt64(bitPattern: now), at: start + Word.seen)
        memory.store(UInt64(bitPattern: certificate.notAfterMilliseconds), at: start + Word.notAfter)
        let words = certificate.fingerprint.words
        for index in words.indices { memory.store(words[index], at: start + Word.fingerprint + index) }
        memory.store(Self.checksum(certificate), at: start + Word.checksum)
    }

    public var certificatesInUse: [UsedCertificate] {
        CertificateSightings.inUse(
            UsedCertificate.Position.allCases.flatMap { position in
                Self.rows(of: position).compactMap { sighting($0, position) }
            }
        )
    }

    /// Returns the certificate in a row; nil when the row is free.
    private func sighting(_ row: Int, _ position: UsedCertificate.Position) -> CertificateSightings.Sighting?
    {
        let start = certificateWord(row)
        let checksum = memory.load(start + Word.checksum)
        guard checksum != 0 else { return nil }
        let certificate = UsedCertificate(
            position: position,
            fingerprint: SHA256Digest(words: .init { memory.load(start + Word.fingerprint + $0) }),
            notAfterMilliseconds: Int64(bitPattern: memory.load(start + Word.notAfter))
        )
        guard Self.checksum(certificate) == checksum else { return nil }
        return CertificateSightings.Sighting(
            certificate: certificate, milliseconds: Int64(bitPattern: memory.load(start + Word.seen)))
    }

    private func certificateWord(_ row: Int) -> Int {
        layout.certificates + row * CounterLayout.certificateWords
    }

    private static func rows(of position: UsedCertificate.Position) -> Range<Int> {
        let index = UsedCertificate.Position.allCases.firstIndex(of: position) ?? 0
        return index * TelemetryLimits.certificates..<(index + 1) * TelemetryLimits.certificates
    }

    /// Returns a hash of a certificate's words; never 0.
    private static func checksum(_ certificate: UsedCertificate) -> UInt64 {
        let text = "\(certificate.fingerprint) \(certificate.notAfterMilliseconds)"
        return max(Array(text.utf8).span.wordHash, 1)
    }
}
