internal import AppStoreSimulator
internal import ArgumentParser
internal import HTTPClient
internal import JSON
internal import Vocabulary

/// Plays Apple's reviewers for a running simulator.
struct AppStoreReview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Approves or rejects messages and images in a running simulator.",
        subcommands: [AppStoreApprove.self, AppStoreReject.self]
    )
}

/// Approves messages and images in a running simulator.
struct AppStoreApprove: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approves messages and images.",
        discussion: """
            Example:
              retentionctl appstore review approve --all \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @OptionGroup var review: ReviewOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try review.send(.approve, json: output.json) }
}

/// Rejects messages and images in a running simulator.
struct AppStoreReject: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Rejects messages and images, and removes the defaults that name them.",
        discussion: """
            Example:
              retentionctl appstore review reject \\
                551ee7c0-c097-418e-9dd5-2a98533a7390 \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @OptionGroup var review: ReviewOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try review.send(.reject, json: output.json) }
}

/// The options of both decisions.
struct ReviewOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The messages and images to decide about.", valueName: "identifier"))
    var identifiers: [UUID] = []

    @Flag(help: "Decide about everything that is pending.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The simulator in one environment, as nginx serves it: https://localhost:8444.",
            valueName: "url"
        )
    )
    var url: String

    @Option(
        help: ArgumentHelp(
            "The authorities the server's certificate may come from, in PEM.",
            valueName: "file"
        ),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    @Option(help: ArgumentHelp("The app; needed when the simulator has several.", valueName: "id"))
    var bundleId: String?

    func validate() throws {
        guard all == identifiers.isEmpty else {
            throw ValidationError("Give either identifiers or --all.")
        }
    }

    /// Sends the decision and prints what has changed.
    func send(_ decision: ReviewDecision, json: Bool) throws {
        var members: [(String, JSONNode)] = [("decision", .string(decision.rawValue))]
        if let bundleId { members.append(("bundleId", .string(bundleId))) }
        if !all { members.append(("identifiers", .array(identifiers.map { .string($0.description) }))) }
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = cacert
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let response = try HTTPClient(configuration: configuration).perform(
            .postJSON(
                JSONNode.object(members).serialized(),
                to: base + AppStoreSimulator.administrationPrefix + "review"
            )
        )
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        guard response.status == 200, let changed = root?.member("changed") else {
            throw Self.failure(response.status, root)
        }
        guard !json else { return Console.print(bytes: response.body + [UInt8(ascii: "\n")]) }
        Console.print(
            lines: changed.elements.map { item in
                ["kind", "identifier", "state"].compactMap { item.member(named: $0)?.string }
                    .joined(separator: " ")
            }
        )
    }

    private static func failure(_ status: Int, _ root: JSONValue?) -> ToolFailure {
        switch root?.member("error")?.string {
        case "unknown-identifier":
            let list = (root?.member("identifiers")?.elements ?? []).compactMap(\.string)
            return ToolFailure(
                .no,
                code: "simulator.unknown-identifier",
                "the simulator has no message or image \(list.joined(separator: ", "))"
            )
        case "unknown-app":
            return ToolFailure(
                .no,
                code: "simulator.unknown-app",
                "the simulator has no such app, or several; --bundle-id names it"
            )
        default:
            return ToolFailure(
                .unreachable,
                code: "simulator.no-simulator",
                "no simulator answers there (status \(status))"
            )
        }
    }
}
