import AppStoreServerAPI
@testable import Catalogue
import System
import Testing

@Suite("Status and coverage")
struct StatusTests {
    @Test("say the state of everything, since when it is known, and who uses it")
    func status() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.approves = false
        #expect(try world.run()?.isWaitingOnly == true)
        world.apple.messages[Wanted.uuid(2, 9)] = (.rejected, [])
        world.apple.messages[Wanted.uuid(2, 2)] = nil
        _ = try world.plan()
        let status = CatalogueStatus(world.catalogue, world.stored, uses: CatalogueUses())
        #expect(
            status.rows.map(\.state.word) == [
                "PENDING", "PENDING", "PENDING", "PENDING", "missing", "orphaned REJECTED",
            ]
        )
        #expect(status.rows[0].uses == ["message0 en-US", "message1 de-DE"])
        #expect(status.rows[2].uses == ["2 default messages"])
        #expect(status.rows[0].since == world.time && status.rows[5].since == world.time)
        #expect(status.defaults.map(\.state) == Array(repeating: .unknown, count: 4))
        #expect(status.text.count == 1 + 6 + 4)
    }

    @Test("say that an orphan is still a default message at Apple")
    func orphanedDefaults() throws {
        let world = ApplyWorld(Wanted.small())
        try world.runToTheEnd(limit: 1)
        let status = CatalogueStatus(Wanted.catalogue(), world.stored, uses: CatalogueUses())
        let uses = Dictionary(uniqueKeysWithValues: status.rows.map { ($0.item, $0.uses) })
        #expect(uses.count == 5)
        for number in 0...1 {
            #expect(uses[CatalogueItem(.message, Wanted.uuid(2, number))] == ["2 default messages"])
            #expect(uses[CatalogueItem(.image, Wanted.uuid(1, number))] == [])
        }
        #expect(uses[CatalogueItem(.message, Wanted.uuid(2, 2))] == [])
    }

    @Test("say which answer subscribers get")
    func coverage() {
        var catalogue = Catalogue.empty
        catalogue.products = ["a", "b"].map { .init(name: $0, group: nil) }
        catalogue.locales = ["en-US", "de-DE", "fr-FR"]
        func place(_ product: String, _ locale: String) -> ProductLocale {
            ProductLocale(product: product, locale: locale)
        }
        let state = AppleState(
            messages: [
                ListedMessage(messageIdentifier: Wanted.uuid(2, 0), messageState: .approved),
                ListedMessage(messageIdentifier: Wanted.uuid(2, 1), messageState: .rejected),
            ],
            [
                (.defaultSet(place("a", "en-US"), Wanted.uuid(2, 0)), 1),
                (.defaultSet(place("a", "de-DE"), Wanted.uuid(2, 1)), 1),
                (.defaultSet(place("a", "fr-FR"), nil), 1),
                (.defaultSet(place("b", "en-US"), Wanted.uuid(2, 0)), 1),
            ])
        let coverage = CatalogueCoverage(catalogue, state) { product, locales in
            locales.map { _ in product == "a" ? [] : ["r"] }
        }
        #expect(
            coverage.cells.map(\.word) == ["default", "nothing", "nothing", "rules", "unknown", "unknown"]
        )
        #expect(coverage.text[0] == "product  en-US    de-DE    fr-FR")
        #expect(coverage.text[1] == "a        default  nothing  nothing")
    }
}
