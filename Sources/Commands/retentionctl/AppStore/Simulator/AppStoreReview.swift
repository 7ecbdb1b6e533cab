internal import AppStoreSimulator
internal import ArgumentParser
internal import HTTPClient
internal import JSON
internal import Vocabulary

/// Plays Apple's reviewers for a running simulator.
struct AppStoreReview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review", abstract: "Approves or rejects messages and images in a running simulator.",
        subcommands: [AppStoreApprove.self, AppStoreReject.self])
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

    @OptionGroup var simulator: SimulatorOptions

    func validate() throws {
        guard all == identifiers.isEmpty else {
            throw ValidationError("Give either identifiers or --all.")
        }
    }

    /// Sends the decision and prints what has changed.
    func send(_ decision: ReviewDecision, json: Bool) throws {
        var members: [(String, JSONNode)] = [("decision", .string(decision.rawValue))]
        if !all { members.append(("identifiers", .array(identifiers.map { .string($0.description) }))) }
        let response = try simulator.post("review", members)
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        guard let changed = root?.member("changed") else { throw SimulatorOptions.failure(response) }
        guard !json else { return Console.print(bytes: response.body + [UInt8(ascii: "\n")]) }
        Console.print(
            lines: changed.elements.map { item in
                ["kind", "identifier", "state"].compactMap { item.member(named: $0)?.string }
                    .joined(separator: " ")
            }
        )
    }
}
