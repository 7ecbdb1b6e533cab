internal import ArgumentParser
internal import JSON
internal import Vocabulary

/// Accepts the offer of an answer.
struct AppStoreSubscriberAccept: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "A customer accepts the promotional offer of an answer to Get Retention Message.",
        discussion: """
            The simulator checks the answer as the App Store does: Apple must know and have approved the message; a key of the \
            team (--key of `appstore serve`) must have signed the offer, for this app and this subscriber, within the last 24 \
            hours; each signature is good once. The offer must be for the product that the subscriber has. It begins with the \
            coming period. Ends with 1 if the App Store does not sell the offer; the error says why.

            The file has the answer, or what `appstore request --json` printed.

            Example:
              retentionctl appstore request --json … > answer.json
              retentionctl appstore subscriber accept 2000000001 \\
                --answer answer.json \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Option(
        help: ArgumentHelp("The answer in JSON; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var answer: String

    @OptionGroup var customer: SimulatedCustomerOptions
    @OptionGroup var output: OutputOptions

    /// The longest file in bytes. The simulator takes bodies of 64 KiB.
    private static let answerByteCount = 48 << 10

    func run() throws {
        let text = try Input.read(answer, limitBytes: Self.answerByteCount)
        let limits = JSONLimits(byteCount: Self.answerByteCount, depth: 8)
        let document = try JSONError.mapped(
            to: { ToolFailure(.badData, [Finding($0).inFile(answer)]) },
            try JSONDocument(parsing: text.span, limits: limits)
        )
        // What `appstore request --json` prints has the answer in `body`.
        let body = document.root.member("body") ?? document.root
        try customer.play("acceptance", [("answer", JSONNode(body))]).show(json: output.json)
    }
}
