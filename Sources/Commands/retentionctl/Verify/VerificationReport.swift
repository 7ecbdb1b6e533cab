internal import Cryptography
internal import JSON
internal import SignedPayloads
internal import Vocabulary

/// The result of verifying one payload, as text and as JSON.
struct VerificationReport {
    /// The unverified contents of the payload.
    var presented: UnverifiedPayload
    /// The time that certificates and age were checked against, in milliseconds since 1970; nil when the verification
    /// ended before that.
    var timeMilliseconds: Int64?
    /// The fingerprint of the anchor that the chain leads to; nil when refused.
    var anchor: SHA256Digest?
    /// The refusal; nil when verified.
    var refusal: Refusal?
    /// Details of the refusal; nil when there are none.
    var detail: String?

    init(presented: UnverifiedPayload, timeMilliseconds: Int64? = nil, refusal: Refusal? = nil) {
        self.presented = presented
        self.timeMilliseconds = timeMilliseconds
        self.refusal = refusal
    }

    /// The report as one JSON document and a line feed. An unverified payload has another member name than a verified
    /// one.
    var json: [UInt8] {
        var members: [(String, JSONNode)] = [("verified", .boolean(refusal == nil))]
        if let timeMilliseconds { members.append(("atMilliseconds", .integer(timeMilliseconds))) }
        if let refusal {
            members.append(
                (
                    "refusal",
                    .object([
                        ("code", .string(refusal.code)), ("step", .string(refusal.step.rawValue)),
                        ("detail", detail.map { .string($0) } ?? .null),
                    ])
                )
            )
        }
        if let anchor { members.append(("anchor", .string(anchor.hexadecimal))) }
        if let payload = presented.payload {
            members.append((refusal == nil ? "payload" : "unverifiedPayload", payload))
        }
        let chain = presented.chain.enumerated().map { Self.json($1, role: Self.role($0)) }
        members.append((refusal == nil ? "chain" : "presentedChain", .array(chain)))
        return JSONNode.object(members).serialized() + [UInt8(ascii: "\n")]
    }

    var lines: [String] {
        var lines = headlines
        if let payload = presented.payload {
            lines.append(refusal == nil ? "payload" : "payload as presented, not verified")
            let pretty = String(decoding: payload.serialized(pretty: true), as: UTF8.self)
            lines += pretty.split(separator: "\n").map { "  \($0)" }
            if let date = presented.signedDate {
                lines.append("  signed \(CivilTime(milliseconds: date))")
            }
        }
        if !presented.chain.isEmpty {
            lines.append(refusal == nil ? "chain" : "chain as presented")
        }
        for (index, certificate) in presented.chain.enumerated() {
            lines += Self.text(certificate, role: Self.role(index))
        }
        return lines
    }

    private var headlines: [String] {
        let time = timeMilliseconds.map { " at \(CivilTime(milliseconds: $0))" } ?? ""
        guard let refusal else { return ["verified\(time)"] }
        let steps = VerificationStep.allCases
        let number = (steps.firstIndex(of: refusal.step) ?? 0) + 1
        let more = detail.map { ": \($0)" } ?? ""
        return [
            "refused\(time): \(refusal.code)",
            "  step \(number) of \(steps.count), \(refusal.step.rawValue)\(more)",
        ]
    }

    private static func role(_ index: Int) -> String {
        switch index {
        case 0: "leaf"
        case 1: "intermediate"
        case 2: "root"
        default: "superfluous"
        }
    }

    private static func json(_ certificate: Certificate, role: String) -> JSONNode {
        .object([
            ("role", .string(role)),
            ("subject", .string(certificate.subject)),
            ("issuer", .string(certificate.issuer)),
            ("notBefore", .string(time(certificate.notBeforeMilliseconds))),
            ("notAfter", .string(time(certificate.notAfterMilliseconds))),
            ("key", .string(name(certificate.keyKind))),
            ("sha256", .string(certificate.fingerprint.hexadecimal)),
        ])
    }

    private static func text(_ certificate: Certificate, role: String) -> [String] {
        let (first, last) = (time(certificate.notBeforeMilliseconds), time(certificate.notAfterMilliseconds))
        return [
            "  \(role)", "    subject  \(certificate.subject)", "    issuer   \(certificate.issuer)",
            "    valid    \(first) to \(last)", "    key      \(name(certificate.keyKind))",
            "    SHA-256  \(certificate.fingerprint)",
        ]
    }

    private static func time(_ milliseconds: Int64?) -> String {
        milliseconds.map { CivilTime(milliseconds: $0).description } ?? "unreadable"
    }

    private static func name(_ key: KeyKind) -> String {
        switch key {
        case .p256: "P-256"
        case .p384: "P-384"
        case .ellipticCurve(let name): name
        case .rsa(let bits): "RSA \(bits)"
        case .other: "other"
        }
    }
}
