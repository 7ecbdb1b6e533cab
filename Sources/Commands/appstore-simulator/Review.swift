package import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

/// Plays Apple's reviewers for a running simulator.
struct Review: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Approves or rejects messages and images in a running simulator.",
        discussion: """
            A rejection also removes the defaults that name them.

            Examples:
              appstore-simulator review approve --all \\
                --url http://127.0.0.1:8444
              appstore-simulator review reject \\
                551ee7c0-c097-418e-9dd5-2a98533a7390 \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Argument(help: ArgumentHelp("approve or reject.", valueName: "decision"))
    var decision: ReviewDecision

    @Argument(help: ArgumentHelp("The messages and images to decide about.", valueName: "identifier"))
    var identifiers: [UUID] = []

    @Flag(help: "Decide about everything that is pending.")
    var all = false

    @OptionGroup var simulator: SimulatorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all == identifiers.isEmpty else {
            throw ValidationError("Give either identifiers or --all.")
        }
    }

    func run() throws {
        var members: [(String, JSONNode)] = [("decision", .string(decision.rawValue))]
        if !all { members.append(("identifiers", .array(identifiers.map { .string($0.description) }))) }
        let answer = try simulator.post("review", members, for: "changed")
        guard !output.json else { return Console.print(bytes: answer.text + [UInt8(ascii: "\n")]) }
        let changed = answer.root.member("changed")?.elements ?? []
        Console.print(
            lines: changed.map { item in
                ["kind", "identifier", "state"].compactMap { item.member(named: $0)?.string }
                    .joined(separator: " ")
            }
        )
    }
}

extension ReviewDecision: ExpressibleByArgument {}
