internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import SignedPayloads
internal import System

struct Verify: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verifies a signed payload of Apple's, or the signature of an offer.",
        discussion: """
            A payload is a JWS, or a whole request body: {"signedPayload":"…"}. The command prints the payload and the \
            certificate chain. If the service would refuse the payload, it prints the refusal with its code and its \
            step. Without --app it accepts the app that the payload names, without --environment every environment but \
            Xcode, and without --max-age every age. Give these options to see what a service with such a configuration \
            does.

            The signature of an offer is a V2 signature or another JWS of the same kind, the JSON object of a V1 \
            signature, advancedCommerceData, or a whole answer of the service that contains one of these. --key names \
            the key that should have made it.

            Ends with 0 if the signature is good and with 1 if it is refused. Ends with 65 for a text that, with --key, is no signature of an offer.

            Examples:
              retentionctl verify body.json --app 531412 \\
                --environment Production
              appstore-simulator request --print --authority ./authority \\
                --app 531412 --product com.example.product \\
                | retentionctl verify --anchors ./authority/root.pem
              retentionctl verify answer.json --key public.pem \\
                --bundle-id com.example.app
            """
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case retentionMessage = "retention-message"
        case any
    }

    @Argument(help: "The file with the payload or the offer; - for standard input.", completion: .file())
    var file = "-"

    @Option(help: "The trusted roots in PEM, instead of Apple's.", completion: .pem)
    var anchors: String?

    @Option(help: "RFC 3339, milliseconds since 1970, or signed-date for the payload's own; else now.")
    var at: VerificationTime?

    @Option(help: "Refuse payloads for any other appAppleId.")
    var app: Int64?

    @Option(help: "Refuse payloads for any other environment.")
    var environment: Environment?

    @Option(help: "The greatest age of signedDate in seconds; any if absent.")
    var maxAge: Int64?

    @Option(help: "The kind of payload to expect.")
    var type = Kind.retentionMessage

    @OptionGroup var offer: OfferOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard maxAge ?? 1 > 0 else { throw ValidationError("--max-age must be at least 1.") }
        guard type == .retentionMessage || (app == nil && environment == nil && maxAge == nil) else {
            throw ValidationError("--app, --environment and --max-age need --type retention-message.")
        }
    }

    func run() throws {
        let input = try Input.read(file, limitBytes: Self.inputByteCount).trimmed
        let (report, isGood) = try offer.verify(input) ?? verify(input)
        report.print(json: output.json)
        if !isGood { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// More than the service accepts, so that the verifier itself refuses an input that is too large.
    private static let inputByteCount = 2 * SignedPayloadsLimits.jsonByteCount

    private func verify(_ input: [UInt8]) throws -> (Report, isGood: Bool) {
        let trusted = try TrustedAnchors.read(anchors)
        var text = input
        if input.first == UInt8(ascii: "{") {
            // A verifier without any app is enough to take the JWS out of a body.
            let opener = try SignedPayloadVerifier(policy: VerificationPolicy(anchors: trusted, apps: []))
            do throws(VerificationError) {
                text = try opener.withSignedPayload(inBody: input.span) { jws in jws.indices.map { jws[$0] } }
            } catch {
                return (UnverifiedJWS([]).report(nil, error, anchor: nil), false)
            }
        }
        let presented = UnverifiedJWS(text)
        let time = at.map { $0.milliseconds ?? presented.signedDate } ?? nil
        let now = time ?? Clock.wallMilliseconds()
        let identity = AppIdentity(
            appAppleId: app ?? presented.payload?.member("appAppleId")?.int64 ?? 0,
            bundleId: "",
            environments: environment.map { [$0] } ?? [.production, .sandbox, .localTesting]
        )
        let verifier = try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: trusted, apps: [identity], maxSignedAgeSeconds: maxAge ?? 0, unseenChains: .unlimited
            )
        )
        do throws(VerificationError) {
            let anchor =
                switch type {
                case .any: try verifier.verifyAny(compact: text.span, atMilliseconds: now).anchor
                case .retentionMessage:
                    try verifier.verifyRealtimeRequest(compact: text.span, nowMilliseconds: now).anchor
                }
            return (presented.report(now, nil, anchor: anchor), true)
        } catch {
            return (presented.report(now, error, anchor: nil), false)
        }
    }
}

/// The time at which certificates must be valid and at which the payload's age is computed.
struct VerificationTime: ExpressibleByArgument {
    /// Nil for the `signedDate` of the payload, which is true only if the signature is good.
    let milliseconds: Int64?

    init?(argument: String) {
        milliseconds = TimeArgument(argument: argument)?.milliseconds
        if milliseconds == nil, argument != "signed-date" { return nil }
    }
}

/// A compact JWS (RFC 7515 section 7.1) before anything in it is verified.
struct UnverifiedJWS {
    /// Header and payload; nil when they are no JSON objects.
    let header: JSONValue?
    let payload: JSONValue?
    /// Header and payload in base64url, joined by a dot.
    let signedText: [UInt8]
    let signature: [UInt8]?

    init(_ text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func object(_ index: Int) -> JSONValue? {
            let limits = JSONLimits(byteCount: 1 << 20, depth: 64)
            guard index < parts.count, let text = Base64URL.decode(Array(parts[index]).span),
                let root = try? JSONDocument(parsing: text.span, limits: limits).root, root.kind == .object
            else { return nil }
            return root
        }
        (header, payload) = (object(0), object(1))
        signedText = Array(parts.prefix(2).joined(separator: [UInt8(ascii: ".")]))
        signature = parts.count == 3 ? Base64URL.decode(Array(parts[2]).span) : nil
    }

    var signedDate: Int64? { payload?.member("signedDate")?.int64 }
}

extension UnverifiedJWS {
    /// The readable certificates of `x5c`: up to eight, so that a report shows more than the three of a valid chain.
    private var chain: [Certificate] {
        let entries = header?.member("x5c").map { $0.kind == .array ? $0.elements : [] } ?? []
        return entries.prefix(8).compactMap { entry in
            guard let der = Base64.decode((entry.string ?? "").utf8Span.span) else { return nil }
            return try? Certificate(der: der.span)
        }
    }

    /// `anchor` is the one that vouched. What is not verified has another name than what is.
    fileprivate func report(_ time: Int64?, _ error: VerificationError?, anchor: SHA256Digest?) -> Report {
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
        if let payload {
            members.append((error == nil ? "payload" : "unverifiedPayload", JSONNode(payload)))
        }
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

enum TrustedAnchors {
    /// Returns the certificates of a PEM file; Apple's roots without a path.
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
