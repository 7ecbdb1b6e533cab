internal import ArgumentParser
internal import Glibc
internal import System
internal import Vocabulary

/// The command-line tool for work by hand and in build jobs: rules and facts files, test traffic, offer signatures, and
/// signed payloads.
///
/// ``ExitStatus`` alone decides the exit status. With `--json`, standard output has exactly one JSON document, also
/// when the command fails after its arguments were understood.
@main
struct RetentionCtl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retentionctl",
        abstract: "Works with retention rules and with signed requests of the App Store.",
        discussion: """
            Exit status:
              0   Done.
              1   The answer is no: not verified, a test failed, lint has warnings.
              2   A plan has changes, or the rest of it waits for Apple's approval.
              64  The command line is wrong.
              65  The data is wrong.
              66  An input is missing.
              69  A server cannot be reached.
              70  The program failed.
              74  Reading or writing failed.
              77  A right is missing.
              78  The configuration is wrong.
            """,
        version: "retentionctl \(ProductVersion.text)",
        subcommands: [
            Compile.self, LintRules.self, TestRules.self, Check.self, Dump.self, Explain.self, DiffRules.self,
            Publish.self,
            Facts.self, CatalogueCommands.self, Sign.self, VerifyOffer.self, Apple.self,
            AppStore.self, Notifications.self, Subscriptions.self, StoreCommands.self,
            Verify.self,
        ]
    )

    static func main() {
        let words: [String]
        do throws(SystemCallError) {
            try StandardDescriptors.occupy(output: .fails)
            // A dump would hold tokens, keys and identifiers.
            try Processes.forbidCoreDumps()
            words = try ProcessArguments.read()
        } catch {
            let failure = ToolFailure(error)
            Console.report(failure.findings, json: false)
            Glibc.exit(failure.status.rawValue)
        }
        do {
            var command = try parseAsRoot(Array(words.dropFirst()))
            let json = (command as? any ToolCommand)?.output.json ?? false
            run(&command, json: json)
        } catch {
            exit(withError: error)
        }
    }

    private static func run(_ command: inout any ParsableCommand, json: Bool) {
        do {
            try command.run()
        } catch {
            // ArgumentParser reports help, the version and a wrong combination of arguments. An ExitCode means that the
            // command has already printed its answer.
            guard exitCode(for: error) == .failure, !(error is ExitCode) else { exit(withError: error) }
            let failure = ToolFailure(error)
            Console.report(failure.findings, json: json)
            Glibc.exit(failure.status.rawValue)
        }
    }
}

/// The commands that sign what the service signs.
struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Makes the service's signatures by hand.",
        discussion: """
            Example:
              retentionctl sign offer --key key.p8 --key-id 2X9R4HXF34 \\
                --bundle-id com.example.app \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a \\
                --product pro_monthly --offer save50_3m \\
                --transaction 2000000001
            """,
        subcommands: [SignOffer.self]
    )
}

/// Works with the subscriptions of customers.
struct Subscriptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Brings subscriptions from Apple's server into the store, and shows their stories.",
        discussion: """
            Example:
              retentionctl subscriptions sync --stale 30 \\
                --environment Production --profile apple.json \\
                --config /etc/retentiond/retentiond.json
            """,
        subcommands: [SubscriptionsSync.self, SubscriptionsShow.self]
    )
}
