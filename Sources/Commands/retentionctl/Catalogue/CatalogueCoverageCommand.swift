internal import ArgumentParser
internal import Catalogue

/// Shows which answer subscribers would get.
struct CatalogueCoverageCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "Shows for each product and locale which answer a subscriber would get.",
        discussion: """
            rules: a rule may answer; default: the default message; nothing: Apple shows no message, because none is set \
            as default there; unknown: the journal does not know whether a default message is set, and --refresh asks \
            Apple. Apple asks the server only where a default message is set. App Store Connect may be configured to show a \
            message between the two; this program does not know it.

            Example:
              retentionctl catalogue coverage catalogue.json \\
                --environment Production --rules rules.json
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions
    @OptionGroup var rules: RulesUseOptions

    @Flag(help: "Ask Apple for the default message of every product in every locale, one call each.")
    var refresh = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let online = try catalogue.open()
        let models = try rules.models(online.local)
        let journal = try refresh ? online.journal() : online.journalIfPossible()
        if refresh { try online.refresh(journal, online.places) }
        let inventory = try online.inventory(journal)
        let coverage = CatalogueCoverage(online.local, journal.knowledge, inventory, models)
        if output.json { Console.print(coverage.json) } else { Console.print(lines: coverage.text) }
    }
}
