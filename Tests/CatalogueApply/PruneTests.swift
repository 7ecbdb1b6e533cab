import AppStoreServerAPI
@testable import Catalogue
import DataFiles
import Testing
import Vocabulary

@Suite("Prune")
struct PruneTests {
    /// Apple with everything of the small catalogue, the catalogue without it, and what the journal knows.
    private static func world() throws -> (FakeApple, ResolvedCatalogue, JournalKnowledge) {
        let world = ApplyWorld(Wanted.small())
        try world.runToTheEnd(limit: 1)
        let text = try JournalText(reading: world.journal, owner: ApplyWorld.owner, path: "")
        return (world.apple, Wanted.catalogue(), text.knowledge)
    }

    private static func plan(
        _ apple: FakeApple, _ catalogue: ResolvedCatalogue, _ knowledge: JournalKnowledge,
        _ uses: CatalogueUses = CatalogueUses()
    ) throws -> PrunePlan {
        let inventory = try AppleInventory(asking: apple.client(), asksURL: false)
        let plan = CataloguePlan(catalogue, inventory: inventory, knowledge: knowledge)
        return PrunePlan(plan, knowledge: knowledge, uses: uses)
    }

    @Test("keeps what is a default message or named by rules, and deletes messages before images")
    func kept() throws {
        let (apple, catalogue, knowledge) = try Self.world()
        let plan = try Self.plan(apple, catalogue, knowledge)
        #expect(Set(plan.kept.map(\.orphan.item.identifier)) == [Wanted.uuid(2, 0), Wanted.uuid(2, 1)])
        #expect(plan.kept.allSatisfy { $0.users.first?.hasPrefix("default message of annual in ") == true })
        #expect(plan.deletions.map(\.item.kind) == [.message, .image, .image])
        var model = RulesModel(appAppleId: 7, bundleId: "com.example.app", environment: .sandbox)
        model.messages = [
            .init(
                name: "m", kind: .text, identifiers: [.init(locale: "en-US", identifier: Wanted.uuid(2, 2))])
        ]
        model.rules = [.init(id: "r1", outcome: .message(0))]
        var uses = CatalogueUses()
        uses.add(model, file: "rules.json")
        let other = try Self.plan(apple, catalogue, knowledge, uses)
        #expect(other.deletions.allSatisfy { $0.item.kind == .image })
        #expect(other.kept.contains { $0.users == ["rules.json: r1"] })
    }

    @Test("deletes, records it, never offers the identifier again, and leaves an image that a message names")
    func deletes() throws {
        let (apple, catalogue, knowledge) = try Self.world()
        let plan = try Self.plan(apple, catalogue, knowledge)
        apple.images[Wanted.uuid(1, 1)] = nil
        let journal = CatalogueJournal(knowledge: knowledge)
        let report = CataloguePrune(apple.client(), journal: journal, now: { 9 }).run(plan)
        #expect(report.deleted.count == 2 && report.failure == nil && report.refused.isEmpty)
        #expect(apple.messages.count == 2 && apple.images.count == 1)
        // The message that stays is a default message. Nobody is told to delete it for the sake of its image.
        #expect(report.inUse.map(\.item) == [CatalogueItem(.image, Wanted.uuid(1, 0))])
        let line = "  = image \(Wanted.uuid(1, 0)) (image0), APPROVED, named by a message that stays"
        #expect(report.text == ["Deleted: 2.", line])
        let again = CataloguePlan(
            Wanted.small(), inventory: try AppleInventory(asking: apple.client(), asksURL: false),
            knowledge: journal.knowledge)
        #expect(again.problems.map(\.code).contains("catalogue-plan.deleted"))
        #expect(!again.steps.contains { if case .uploadImage = $0 { true } else { false } })
    }

    @Test("ends at an error that concerns every call")
    func failure() throws {
        let (apple, catalogue, knowledge) = try Self.world()
        let plan = try Self.plan(apple, catalogue, knowledge)
        apple.fault = { .internalError }
        let journal = CatalogueJournal(knowledge: knowledge)
        let report = CataloguePrune(apple.client(), journal: journal, now: { 9 }).run(plan)
        #expect(report.deleted.isEmpty && report.failure?.code == "apple.internal-error")
    }
}
