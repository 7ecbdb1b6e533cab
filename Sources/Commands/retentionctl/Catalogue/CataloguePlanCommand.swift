internal import ArgumentParser
internal import Catalogue
internal import Vocabulary

/// Shows what `catalogue apply` would do.
struct CataloguePlanCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Compares a catalogue with what Apple has, and shows what would be done.",
        discussion: """
            Changes nothing at Apple. Apple does not list default messages: the plan goes by the journal in --state, and \
            says how old that knowledge is; --refresh asks Apple for each one. Without a journal all default messages \
            would be set again, which changes nothing. Ends with 0 when there is nothing to do, with 2 when there are \
            changes, with 1 when only problems are left.

            Example:
              retentionctl catalogue plan catalogue.json --environment Sandbox
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions

    @Flag(help: "Ask Apple for every default message of the catalogue, one call each.")
    var refresh = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let online = try catalogue.open()
        let journal = try refresh ? online.journal() : online.journalIfPossible()
        if refresh {
            let places = online.resolved.defaults.map {
                ProductLocale(product: $0.product, locale: $0.locale)
            }
            try online.refresh(journal, places)
        }
        let plan = try online.plan(journal)
        if output.json {
            Console.print(plan.json)
        } else {
            Console.print(lines: plan.text)
        }
        if plan.hasChanges { throw ExitCode(ExitStatus.changes.rawValue) }
        if !plan.problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
