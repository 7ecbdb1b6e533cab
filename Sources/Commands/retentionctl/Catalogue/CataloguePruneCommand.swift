internal import ArgumentParser
internal import Catalogue
internal import System
internal import Vocabulary

/// Deletes what a catalogue does not name.
struct CataloguePruneCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes images and messages at Apple that nothing names any more.",
        discussion: """
            Shows what would be deleted and asks, unless --confirm agrees. A message that is set as a default message, \
            or that rules of --rules or --served name, is never deleted. So Apple is asked for every default message \
            just before the first message is deleted, one call each, since another machine may have set another one. \
            Default messages of products and locales that neither the catalogue nor the journal names are not known: name \
            all of them in the catalogue. An image stays as long as a message at Apple names it. Production needs --rules or \
            --served. A deleted identifier cannot be used again.

            Example:
              retentionctl catalogue prune catalogue.json \\
                --environment Production \\
                --served com.example.app.rules
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions
    @OptionGroup var rules: RulesUseOptions

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard catalogue.apple.environment != .production || !rules.rules.isEmpty || !rules.served.isEmpty
        else {
            throw ValidationError("In Production, --rules or --served must say which messages are in use.")
        }
    }

    func run() throws {
        let online = try catalogue.open()
        let uses = try rules.uses(online.local)
        let journal = try online.journal()
        var prune = PrunePlan(try online.plan(journal), knowledge: journal.knowledge, uses: uses)
        if !output.json {
            Console.print(lines: prune.text)
        } else if !consent.confirm {
            for line in prune.text { Console.note(line) }
        }
        var report = CataloguePrune.Report()
        let isEmpty = prune.deletions.isEmpty
        if !isEmpty {
            let place = online.session.placeToChange
            try consent.ask("Delete \(prune.deletionText) of \(place)")
            if prune.deletesMessages {
                try online.refresh(journal, online.places)
                let later = prune.keepDefaults(journal.knowledge)
                if !output.json { Console.print(lines: later.map(\.text)) }
            }
            let work = CataloguePrune(online.session.client, journal: journal, now: Clock.wallMilliseconds)
            report = work.run(prune) { Console.progress("deleting: \($0) of \(prune.deletions.count)") }
            Console.endProgress()
        }
        if output.json {
            Console.print(prune.json(report))
        } else if !isEmpty {
            Console.print(lines: report.text)
        }
        if let failure = report.failure {
            guard output.json else { throw ToolFailure(failure) }
            throw ExitCode(ExitStatus(for: failure).rawValue)
        }
        if !report.refused.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
