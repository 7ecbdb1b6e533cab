internal import Configuration
internal import Cryptography
internal import SignedPayloads
internal import Vocabulary

extension Manifest {
    /// A line for each anchor certificate: subject, validity, SHA-256, and the PEM file or "built-in".
    public var anchorDescriptions: [String] {
        var lines: [String] = []
        let usesApple = configuration.anchors.isEmpty && configuration.apps.contains { $0.anchors.isEmpty }
        if usesApple {
            lines += ((try? AppleRoots.certificates()) ?? []).map { "built-in anchor \(Self.line($0))" }
        }
        for (path, certificates) in anchors.sorted(by: { $0.key < $1.key }) {
            for der in certificates {
                guard let certificate = try? Certificate(der: der.span) else { continue }
                lines.append("\(path): anchor \(Self.line(certificate))")
            }
        }
        return lines
    }

    private static func line(_ certificate: Certificate) -> String {
        let times = [certificate.notBeforeMilliseconds, certificate.notAfterMilliseconds].map { time in
            time.map { CivilTime(milliseconds: $0).description } ?? "unknown"
        }
        let validity = "valid from \(times[0]) to \(times[1])"
        return "\(certificate.subject), \(validity), SHA-256 \(certificate.fingerprint.hexadecimal)"
    }
}
