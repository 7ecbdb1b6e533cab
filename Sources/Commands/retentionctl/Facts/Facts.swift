internal import ArgumentParser

/// The facts about subscribers: the commands that compile tables into facts files and look into those files.
struct Facts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facts",
        abstract: "Makes facts files from tables and from stored notifications, and reads them.",
        discussion: """
            Example:
              retentionctl facts compile subscribers.csv \\
                --schema rules.json -o com.example.app.facts
            """,
        subcommands: [FactsCompile.self, FactsBuild.self, FactsCheck.self, FactsGet.self, FactsStats.self]
    )
}
