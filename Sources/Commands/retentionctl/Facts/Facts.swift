internal import ArgumentParser

/// What is known of subscribers: tables and the files that the service looks them up in.
struct Facts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facts",
        abstract: "Makes facts files of tables, and looks into them.",
        discussion: """
            Example:
              retentionctl facts compile subscribers.csv --schema rules.json -o com.example.app.facts
            """,
        subcommands: [FactsCompile.self, FactsCheck.self, FactsGet.self, FactsStats.self]
    )
}
