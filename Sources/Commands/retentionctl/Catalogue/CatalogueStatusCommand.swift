internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import JSON
internal import Rules
internal import System

struct CatalogueStatusCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows every image, message and default message with its state at Apple, and the coverage.",
        discussion: """
            A state is one of Apple's (PENDING, APPROVED, REJECTED), missing when Apple does not list it, or orphaned \
            when the catalogue does not name it. The time is when this machine first saw the state. --rules names the \
            rules that use a message.

            The coverage says for each product and locale which answer a subscriber would get. rules: a rule may answer; \
            default: the default message; nothing: Apple shows no message, because none is set as default there; unknown: \
            --refresh asks Apple. App Store Connect may be configured to show a message between the two.

            --html writes a page for people instead: one file without scripts, which loads nothing from elsewhere, with \
            every message as Apple's sheet shows it.

            Example:
              retentionctl catalogue status catalogue.json \\
                --environment Production --rules rules.json --html page.html
            """
    )

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var rules: RulesUseOptions

    @Option(
        help: "Write a page for people; the file is replaced as a whole.",
        completion: .file(extensions: ["html"]))
    var html: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try catalogue.open(isWriting: false)
        let models = try rules.models(open)
        let state = open.file.state
        let coverage = CatalogueCoverage(open, models)
        if let html { return try write(html, open, models, coverage) }
        let status = CatalogueStatus(open.resolved, state, uses: CatalogueUses(models))
        output.print(json: status.json(coverage), lines: status.text + [""] + coverage.text)
    }

    private func write(
        _ target: String, _ open: OpenCatalogue, _ models: [(file: String, model: RulesModel)],
        _ coverage: CatalogueCoverage
    ) throws {
        try OutputPaths.check(writing: [target], reading: try catalogue.inputs(open) + rules.rules)
        let images = try PageImages(open.resolved, reading: open.images.bytes)
        // The page goes to people who do not know the directories of this machine.
        let uses = CatalogueUses(models.map { (AtomicFile.split($0.file).name, $0.model) })
        let state = open.file.state
        var page = CataloguePage(
            open.checked.catalogue, resolved: open.resolved,
            status: CatalogueStatus(open.resolved, state, uses: uses), coverage: coverage, images: images)
        page.time = Clock.wallMilliseconds()
        page.server = open.session.server.otherThanApple
        page.realtimeURL = state.realtimeURL
        let bytes = page.bytes
        try Output.write(bytes, to: target)
        let counts = [
            ("messages", open.resolved.messages.count), ("images", open.resolved.images.count),
            ("bytes", bytes.count),
        ]
        let words = counts.map { CountText.of($0.1, String($0.0.dropLast())) }.joined(separator: ", ")
        output.print(
            json: .object([("file", .string(target))] + counts.map { ($0.0, JSONNode($0.1)) }),
            lines: ["\(target): \(words)"])
    }
}

extension CatalogueCoverage {
    fileprivate init(_ open: OpenCatalogue, _ models: [(file: String, model: RulesModel)]) {
        let state = open.file.state
        let approved = state.approvedMessages(images: open.resolved.imagesByMessage)
        let covers = models.map { RuleCoverage($0.model, approved: approved) }
        self.init(open.checked.catalogue, state) { product, locales in
            covers.reduce(locales.map { _ in [] }) { names, cover in
                zip(names, cover.rules(for: product, in: locales)).map { $0 + $1 }
            }
        }
    }
}
