internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON

/// The real-time URL at Apple.
struct AppleURL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url", abstract: "Sets, prints and deletes the URL that Apple's server asks.",
        subcommands: [AppleURLPut.self, AppleURLGet.self, AppleURLDelete.self])
}

/// Configure Realtime URL.
struct AppleURLPut: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Sets the URL that Apple's server asks.",
        discussion: """
            Production needs a performance test that passed in Sandbox. Without --confirm the command first asks Apple \
            which URL is set, and asks you before it replaces another one.

            Example:
              retentionctl apple url put https://example.com/retention-message \\
                --environment Sandbox
            """
    )

    @Argument(help: ArgumentHelp("The URL: https://, at most 256 characters.", valueName: "url"))
    var url: String

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        if !consent.confirm, let present = try session.client.realtimeURL(), present != url {
            try consent.ask("Replace the URL \(present) of \(session.placeToChange) by \(url)")
        }
        try session.client.setRealtimeURL(url)
        AppleReport(session: session, json: output.json)
            .done("Apple's server asks \(url)", [("realtimeURL", .string(url))])
    }
}

/// Get Realtime URL.
struct AppleURLGet: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints the URL that Apple's server asks.",
        discussion: """
            Ends with 1 when no URL is set.

            Example:
              retentionctl apple url get --environment Production
            """
    )

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        try AppleReport(session: session, json: output.json)
            .value("realtimeURL", try session.client.realtimeURL(), absent: "no URL is set")
    }
}

/// Delete Realtime URL.
struct AppleURLDelete: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes the URL. Apple's server then sends no real-time requests in this environment.",
        discussion: """
            Example:
              retentionctl apple url delete --environment Sandbox --confirm
            """
    )

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        try consent.ask("Remove the URL of \(session.placeToChange)")
        try session.client.deleteRealtimeURL()
        AppleReport(session: session, json: output.json).done(
            "Apple's server sends no real-time requests now", [])
    }
}
