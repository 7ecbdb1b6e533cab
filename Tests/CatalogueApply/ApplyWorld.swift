import AppStoreServerAPI
@testable import Catalogue
import Testing
import Vocabulary

/// Apple, a journal's bytes, and the processes that run `catalogue apply` one after the other.
final class ApplyWorld {
    static let owner = JournalOwner(bundleId: "com.example.app", environment: .sandbox)

    let apple = FakeApple()
    let catalogue: ResolvedCatalogue
    /// False for runs that have no journal, as in a build job.
    let keepsJournal: Bool
    var journal: [UInt8] = []
    var time: Int64 = 1_800_000_000_000
    var wait = CatalogueApply.ReviewWait.none

    init(_ catalogue: ResolvedCatalogue, keepsJournal: Bool = true) {
        self.catalogue = catalogue
        self.keepsJournal = keepsJournal
    }

    /// Runs one process. Returns nil when it was killed.
    func run(_ clock: PointClock = PointClock()) throws -> ApplyReport? {
        let text = try JournalText(reading: journal, owner: Self.owner, path: "journal")
        let storage = MemoryStorage(Array(journal[..<text.byteCount]), clock)
        defer { if keepsJournal { journal = storage.bytes } }
        let report: ApplyReport
        do {
            let journal = try CatalogueJournal(storage, text, owner: Self.owner, path: "journal", now: time)
            let client = apple.client(clock)
            let inventory = try AppleInventory(asking: client, asksURL: true)
            try journal.record(inventory, at: time)
            let plan = CataloguePlan(catalogue, inventory: inventory, knowledge: journal.knowledge)
            let timing = ApplyTiming(now: { self.time }, sleep: { self.time += $0 })
            let apply = CatalogueApply(
                client,
                journal: journal,
                timing: timing,
                readImage: { _ in Wanted.png }
            )
            report = apply.run(plan, images: catalogue.imagesByMessage, wait: wait)
        } catch {
            guard clock.isDead else { throw error }
            return nil
        }
        return clock.isDead ? nil : report
    }

    /// Runs processes until one of them has nothing left.
    func runToTheEnd(limit: Int = 20) throws {
        for _ in 0..<limit {
            guard let report = try run() else { continue }
            if report.isComplete { return }
        }
        Issue.record("not complete after \(limit) runs")
    }

    /// Checks that Apple has exactly what the catalogue wants, and that nothing was uploaded twice.
    func check(
        _ comment: Comment, allowsConflicts: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let wanted = Set(catalogue.images.map(\.identifier) + catalogue.messages.map(\.identifier))
        #expect(
            Set(apple.images.keys).union(apple.messages.keys) == wanted, comment,
            sourceLocation: sourceLocation)
        #expect(apple.uploadCounts.values.allSatisfy { $0 == 1 }, comment, sourceLocation: sourceLocation)
        #expect(allowsConflicts || apple.conflictCount == 0, comment, sourceLocation: sourceLocation)
        #expect(apple.unapprovedCount == 0, comment, sourceLocation: sourceLocation)
        let defaults = catalogue.defaults.map {
            (ProductLocale(product: $0.product, locale: $0.locale), $0.identifier)
        }
        #expect(
            apple.defaults == Dictionary(uniqueKeysWithValues: defaults), comment,
            sourceLocation: sourceLocation)
        #expect(apple.url == catalogue.realtimeURL, comment, sourceLocation: sourceLocation)
    }
}
