internal import AppStoreServerAPI
internal import ArgumentParser
internal import Catalogue
internal import RulesCompiler
internal import System
internal import Vocabulary

/// The catalogue, and the options of the commands that compare it with what Apple has.
struct OnlineCatalogueOptions: ParsableArguments {
    @Argument(help: "The catalogue; its images lie beside it.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var apple: AppleOptions

    @Option(
        help: ArgumentHelp(
            "The directory in which what was done is kept across runs; .retention beside the catalogue if absent.",
            valueName: "dir"),
        completion: .directory
    )
    var state: String?

    /// The folder of the catalogue, in which its images lie.
    var folder: String { AtomicFile.split(file).directory }

    /// The directory of the journal.
    private var directory: String { state ?? "\(folder)/.retention" }

    /// The files that these options name, which no output may replace: the catalogue, the credentials, and the journal.
    func inputs() throws -> [String] {
        var names: [String] = []
        if let directory = try? FileDescriptor.openDirectory(path: directory) {
            names = try Directory.names(in: directory, limitCount: 10_000)
        }
        return [file] + (try AppleSettings(apple)).files + names.map { "\(directory)/\($0)" }
    }

    /// Prepares the calls for an app, before it has a catalogue.
    func connect() throws -> AppleConnection {
        AppleConnection(try apple.session(), state: directory)
    }

    /// Reads the catalogue with its images, and prepares the calls.
    func open() throws -> OnlineCatalogue { try open(try read()) }

    /// Prepares the calls for a catalogue.
    func open(_ local: LocalCatalogue) throws -> OnlineCatalogue {
        let session = try apple.session(bundleId: local.resolved.bundleId)
        return OnlineCatalogue(local: local, session: session)
    }

    /// Reads the catalogue with its images. Needs no credentials.
    func read() throws -> LocalCatalogue {
        try read(try Input.read(file, limitBytes: CatalogueLimits.sourceByteCount))
    }

    /// Reads a catalogue with this text, and its images. Needs no credentials.
    func read(_ text: [UInt8]) throws -> LocalCatalogue {
        let images = ImageFiles(folder: folder, decodesAll: false)
        let checked = CheckedCatalogue(text, images: images)
        let resolved = try CatalogueError.mapped(
            to: { ToolFailure($0, file: file) },
            try checked.resolved(for: apple.environment)
        )
        try check(bundleId: resolved.bundleId, of: file)
        return LocalCatalogue(
            text: text, checked: checked, resolved: resolved, images: images,
            server: try apple.server(AppleSettings(apple, bundleId: resolved.bundleId)), state: directory,
            file: file)
    }

    /// Refuses a file of another app than `--bundle-id`.
    func check(bundleId: String, of file: String) throws(ToolFailure) {
        guard apple.bundleId == nil || apple.bundleId == bundleId else {
            throw ToolFailure(
                .usage, code: "catalogue.other-app", "the file is that of \(bundleId)",
                hint: "leave --bundle-id out", file: file)
        }
    }
}

/// A catalogue, its images and its journal, without anything that calls Apple.
struct LocalCatalogue {
    let text: [UInt8]
    let checked: CheckedCatalogue
    let resolved: ResolvedCatalogue
    let images: ImageFiles
    /// The server that the journal is about.
    let server: AppStoreServer
    /// The directory of the journal.
    let state: String
    let file: String

    /// The address of the server; nil for Apple's own.
    var serverAddress: String? { owner.server }

    private var owner: JournalOwner { JournalOwner(bundleId: resolved.bundleId, server: server) }

    var pictures: [String] { resolved.images.map { "\(AtomicFile.split(file).directory)/\($0.file)" } }

    /// Every product in every locale of the catalogue.
    var places: [ProductLocale] {
        checked.catalogue.products.flatMap { product in
            checked.catalogue.locales.map { ProductLocale(product: product.name, locale: $0) }
        }
    }

    /// Reads what the journal knows. Changes nothing.
    func knowledge() throws(CatalogueJournalError) -> JournalKnowledge {
        try CatalogueJournal.knowledge(directory: state, owner: owner)
    }
}

/// A catalogue and the server that it is compared with.
struct OnlineCatalogue {
    let local: LocalCatalogue
    let session: AppleSession

    var connection: AppleConnection { AppleConnection(session, state: local.state) }
    var checked: CheckedCatalogue { local.checked }
    var resolved: ResolvedCatalogue { local.resolved }
    var images: ImageFiles { local.images }
    /// Every product in every locale of the catalogue.
    var places: [ProductLocale] { local.places }

    /// Opens the journal for writing.
    func journal() throws(CatalogueJournalError) -> CatalogueJournal { try connection.journal() }

    /// Opens the journal for writing if that is possible; see ``AppleConnection/journalIfPossible()``.
    func journalIfPossible() throws(CatalogueJournalError) -> CatalogueJournal {
        try connection.journalIfPossible()
    }

    /// Asks Apple for its lists, and records what has changed.
    func inventory(_ journal: CatalogueJournal, asksURL: Bool = false) throws -> AppleInventory {
        try connection.inventory(journal, asksURL: asksURL)
    }

    /// Asks Apple for default messages, one after the other.
    func refresh(_ journal: CatalogueJournal, _ places: [ProductLocale]) throws {
        try connection.refresh(journal, places)
    }

    func plan(_ journal: CatalogueJournal) throws -> CataloguePlan {
        var plan = CataloguePlan(
            resolved, inventory: try inventory(journal, asksURL: true), knowledge: journal.knowledge)
        if resolved.environment == .production, let sandbox = try? checked.resolved(for: .sandbox),
            let knowledge = try? connection.sandboxKnowledge()
        {
            plan.compare(withSandbox: sandbox, knowledge)
        }
        return plan
    }
}
