internal import AppStoreServerAPI
internal import Catalogue
internal import CataloguePage
internal import DataFiles
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// A catalogue with everything that a page says about Apple.
struct PageStates {
    let catalogue: LocalCatalogue
    private let inventory: AppleInventory
    private let knowledge: JournalKnowledge
    private let source: StateSource
    private let url: KnownURL

    init(_ catalogue: LocalCatalogue, _ lists: AppleInventory, at time: Int64, _ knowledge: JournalKnowledge)
    {
        self.catalogue = catalogue
        self.knowledge = knowledge
        inventory = lists
        source = .lists(at: time, server: catalogue.serverAddress)
        url = lists.realtimeURL.map { .set($0) } ?? .unset
    }

    init(_ catalogue: LocalCatalogue, _ lists: Inventory, from file: String, _ knowledge: JournalKnowledge) {
        self.catalogue = catalogue
        self.knowledge = knowledge
        inventory = AppleInventory(lists)
        source = .inventory(file: AtomicFile.split(file).name)
        url = .unknown
    }

    init(_ catalogue: LocalCatalogue, remembering knowledge: JournalKnowledge) {
        self.catalogue = catalogue
        self.knowledge = knowledge
        inventory = AppleInventory(remembering: knowledge)
        source = .journal
        url = .unknown
    }

    /// Reads a file with Apple's lists.
    static func lists(_ file: String) throws(ToolFailure) -> Inventory {
        let text = try Input.read(file)
        return try RulesSourceError.mapped(
            to: { ToolFailure($0, file: file) },
            try Inventory(reading: text)
        )
    }

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - models: the rules that name messages, with the names of their files.
    ///   - images: the images of the catalogue.
    /// - Returns: the page.
    func page(of models: [(file: String, model: RulesModel)], _ images: PageImages) -> CataloguePage {
        var uses = CatalogueUses()
        // The page goes to people who do not know the directories of this machine.
        for (file, model) in models { uses.add(model, file: AtomicFile.split(file).name) }
        let status = CatalogueStatus(
            catalogue.resolved, inventory: inventory, knowledge: knowledge, uses: uses,
            isComplete: source != .journal)
        var page = CataloguePage(
            catalogue.checked.catalogue, resolved: catalogue.resolved, status: status,
            coverage: CatalogueCoverage(catalogue, knowledge, inventory, models), uses: uses, images: images)
        page.findings = catalogue.checked.findings
        if source != .journal {
            let plan = CataloguePlan(catalogue.resolved, inventory: inventory, knowledge: knowledge)
            page.findings = plan.problems.map(\.finding) + page.findings
        }
        page.source = source
        page.realtimeURL = url
        return page
    }
}

extension AppleInventory {
    /// Takes the lists of a file, images before messages and each by identifier.
    fileprivate init(_ lists: Inventory) {
        func order<Value>(_ entries: [UUID: Value]) -> [(key: UUID, value: Value)] {
            entries.sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
        }
        self.init(
            images: order(lists.images).map { identifier, state in
                ListedImage(imageIdentifier: identifier, imageState: ReviewState(state), imageSize: nil)
            },
            messages: order(lists.messages).map { identifier, message in
                ListedMessage(messageIdentifier: identifier, messageState: ReviewState(message.state))
            }
        )
    }
}

extension ReviewState {
    fileprivate init(_ state: Inventory.State) {
        self.init(rawValue: state.rawValue)
    }
}

extension CatalogueCoverage {
    /// Combines the rules with what is known of default messages.
    init(
        _ catalogue: LocalCatalogue, _ knowledge: JournalKnowledge, _ inventory: AppleInventory,
        _ models: [(file: String, model: RulesModel)]
    ) {
        let approved = inventory.approvedMessages(imagesOf: catalogue.resolved)
        let covers = models.map { RuleCoverage($0.model, approved: approved) }
        self.init(catalogue.checked.catalogue, knowledge: knowledge, inventory: inventory) {
            product,
            locales in
            covers.reduce(locales.map { _ in [] }) { names, cover in
                zip(names, cover.rules(for: product, in: locales)).map { $0 + $1 }
            }
        }
    }
}
