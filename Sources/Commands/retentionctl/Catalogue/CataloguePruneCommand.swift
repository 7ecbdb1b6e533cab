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
            or that rules of --rules or --served name, is never deleted. So the journal must know every default message, and \
            from the last 24 hours, since another machine may have set another one: --refresh asks Apple. Default \
            messages of products and locales that neither the catalogue nor the journal names are not known: name all of \
            them in the catalogue. An image stays as long as a message at Apple names it. Production needs --rules or \
            --served. A deleted identifier cannot be used again.

            Example:
              retentionctl catalogue prune catalogue.json \\
                --environment Production \\
                --served com.example.app.rules
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions
    @OptionGroup var rules: RulesUseOptions

    @Flag(help: "Ask Apple for the default message of every product in every locale, one call each.")
    var refresh = false

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
        if refresh { try online.refresh(journal, online.places) }
        let prune = PrunePlan(try online.plan(journal), knowledge: journal.knowledge, uses: uses)
        if !output.json {
            Console.print(lines: prune.text)
        } else if !consent.confirm {
            for line in prune.text { Console.note(line) }
        }
        var report = CataloguePrune.Report()
        if !prune.deletions.isEmpty {
            try checkDefaults(online, journal)
            let place = online.session.placeToChange
            try consent.ask("Delete \(prune.deletionText) of \(place)")
            let work = CataloguePrune(online.session.client, journal: journal, now: Clock.wallMilliseconds)
            report = work.run(prune) { Console.progress("deleting: \($0) of \(prune.deletions.count)") }
            Console.endProgress()
        }
        if output.json {
            Console.print(prune.json(report))
        } else if !prune.deletions.isEmpty {
            Console.print(lines: report.text)
        }
        if let failure = report.failure {
            guard output.json else { throw ToolFailure(failure) }
            throw ExitCode(ExitStatus(for: failure).rawValue)
        }
        if !report.refused.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func checkDefaults(_ online: OnlineCatalogue, _ journal: CatalogueJournal) throws(ToolFailure) {
        let now = Clock.wallMilliseconds()
        let unknown = journal.knowledge.defaultsToAskAgain(among: online.places, at: now)
        guard let first = unknown.first else { return }
        throw ToolFailure(
            .no,
            code: "catalogue.defaults-unknown",
            "it is not known, or was last known more than a day ago, which default message is set in "
                + "\(CountText.of(unknown.count, "product locale")), such as \(first)",
            hint: "--refresh asks Apple with \(CountText.of(unknown.count, "call"))"
        )
    }
}
