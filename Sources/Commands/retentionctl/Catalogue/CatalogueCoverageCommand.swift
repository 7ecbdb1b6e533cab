internal import ArgumentParser
internal import Catalogue
internal import RulesCompiler

/// Shows which answer subscribers would get.
struct CatalogueCoverageCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "Shows for each product and locale which answer a subscriber would get.",
        discussion: """
            rules: a rule may answer; default: the default message; nothing: Apple shows no message, because none is set \
            as default there; unknown: the journal does not know whether a default message is set, and --refresh asks \
            Apple. Apple asks the server only where a default message is set. What App Store Connect is configured to \
            show comes between both and is not known to this program.

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
        let models = try rules.models(online)
        let journal = try refresh ? online.journal() : online.journalIfPossible()
        if refresh { try online.refresh(journal, online.places) }
        let inventory = try online.inventory(journal)
        let approved = inventory.approvedMessages(imagesOf: online.resolved)
        let covers = models.map { RuleCoverage($0.model, approved: approved) }
        let coverage = CatalogueCoverage(
            online.checked.catalogue,
            knowledge: journal.knowledge,
            inventory: inventory
        ) { product, locales in
            covers.reduce(locales.map { _ in [] }) { names, cover in
                zip(names, cover.rules(for: product, in: locales)).map { $0 + $1 }
            }
        }
        if output.json { Console.print(coverage.json) } else { Console.print(lines: coverage.text) }
    }
}
