internal import ArgumentParser

/// Keeps messages and images of Apple's Retention Messaging API as files in a repository.
struct CatalogueCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Keeps the messages and images of Apple's Retention Messaging API in one file.",
        discussion: """
            The file is described in retention-catalogue(5).

            Example:
              retentionctl catalogue init --app 6745974591 \\
                --bundle-id com.example.app --product pro_monthly
              retentionctl catalogue lint catalogue.json
              retentionctl catalogue plan catalogue.json --environment Sandbox
              retentionctl catalogue apply catalogue.json --environment Sandbox
            """,
        subcommands: [
            CatalogueInit.self, CatalogueAdopt.self, CatalogueLint.self, CataloguePlanCommand.self,
            CatalogueApplyCommand.self,
            CatalogueStatusCommand.self, CatalogueCoverageCommand.self, CataloguePullCommand.self,
            CataloguePruneCommand.self, CataloguePageCommand.self,
        ]
    )
}
