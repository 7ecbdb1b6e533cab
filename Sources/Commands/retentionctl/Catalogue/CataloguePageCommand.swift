internal import ArgumentParser
internal import Catalogue
internal import CataloguePage
internal import JSON
internal import RulesCompiler
internal import System
internal import Vocabulary

/// Writes a page for people about a catalogue.
struct CataloguePageCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Writes a page for people: every message as Apple's sheet shows it, with its state.",
        discussion: """
            The page is one HTML file without scripts, which loads nothing from elsewhere. It has every message with its \
            image in each locale, for light and dark, what Apple has not approved, which answer subscribers of each \
            product get in each locale, the rules and default messages that use a message, and what is orphaned.

            The states are those of Apple's lists, with --inventory those of a file that \"catalogue pull\" wrote, and \
            with --offline what the journal in --state saw last. Only the first needs credentials. Default messages come \
            from the journal; --refresh asks Apple for each one.

            Example:
              retentionctl catalogue page catalogue.json -o page.html \\
                --environment Production --rules rules.json
              retentionctl catalogue page catalogue.json -o page.html \\
                --environment Sandbox --offline
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions
    @OptionGroup var rules: RulesUseOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write; it is replaced as a whole.", valueName: "file"),
        completion: .file(extensions: ["html"])
    )
    var target: String

    @Option(
        help: ArgumentHelp(
            "Take the states from a file with Apple's lists, and do not ask Apple.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var inventory: String?

    @Flag(help: "Take the states from the journal, and do not ask Apple.")
    var offline = false

    @Flag(help: "Ask Apple for the default message of every product in every locale, one call each.")
    var refresh = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard inventory == nil || !offline else {
            throw ValidationError("--inventory and --offline contradict each other.")
        }
        guard !refresh || inventory == nil && !offline else {
            throw ValidationError("--refresh asks Apple; --inventory and --offline do not.")
        }
    }

    func run() throws {
        let inputs = try catalogue.inputs() + rules.rules + rules.served + [inventory].compactMap { $0 }
        try OutputPaths.check(writing: [target], reading: inputs)
        let states = try states()
        let local = states.catalogue
        let pictures = local.pictures
        try OutputPaths.check(writing: [target], reading: pictures)
        let images = try PageImages(
            local.resolved,
            progress: { Console.progress("images: \($0) of \(pictures.count)") },
            reading: { file throws(ImageFiles.Problem) in try local.images.bytes(file) }
        )
        Console.endProgress()
        let page = states.page(of: try rules.models(local), images)
        let bytes = page.bytes
        try SystemCallError.mapped(
            to: { ToolFailure(writing: target, $0) },
            try AtomicFile.write(bytes.span, to: target, permissions: FileCreationMask.permissionsOfFiles())
        )
        report(local.resolved, bytes.count)
    }

    /// Asks Apple, or reads what stands for its lists.
    private func states() throws -> PageStates {
        guard inventory == nil, !offline else {
            let local = try catalogue.read()
            let knowledge = try local.knowledge()
            guard let inventory else { return PageStates(local, remembering: knowledge) }
            return PageStates(local, try PageStates.lists(inventory), from: inventory, knowledge)
        }
        let online = try catalogue.open()
        let journal = try refresh ? online.journal() : online.journalIfPossible()
        if refresh { try online.refresh(journal, online.places) }
        let lists = try online.inventory(journal, asksURL: true)
        return PageStates(online.local, lists, at: Clock.wallMilliseconds(), journal.knowledge)
    }

    private func report(_ catalogue: ResolvedCatalogue, _ byteCount: Int) {
        let counts = [
            ("messages", catalogue.messages.count), ("images", catalogue.images.count), ("bytes", byteCount),
        ]
        guard output.json else {
            let words = counts.map { CountText.of($0.1, String($0.0.dropLast())) }.joined(separator: ", ")
            return Console.print("\(target): \(words)")
        }
        let members = counts.map { ($0.0, JSONNode.integer(Int64($0.1))) }
        Console.print(.object([("file", .string(target))] + members))
    }
}
