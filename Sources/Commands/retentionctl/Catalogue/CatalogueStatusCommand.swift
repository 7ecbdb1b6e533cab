internal import ArgumentParser
internal import Catalogue

/// Shows the state of everything that a catalogue names, and of what Apple has besides.
struct CatalogueStatusCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows every image, message and default message with its state at Apple.",
        discussion: """
            A state is one of Apple's (PENDING, APPROVED, REJECTED), missing when Apple does not list it, or orphaned \
            when the catalogue does not name it. The time is when this machine first saw the state. --rules and \
            --served name the rules that use a message.

            Example:
              retentionctl catalogue status catalogue.json \\
                --environment Production \\
                --rules rules.json
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions
    @OptionGroup var rules: RulesUseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let online = try catalogue.open()
        let uses = try rules.uses(online.local)
        let journal = try online.journalIfPossible()
        let status = CatalogueStatus(
            online.resolved, inventory: try online.inventory(journal), knowledge: journal.knowledge,
            uses: uses)
        if output.json { Console.print(status.json) } else { Console.print(lines: status.text) }
    }
}
