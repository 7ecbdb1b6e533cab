internal import ArgumentParser
internal import Catalogue
internal import CommandLineTool
internal import System

struct CatalogueCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Keeps the messages and images of Apple's Retention Messaging API in one file.",
        discussion: """
            The file is described in retention-catalogue(5); check checks it.

            Example:
              retentionctl catalogue adopt catalogue.json --environment Sandbox \\
                --app 6745974591 --bundle-id com.example.app --product pro_monthly
              retentionctl catalogue plan catalogue.json --environment Sandbox
              retentionctl catalogue apply catalogue.json --environment Sandbox
            """,
        subcommands: [
            CataloguePlanCommand.self, CatalogueApplyCommand.self, CatalogueStatusCommand.self,
            CatalogueAdopt.self,
        ]
    )
}

struct CataloguePlanCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Compares a catalogue with what Apple has, and shows what would be done.",
        discussion: """
            Changes nothing at Apple. Apple does not list default messages: the plan goes by what is kept in --state, and \
            says how old that is; --refresh asks Apple for each one. Without a state all default messages would be set \
            again, which changes nothing. Ends with 0 when there is nothing to do, with 2 when there are changes, with 1 \
            when only problems are left.

            Example:
              retentionctl catalogue plan catalogue.json --environment Sandbox
            """
    )

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try catalogue.open(isWriting: false)
        let plan = CataloguePlan(open.resolved, open.file.state)
        if output.json { Console.print(plan.json) } else { Console.print(lines: plan.text) }
        if plan.hasChanges { throw ExitCode(ExitStatus.changes.rawValue) }
        if !plan.problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
