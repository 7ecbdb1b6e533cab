internal import ArgumentParser
internal import CommandLineTool
internal import System

@main
struct RetentionCtl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retentionctl",
        abstract: "Works with retention rules, facts, messages and notifications.",
        discussion: """
            Exit status:
              0   Done.
              1   The answer is no: not verified, warnings of check, refused by Apple.
              2   A plan has changes, or the rest of it waits for Apple's approval.
              64  The command line is wrong.
              65  A file is missing, cannot be used, or says something wrong.
              69  A server, a store or a host cannot be reached.
              70  The program or the system failed.
            """,
        version: "retentionctl \(ProductVersion.text)",
        subcommands: [
            SetupCommand.self, DoctorCommand.self,
            Init.self, Check.self, Compile.self, Explain.self, DiffRules.self, Simulate.self,
            ReportCommand.self, Publish.self, Verify.self, Facts.self, CatalogueCommands.self, Apple.self,
            Notifications.self, Subscriptions.self, StoreCommands.self,
        ]
    )

    static func main() { runTool() }
}

struct Subscriptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Brings subscriptions from Apple's server into the store, and shows their stories.",
        subcommands: [SubscriptionsSync.self, SubscriptionsShow.self]
    )
}
