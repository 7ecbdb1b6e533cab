internal import ArgumentParser

/// Works with notifications of the App Store.
struct Notifications: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Works with App Store Server Notifications.",
        subcommands: []
    )
}
