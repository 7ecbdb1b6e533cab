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

    /// Reads the catalogue with its images, and prepares the calls.
    func open() throws -> OnlineCatalogue {
        let local = try read()
        let session = try apple.session(for: (local.resolved.bundleId, local.state))
        return OnlineCatalogue(local: local, session: session)
    }

    /// Reads the catalogue with its images. Needs no credentials.
    func read() throws -> LocalCatalogue {
        let text = try Input.read(file, limitBytes: CatalogueLimits.sourceByteCount)
        let folder = AtomicFile.split(file).directory
        let images = ImageFiles(folder: folder, decodesAll: false)
        let checked = CheckedCatalogue(text, images: images)
        let resolved = try CatalogueError.mapped(
            to: { ToolFailure($0, file: file) },
            try checked.resolved(for: apple.environment)
        )
        guard apple.bundleId == nil || apple.bundleId == resolved.bundleId else {
            throw ToolFailure(
                .usage,
                code: "catalogue.other-app",
                "the catalogue is that of \(resolved.bundleId)",
                hint: "leave --bundle-id out",
                file: file
            )
        }
        return LocalCatalogue(
            checked: checked,
            resolved: resolved,
            images: images,
            server: try apple.server(AppleSettings(apple, bundleId: resolved.bundleId)),
            state: apple.state ?? "\(folder)/\(AppleOptions.stateName)",
            file: file
        )
    }
}

/// A catalogue, its images and its journal, without anything that calls Apple.
struct LocalCatalogue {
    let checked: CheckedCatalogue
    let resolved: ResolvedCatalogue
    let images: ImageFiles
    /// The server that the journal is about.
    let server: AppStoreServer
    /// The directory of the journal.
    let state: String
    let file: String

    /// The address of the server; nil for Apple's own.
    var serverAddress: String? {
        let apple = try? AppStoreServer(environment: server.environment)
        return server == apple ? nil : server.baseURL
    }

    /// The owner of the journal. Apple's own server has no address in it.
    fileprivate var owner: JournalOwner {
        JournalOwner(
            bundleId: resolved.bundleId,
            environment: resolved.environment,
            server: serverAddress
        )
    }

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

    var checked: CheckedCatalogue { local.checked }
    var resolved: ResolvedCatalogue { local.resolved }
    var images: ImageFiles { local.images }
    /// Every product in every locale of the catalogue.
    var places: [ProductLocale] { local.places }

    /// Opens the journal for writing.
    func journal() throws(CatalogueJournalError) -> CatalogueJournal {
        try CatalogueJournal(directory: local.state, owner: local.owner, now: Clock.wallMilliseconds())
    }

    /// Opens the journal for writing if that is possible. When another process writes to it, or the directory cannot be
    /// written, what it knows is read, and nothing is kept.
    func journalIfPossible() throws(CatalogueJournalError) -> CatalogueJournal {
        do throws(CatalogueJournalError) {
            return try journal()
        } catch {
            switch error {
            case .locked, .file: break
            default: throw error
            }
            return CatalogueJournal(knowledge: try local.knowledge())
        }
    }

    /// Asks Apple for its lists, and records what has changed.
    func inventory(_ journal: CatalogueJournal, asksURL: Bool = false) throws -> AppleInventory {
        let inventory = try AppleInventory(asking: session.client, asksURL: asksURL)
        try journal.record(inventory, at: Clock.wallMilliseconds())
        return inventory
    }

    /// Asks Apple for default messages, one after the other.
    func refresh(_ journal: CatalogueJournal, _ places: [ProductLocale]) throws {
        let refresh = DefaultRefresh(session.client, journal: journal, now: Clock.wallMilliseconds)
        try refresh.run(places) { done, all in
            Console.progress("asking for default messages: \(done) of \(all)")
        }
        Console.endProgress()
    }

    /// Makes the plan.
    func plan(_ journal: CatalogueJournal) throws -> CataloguePlan {
        CataloguePlan(
            resolved,
            inventory: try inventory(journal, asksURL: resolved.realtimeURL != nil),
            knowledge: journal.knowledge
        )
    }

    /// Estimates the calls of a plan from the calls of the last hour.
    func estimate(_ plan: CataloguePlan) throws -> PlanEstimate {
        let now = Clock.wallMilliseconds()
        let ledger = try RateStateError.mapped(
            to: AppStoreServerAPIError.rateState,
            try RateStateFile(directory: local.state).ledger(at: now)
        )
        return PlanEstimate(plan, at: session.server, ledger: ledger, now: now)
    }
}
