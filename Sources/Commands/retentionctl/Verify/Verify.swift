internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import SignedPayloads
internal import System

struct Verify: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
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

    /// The kind of payload that is expected.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case retentionMessage = "retention-message"
        case any
    }

    @Argument(help: "The file with the payload or the offer; - for standard input.", completion: .file())
    var file = "-"

    @Option(
        help: ArgumentHelp("The trusted roots in PEM, instead of Apple's.", valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var anchors: String?

    @Option(
        help: ArgumentHelp(
            "The time of the check: RFC 3339, milliseconds since 1970, or signed-date for the payload's own; now if absent.",
            valueName: "time")
    )
    var at: VerificationTime?

    @Option(help: ArgumentHelp("Refuse payloads for any other appAppleId.", valueName: "number"))
    var app: Int64?

    @Option(help: ArgumentHelp("Refuse payloads for any other environment.", valueName: "name"))
    var environment: Environment?

    @Option(
        help: ArgumentHelp("The greatest age of signedDate in seconds; any if absent.", valueName: "seconds")
    )
    var maxAge: Int64?

    @Option(help: ArgumentHelp("The kind of payload to expect.", valueName: "kind"))
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
        let input = Whitespace.trimmed(try Input.read(file, limitBytes: Self.inputByteCount))
        let (report, isGood) = try offer.verify(input) ?? verify(input)
        report.print(json: output.json)
        if !isGood { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// The largest input in bytes. It is more than the service accepts, so that the verifier itself refuses an input
    /// that is too large.
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
                return (UnverifiedPayload(compact: []).report(nil, error, anchor: nil), false)
            }
        }
        let presented = UnverifiedPayload(compact: text)
        let time = at.map { $0.milliseconds ?? presented.signedDate } ?? nil
        let now = time ?? Clock.wallMilliseconds()
        let identity = AppIdentity(
            appAppleId: app ?? presented.appAppleId ?? 0,
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
