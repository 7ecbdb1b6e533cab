import AppStoreServerAPI
@testable import Catalogue
import JSON
import Testing
import Vocabulary

@Suite("What a plan tells besides its steps")
struct PlanNotesTests {
    private static func plan(
        _ catalogue: ResolvedCatalogue, _ inventory: AppleInventory = AppleInventory(),
        _ knowledge: JournalKnowledge = JournalKnowledge()
    ) -> CataloguePlan {
        CataloguePlan(catalogue, inventory: inventory, knowledge: knowledge)
    }

    @Test("names a URL that Apple asks and the catalogue does not name")
    func url() throws {
        let set = AppleInventory(realtimeURL: "https://old")
        let plan = Self.plan(Wanted.catalogue(), set)
        #expect(plan.formerURL == "https://old" && !plan.hasChanges)
        let line = plan.text.first { $0.contains("https://old") }
        #expect(line?.contains("apple url delete --environment Sandbox") == true)
        let text = plan.json.serialized()
        let document = try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
        #expect(document.root.member("formerURL")?.string == "https://old")
        #expect(Self.plan(Wanted.catalogue(url: "https://new"), set).formerURL == nil)
        #expect(Self.plan(Wanted.catalogue()).formerURL == nil)
    }

    /// What the Sandbox journal saw of the image and of the two messages, and the uploads that the note counts.
    private static let sandboxRows: [([(CatalogueItem, ReviewState?)], String?)] = [
        (
            [],
            "3 of 3 uploads were never approved in Sandbox, as far as the journal knows: first the image image0"
        ),
        (
            [
                (CatalogueItem(.image, Wanted.uuid(1, 0)), .approved),
                (CatalogueItem(.message, Wanted.uuid(2, 0)), .approved),
            ],
            "1 of 3 uploads was never approved in Sandbox, as far as the journal knows: first the message message1 en-US"
        ),
        (
            [
                (CatalogueItem(.image, Wanted.uuid(1, 0)), .approved),
                (CatalogueItem(.message, Wanted.uuid(2, 0)), .pending),
                (CatalogueItem(.message, Wanted.uuid(2, 1)), .rejected),
            ],
            "2 of 3 uploads were never approved in Sandbox, as far as the journal knows: first the message message0 en-US"
        ),
        // An approval counts although the message was deleted later.
        (
            [
                (CatalogueItem(.image, Wanted.uuid(1, 0)), .approved),
                (CatalogueItem(.message, Wanted.uuid(2, 0)), .approved),
                (CatalogueItem(.message, Wanted.uuid(2, 0)), nil),
                (CatalogueItem(.message, Wanted.uuid(2, 1)), .approved),
            ],
            nil
        ),
    ]

    @Test(
        "has one note about uploads to Production that were never approved in Sandbox",
        arguments: sandboxRows
    )
    func sandbox(row: ([(CatalogueItem, ReviewState?)], String?)) throws {
        var production = Wanted.catalogue(
            .production, images: [Wanted.image(0)],
            messages: [Wanted.message(0, images: [0]), Wanted.message(1)])
        let sandbox = Wanted.catalogue(images: production.images, messages: production.messages)
        // Production has identifiers of its own.
        production.images[0].identifier = Wanted.uuid(5, 0)
        for index in 0..<2 { production.messages[index].identifier = Wanted.uuid(6, index) }
        production.messages[0].images = [Wanted.uuid(5, 0)]
        var knowledge = JournalKnowledge()
        for (time, (item, state)) in row.0.enumerated() {
            knowledge.add(.listed(item, state), at: Int64(time))
        }
        var plan = Self.plan(production)
        plan.compare(withSandbox: sandbox, knowledge)
        #expect(plan.notes.map(\.message) == [row.1].compactMap { $0 })
        #expect(
            plan.notes.allSatisfy { $0.severity == .note && $0.code == "catalogue-plan.not-tried-in-sandbox" }
        )
        #expect(plan.problems.isEmpty && plan.steps.count == 3)
        let lines = plan.text.filter {
            $0.hasPrefix("  i note  note: catalogue-plan.")
        }
        #expect(lines.count == plan.notes.count)
        // What is at Apple already needs no trial.
        var nothing = Self.plan(Wanted.catalogue(.production))
        nothing.compare(withSandbox: sandbox, JournalKnowledge())
        #expect(nothing.notes.isEmpty)
    }

    @Test("counts one of a kind in the singular")
    func singular() throws {
        let catalogue = Wanted.catalogue(
            images: [Wanted.image(0)], messages: [Wanted.message(0, images: [0])],
            defaults: [Wanted.entry("p", "en-US", 0)])
        let first = Self.plan(catalogue)
        #expect(first.text.contains("  . wait  until Apple has approved 1 image and 1 message"))
        let world = ApplyWorld(catalogue)
        let report = try #require(try world.run())
        #expect(report.text.first == "Done: 3 steps.")
        let orphan = AppleInventory(messages: [
            ListedMessage(messageIdentifier: Wanted.uuid(9, 9), messageState: .approved)
        ])
        let prune = PrunePlan(
            Self.plan(Wanted.catalogue(), orphan), knowledge: JournalKnowledge(), uses: CatalogueUses())
        #expect(prune.deletionText == "1 message")
    }
}
