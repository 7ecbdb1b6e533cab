import AppStoreServerAPI
@testable import Catalogue
import Testing
import Vocabulary

@Suite("Status and coverage")
struct StatusTests {
    @Test("say the state of everything, since when it is known, and who uses it")
    func status() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.approves = false
        #expect(try world.run()?.isWaitingOnly == true)
        world.apple.messages[Wanted.uuid(2, 9)] = (.rejected, [])
        world.apple.messages[Wanted.uuid(2, 2)] = nil
        let text = try JournalText(reading: world.journal, owner: ApplyWorld.owner, path: "")
        let status = CatalogueStatus(
            world.catalogue, inventory: try AppleInventory(asking: world.apple.client(), asksURL: false),
            knowledge: text.knowledge, uses: CatalogueUses())
        #expect(
            status.rows.map(\.state.word) == [
                "PENDING", "PENDING", "PENDING", "PENDING", "missing", "orphaned REJECTED",
            ]
        )
        #expect(status.rows[0].uses == ["message0 en-US", "message1 de-DE"])
        #expect(status.rows[2].uses == ["2 default messages"])
        #expect(status.rows[0].since == world.time && status.rows[5].since == nil)
        #expect(status.defaults.map(\.state) == Array(repeating: .unknown, count: 4))
        #expect(status.text.count == 1 + 6 + 4)
    }

    @Test("say that an orphan is still a default message at Apple")
    func orphanedDefaults() throws {
        let world = ApplyWorld(Wanted.small())
        try world.runToTheEnd(limit: 1)
        let text = try JournalText(reading: world.journal, owner: ApplyWorld.owner, path: "")
        let status = CatalogueStatus(
            Wanted.catalogue(), inventory: try AppleInventory(asking: world.apple.client(), asksURL: false),
            knowledge: text.knowledge, uses: CatalogueUses())
        let uses = Dictionary(uniqueKeysWithValues: status.rows.map { ($0.item, $0.uses) })
        #expect(uses.count == 5)
        for number in 0...1 {
            #expect(uses[CatalogueItem(.message, Wanted.uuid(2, number))] == ["2 default messages"])
            #expect(uses[CatalogueItem(.image, Wanted.uuid(1, number))] == [])
        }
        #expect(uses[CatalogueItem(.message, Wanted.uuid(2, 2))] == [])
    }

    @Test("do not call missing what a journal has not seen, and remember what it has seen")
    func remembered() {
        let catalogue = Wanted.small()
        func message(_ number: Int) -> CatalogueItem { CatalogueItem(.message, Wanted.uuid(2, number)) }
        var knowledge = JournalKnowledge()
        knowledge.add(.listed(CatalogueItem(.image, Wanted.uuid(1, 0)), .pending), at: 1)
        knowledge.add(.listed(message(0), .approved), at: 2)
        knowledge.add(.listed(message(1), .approved), at: 2)
        knowledge.add(.listed(message(1), nil), at: 3)
        knowledge.add(.uploadStarted(message(2), name: "message2 en-US"), at: 4)
        knowledge.add(.listed(message(9), .rejected), at: 5)
        let inventory = AppleInventory(remembering: knowledge)
        #expect(inventory.images.map(\.imageState) == [.pending])
        #expect(inventory.messages.map(\.messageIdentifier) == [Wanted.uuid(2, 0), Wanted.uuid(2, 9)])
        func words(isComplete: Bool) -> [String] {
            CatalogueStatus(
                catalogue, inventory: inventory, knowledge: knowledge, uses: CatalogueUses(),
                isComplete: isComplete
            )
            .rows.map(\.state.word)
        }
        #expect(
            words(isComplete: false) == [
                "PENDING", "unknown", "APPROVED", "missing", "unknown", "orphaned REJECTED",
            ]
        )
        #expect(
            words(isComplete: true) == [
                "PENDING", "missing", "APPROVED", "missing", "missing", "orphaned REJECTED",
            ]
        )
    }

    @Test(
        "know that an item is gone only when nothing was uploaded since",
        arguments: [
            ([], false), ([.uploadDone(item, .confirmed)], false), ([.listed(item, nil)], false),
            ([.listed(item, .approved), .listed(item, nil)], true), ([.deleteDone(item)], true),
            ([.deleteDone(item), .uploadStarted(item, name: "")], false),
            ([.deleteDone(item), .uploadStarted(item, name: ""), .uploadDone(item, .confirmed)], false),
            ([.listed(item, .pending), .listed(item, nil), .listed(item, .approved)], false),
        ] as [([JournalEvent], Bool)]
    )
    func gone(events: [JournalEvent], isGone: Bool) {
        var knowledge = JournalKnowledge()
        for (time, event) in events.enumerated() { knowledge.add(event, at: Int64(time)) }
        #expect((knowledge.items[Self.item]?.isGone ?? false) == isGone)
    }

    private static let item = CatalogueItem(.message, Wanted.uuid(2, 0))

    @Test("say which answer subscribers get")
    func coverage() {
        var catalogue = Catalogue.empty
        catalogue.products = ["a", "b"].map { .init(name: $0, group: nil) }
        catalogue.locales = ["en-US", "de-DE", "fr-FR"]
        var knowledge = JournalKnowledge()
        func place(_ product: String, _ locale: String) -> ProductLocale {
            ProductLocale(product: product, locale: locale)
        }
        knowledge.add(.defaultSet(place("a", "en-US"), Wanted.uuid(2, 0)), at: 1)
        knowledge.add(.defaultSet(place("a", "de-DE"), Wanted.uuid(2, 1)), at: 1)
        knowledge.add(.defaultAsked(place("a", "fr-FR"), nil), at: 1)
        knowledge.add(.defaultSet(place("b", "en-US"), Wanted.uuid(2, 0)), at: 1)
        let inventory = AppleInventory(
            messages: [
                ListedMessage(messageIdentifier: Wanted.uuid(2, 0), messageState: .approved),
                ListedMessage(messageIdentifier: Wanted.uuid(2, 1), messageState: .rejected),
            ]
        )
        let coverage = CatalogueCoverage(catalogue, knowledge: knowledge, inventory: inventory) {
            product,
            locales in
            locales.map { _ in product == "a" ? [] : ["r"] }
        }
        #expect(
            coverage.cells.map(\.word) == ["default", "nothing", "nothing", "rules", "unknown", "unknown"]
        )
        #expect(coverage.text[0] == "product  en-US    de-DE    fr-FR")
        #expect(coverage.text[1] == "a        default  nothing  nothing")
    }
}
