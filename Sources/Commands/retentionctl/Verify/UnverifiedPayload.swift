internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import SignedPayloads
internal import System

/// The contents of a JWS before anything in it is verified: enough to show it to a person.
struct UnverifiedPayload {
    /// The readable certificates of `x5c`, in their order.
    let chain: [Certificate]
    /// The payload; nil when it is not JSON.
    let payload: JSONNode?
    /// The member `signedDate`; nil when it is not a whole number.
    let signedDate: Int64?
    /// The member `appAppleId`; nil when it is not a whole number.
    let appAppleId: Int64?

    init(compact text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Array($0)
        }
        let header = parts.first.flatMap { Self.document($0) }
        let entries = header?.root.member("x5c").map { $0.kind == .array ? $0.elements : [] } ?? []
        chain = entries.prefix(Self.certificateCount).compactMap { entry in
            let encoded = Array((entry.string ?? "").utf8)
            guard let der = Base64.decode(encoded.span) else { return nil }
            return try? Certificate(der: der.span)
        }
        let content = parts.count > 1 ? Self.document(parts[1]) : nil
        payload = content.map { JSONNode($0.root) }
        signedDate = content.flatMap { Self.number("signedDate", $0) }
        appAppleId = content.flatMap { Self.number("appAppleId", $0) }
    }

    /// The number of certificates that are read: more than the three that a valid chain has, so that the report shows
    /// extra ones.
    private static let certificateCount = 8

    private static func document(_ part: [UInt8]) -> JSONDocument? {
        guard let text = Base64URL.decode(part.span) else { return nil }
        return try? JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 64))
    }

    private static func number(_ name: StaticString, _ document: JSONDocument) -> Int64? {
        guard document.root.kind == .object else { return nil }
        return document.root.member(name)?.int64
    }

    /// Returns the report on the verification at a time, which is nil when it ended before; with an error, or with the fingerprint
    /// of the anchor that the chain leads to. What is not verified has another name than what is.
    func report(_ time: Int64?, _ error: VerificationError?, anchor: SHA256Digest?) -> Report {
        let place = time.map { " at \(CivilTime(milliseconds: $0))" } ?? ""
        var members: [(String, JSONNode)] = [("verified", .boolean(error == nil))]
        if let time { members.append(("atMilliseconds", .integer(time))) }
        if let refusal = error?.refusal {
            let refused: [(String, JSONNode)] = [
                ("code", .string(refusal.code)), ("step", .string(refusal.step.rawValue)),
                ("detail", JSONNode(error?.detail?.description)),
            ]
            members.append(("refusal", .object(refused)))
        }
        if let anchor { members.append(("anchor", .string(anchor.hexadecimal))) }
        if let signedDate { members.append(("signedAt", .string(Self.text(signedDate)))) }
        if let payload { members.append((error == nil ? "payload" : "unverifiedPayload", payload)) }
        members.append((error == nil ? "chain" : "presentedChain", .array(chain.enumerated().map(Self.node))))
        let steps = VerificationStep.allCases
        let title = error.map {
            let number = (steps.firstIndex(of: $0.refusal.step) ?? 0) + 1
            return "refused\(place): \($0.refusal.code), step \(number) of \(steps.count)"
        }
        return Report(members, title: title ?? "verified\(place)")
    }

    private static func node(_ index: Int, _ certificate: Certificate) -> JSONNode {
        let key =
            switch certificate.keyKind {
            case .p256: "P-256"
            case .p384: "P-384"
            case .ellipticCurve(let name): name
            case .rsa(let bits): "RSA \(bits)"
            case .other: "other"
            }
        let roles = ["leaf", "intermediate", "root"]
        return .object([
            ("role", .string(roles.indices.contains(index) ? roles[index] : "superfluous")),
            ("subject", .string(certificate.subject)),
            ("issuer", .string(certificate.issuer)),
            ("notBefore", .string(text(certificate.notBeforeMilliseconds))),
            ("notAfter", .string(text(certificate.notAfterMilliseconds))),
            ("key", .string(key)),
            ("sha256", .string(certificate.fingerprint.hexadecimal)),
        ])
    }

    private static func text(_ milliseconds: Int64?) -> String {
        milliseconds.map { CivilTime(milliseconds: $0).description } ?? "unreadable"
    }
}

/// Reads the certificates that may vouch for payloads.
enum TrustedAnchors {
    /// Returns the certificates of a PEM file; Apple's roots without a path.
    ///
    /// - Throws: the errors of reading, `cryptography.certificate-not-pem`, and the code of an ``AnchorProblem``.
    static func read(_ path: String?) throws -> [Certificate] {
        guard let path else { return try AppleRoots.certificates() }
        let text = try Input.read(path)
        let certificates = try ToolError.about(path) { try Certificate.pem(text.span) }
        // The daemon refuses the same certificates. With a certificate that cannot be an anchor, every payload would be
        // refused without a clear reason.
        for certificate in certificates {
            guard let problem = AnchorProblem(certificate) else { continue }
            throw ToolError(
                code: problem.code, "\(certificate.subject) \(problem.reason)", file: path)
        }
        return certificates
    }
}
