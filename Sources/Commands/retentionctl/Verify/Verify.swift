internal import ArgumentParser
internal import Cryptography
internal import JSON
internal import SignedPayloads
internal import Vocabulary

/// Verifies one signed payload with the service's own verifier and shows the result.
struct Verify: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies a signed payload, or says which step refuses it.",
        discussion: """
            Reads a JWS, or a whole request body: {"signedPayload":"…"}. Prints the payload and the certificate chain. \
            If the service would refuse the payload, the command prints the refusal with its code and its step. Ends \
            with 0 if the payload is verified and with 1 if it is refused.

            Without --app the command accepts the app that the payload names, without --environment every environment \
            but Xcode, and without --max-age every age. Give these options to see what a service with such a \
            configuration does.

            Examples:
              retentionctl verify body.json --app 531412 \\
                --environment Production
              retentionctl appstore sign --authority ./authority \\
                --app 531412 --product com.example.product \\
                | retentionctl verify --anchors ./authority/root.pem
            """
    )

    /// The kind of payload that is expected.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case retentionMessage = "retention-message"
        case any
    }

    @Argument(help: "The file with the JWS or the body; - for standard input.", completion: .file())
    var file = "-"

    @Option(
        help: ArgumentHelp("The trusted roots in PEM, instead of Apple's.", valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var anchors: String?

    @Option(
        help: ArgumentHelp(
            "The time of the check: RFC 3339, milliseconds since 1970, now, or signed-date for the payload's own.",
            valueName: "time")
    )
    var at = VerificationTime.now

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

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard maxAge ?? 1 > 0 else { throw ValidationError("--max-age must be at least 1.") }
        guard type == .retentionMessage || (app == nil && environment == nil && maxAge == nil) else {
            throw ValidationError("--app, --environment and --max-age need --type retention-message.")
        }
    }

    func run() throws {
        let input = Whitespace.trimmed(try Input.read(file, limitBytes: Self.inputByteCount))
        let trusted = try TrustedAnchors.read(anchors)
        let report = try verify(input, trusted)
        if output.json { Console.print(bytes: report.json) } else { Console.print(lines: report.lines) }
        if report.refusal != nil { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// The largest input in bytes. It is more than the service accepts, so that the verifier itself refuses an input
    /// that is too large.
    private static let inputByteCount = 2 * SignedPayloadsLimits.jsonByteCount

    private func verify(_ input: [UInt8], _ trusted: [Certificate]) throws -> VerificationReport {
        guard input.first == UInt8(ascii: "{") else { return try verify(compact: input, trusted) }
        // A verifier without any app is enough to take the JWS out of a body.
        let opener = try SignedPayloadVerifier(policy: VerificationPolicy(anchors: trusted, apps: []))
        let text: [UInt8]
        do throws(VerificationError) {
            text = try opener.withSignedPayload(inBody: input.span) { jws in jws.indices.map { jws[$0] } }
        } catch {
            return VerificationReport(presented: UnverifiedPayload(compact: []), refusal: error.refusal)
        }
        return try verify(compact: text, trusted)
    }

    private func verify(compact text: [UInt8], _ trusted: [Certificate]) throws -> VerificationReport {
        let presented = UnverifiedPayload(compact: text)
        let time = at.milliseconds(signedDate: presented.signedDate)
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
        var report = VerificationReport(presented: presented, timeMilliseconds: time)
        do throws(VerificationError) {
            switch type {
            case .any:
                report.anchor = try verifier.verifyAny(compact: text.span, atMilliseconds: time).anchor
            case .retentionMessage:
                report.anchor =
                    try verifier.verifyRealtimeRequest(compact: text.span, nowMilliseconds: time).anchor
            }
        } catch {
            report.refusal = error.refusal
            report.detail = error.detail?.description
        }
        return report
    }
}
