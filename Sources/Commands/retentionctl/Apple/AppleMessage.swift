internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import Vocabulary

/// Messages at Apple.
struct AppleMessage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Uploads, lists and deletes messages.",
        subcommands: [AppleMessagePut.self, AppleMessageList.self, AppleMessageDelete.self])
}

/// Upload Message.
struct AppleMessagePut: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Uploads a message under a new identifier.",
        discussion: """
            The message comes from options, or with its bullet points from a JSON file in Apple's form. A message \
            cannot be changed: a changed text needs a new identifier. When the answer is lost, the command looks into \
            the list before it uploads again.

            Examples:
              retentionctl apple message put \\
                6584bedf-2ed0-4c01-93ed-c0c64a1670cc --environment Sandbox \\
                --header 'Stay for less' --body 'Half the price for three months.'
              retentionctl apple message put \\
                6584bedf-2ed0-4c01-93ed-c0c64a1670cc --environment Sandbox \\
                --from message.json
            """
    )

    @Argument(help: ArgumentHelp("The identifier to upload it under.", valueName: "uuid"))
    var identifier: UUID

    @Option(help: ArgumentHelp("The header, at most 66 characters.", valueName: "text"))
    var header: String?

    @Option(help: ArgumentHelp("The body, at most 144 characters.", valueName: "text"))
    var body: String?

    @Option(help: ArgumentHelp("The identifier of its image.", valueName: "uuid"))
    var image: UUID?

    @Option(help: ArgumentHelp("The image's text for people who do not see it.", valueName: "text"))
    var altText: String?

    @Option(help: ArgumentHelp("ABOVE_BODY or ABOVE_IMAGE.", valueName: "word"))
    var headerPosition: UploadMessageRequestBody.HeaderPosition?

    @Option(
        help: ArgumentHelp(
            "A JSON file with the message in Apple's form; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var from: String?

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let hasTexts = header != nil && body != nil
        let hasOptions =
            header != nil || body != nil || image != nil || altText != nil || headerPosition != nil
        guard from == nil ? hasTexts : !hasOptions else {
            throw ValidationError("Give --header and --body, or --from alone.")
        }
        guard (image == nil) == (altText == nil) else {
            throw ValidationError("--image and --alt-text go together.")
        }
    }

    func run() throws {
        let message = try message()
        let session = try apple.session()
        let outcome = try session.client.uploadMessage(message, as: identifier)
        AppleReport(session: session, json: output.json).done(
            "message \(identifier) uploaded", [("messageIdentifier", .string(identifier.description))],
            outcome)
    }

    private func message() throws(ToolFailure) -> UploadMessageRequestBody {
        guard let from else {
            var message = UploadMessageRequestBody(header: header ?? "", body: body ?? "")
            message.headerPosition = headerPosition
            if let image { message.image = .init(imageIdentifier: image, altText: altText ?? "") }
            return message
        }
        let text = try Input.read(from, limitBytes: Self.byteLimit)
        let limits = JSONLimits(byteCount: Self.byteLimit, depth: 8)
        let document = try JSONError.mapped(
            to: { ToolFailure(.badData, [Finding($0).inFile(from)]) },
            try JSONDocument(parsing: text.span, limits: limits)
        )
        let findings = Findings(source: text, subject: "apple-message", limit: 100)
        let source = SourceValue(document.root, path: [], findings)
        let message = UploadMessageRequestBody(reading: source)
        guard let message, findings.isEmpty else {
            throw ToolFailure(.badData, findings.sorted.map { $0.inFile(from) })
        }
        return message
    }

    /// The size limit of a message's file. Apple's longest message has less than 10 kB.
    private static let byteLimit = 1 << 20
}

/// Get Message List.
struct AppleMessageList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the messages with their states.",
        discussion: """
            Apple lists identifiers and states, neither texts nor locales. With --json the document has Apple's form.

            Example:
              retentionctl apple message list --environment Production
            """
    )

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        let messages = try session.client.listMessages()
        let items = messages.map { JSONNode.object($0.members) }
        AppleReport(session: session, json: output.json).list(
            messages.map { [$0.messageIdentifier.description, $0.messageState.rawValue] },
            .object([("messageIdentifiers", .array(items))])
        )
    }
}

struct AppleMessageDelete: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a message.",
        discussion: """
            Apple does not say what becomes of a default that names the message: change the default first.

            Example:
              retentionctl apple message delete \\
                6584bedf-2ed0-4c01-93ed-c0c64a1670cc \\
                --environment Sandbox --confirm
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the message.", valueName: "uuid"))
    var identifier: UUID

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        try consent.ask("Delete message \(identifier) of \(session.placeToChange)")
        let outcome = try session.client.deleteMessage(identifier)
        AppleReport(session: session, json: output.json).done(
            "message \(identifier) deleted", [("messageIdentifier", .string(identifier.description))], outcome
        )
    }
}
