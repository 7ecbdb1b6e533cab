import AppStoreServerAPI
@testable import Catalogue
import System
import Testing

@Suite("The plan of a catalogue")
struct PlanTests {
    /// The state of a message at Apple and in the journal, what the catalogue says, and what the plan does with it.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var listed: ReviewState?
        var isPinned = false
        var revision: Int64 = 1
        var events: [AppleState.Event] = []
        var isUploaded = false
        var isWaitedFor = false
        var code: String?
        var proposal: Int64?
        var testDescription: String { name }
    }

    private static let item = CatalogueItem(.message, Wanted.uuid(2, 0))
    private static let rows: [Row] = [
        Row(name: "new", isUploaded: true, isWaitedFor: true),
        Row(name: "pending", listed: .pending, isWaitedFor: true),
        Row(name: "approved", listed: .approved),
        Row(name: "rejected", listed: .rejected, code: "catalogue.rejected", proposal: 2),
        Row(
            name: "rejected again", listed: .rejected, revision: 4, code: "catalogue.rejected",
            proposal: 5),
        Row(name: "of an unknown state", listed: .other("NEW"), isWaitedFor: true),
        Row(name: "pinned and approved", listed: .approved, isPinned: true),
        Row(name: "pinned and rejected", listed: .rejected, isPinned: true, code: "catalogue.rejected"),
        Row(name: "pinned and not there", isPinned: true, code: "catalogue.pin-changed"),
        Row(
            name: "deleted", events: [.uploadStarted(item, name: "m"), .uploadDone(item)],
            code: "catalogue.identifier-used", proposal: 2),
        Row(name: "pruned", events: [.deleted(item)], code: "catalogue.identifier-used", proposal: 2),
        Row(
            name: "of a lost upload", events: [.uploadStarted(item, name: "m")], isUploaded: true,
            isWaitedFor: true),
        Row(
            name: "of a lost upload that was done", listed: .approved,
            events: [.uploadStarted(item, name: "m")]),
        Row(
            name: "refused before",
            events: [.uploadStarted(item, name: "m"), .refused(item, isIdentifierUsed: false)],
            isUploaded: true, isWaitedFor: true),
        Row(
            name: "refused as used before", revision: 3,
            events: [.uploadStarted(item, name: "m"), .refused(item, isIdentifierUsed: true)],
            code: "catalogue.identifier-used", proposal: 4),
        Row(
            name: "refused as used before, and listed now", listed: .approved,
            events: [.uploadStarted(item, name: "m"), .refused(item, isIdentifierUsed: true)]),
    ]

    @Test("does with a message what its state asks for", arguments: rows)
    func message(row: Row) {
        let catalogue = Wanted.catalogue(
            messages: [Wanted.message(0, revision: row.revision, isPinned: row.isPinned)],
            defaults: [Wanted.entry("p", "en-US", 0)])
        let messages = row.listed.map {
            [ListedMessage(messageIdentifier: Wanted.uuid(2, 0), messageState: $0)]
        }
        let plan = CataloguePlan(
            catalogue, AppleState(messages: messages ?? [], row.events.map { ($0, 5) }))
        var steps: [CataloguePlan.Action] = []
        if row.isUploaded { steps.append(.uploadMessage(catalogue.messages[0])) }
        if row.isWaitedFor { steps.append(.waitForApproval([Self.item])) }
        if row.code == nil {
            let place = ProductLocale(product: "p", locale: "en-US")
            steps.append(
                .setDefault(
                    .init(place: place, message: "message0", identifier: Wanted.uuid(2, 0), former: .unknown)
                )
            )
        }
        #expect(plan.actions == steps)
        #expect(plan.problems.first?.code == row.code)
        #expect(plan.problems.first?.proposedRevision == row.proposal)
        #expect(plan.problems.first?.heldDefaultCount == (row.code == nil ? nil : 1))
        #expect(plan.staying.messageCount == (row.listed == nil ? 0 : 1))
        #expect(plan.orphans.isEmpty)
    }

    @Test("orders uploads, waits, default messages and the URL")
    func order() {
        let plan = CataloguePlan(Wanted.small(), AppleState())
        let kinds = plan.steps.map { String($0.title.prefix { $0 != " " }) }
        #expect(
            kinds == ["image", "image", "message", "message", "message", "wait"]
                + ["default", "default", "default", "default", "url"]
        )
        #expect(
            plan.estimate.calls.map(\.operation) == [
                .uploadImage, .uploadMessage, .listImages, .listMessages, .setDefault, .setURL,
            ]
        )
        #expect(plan.estimate.calls.map(\.count) == [2, 3, 1, 1, 4, 1])
    }

    @Test("goes by the state for default messages")
    func defaults() {
        let catalogue = Wanted.catalogue(
            messages: [Wanted.message(0), Wanted.message(1)],
            defaults: ["same", "other", "unset", "unknown", "lost"].map { Wanted.entry($0, "en-US", 0) }
        )
        func place(_ product: String) -> ProductLocale { ProductLocale(product: product, locale: "en-US") }
        let messages = [0, 1].map {
            ListedMessage(messageIdentifier: Wanted.uuid(2, $0), messageState: .approved)
        }
        let plan = CataloguePlan(
            catalogue,
            AppleState(
                messages: messages,
                [
                    (.defaultSet(place("same"), Wanted.uuid(2, 0)), 10),
                    (.defaultSet(place("other"), Wanted.uuid(2, 1)), 20),
                    (.defaultSet(place("unset"), nil), 30),
                    (.defaultSet(place("lost"), Wanted.uuid(2, 0)), 40), (.defaultStarted(place("lost")), 41),
                    (.defaultSet(place("gone"), Wanted.uuid(2, 9)), 50),
                ]))
        let formers = plan.steps.map { step in
            if case .setDefault(let change) = step.action {
                "\(change.place.product) \(change.former)"
            } else {
                ""
            }
        }
        #expect(
            formers == [
                "other \(CataloguePlan.DefaultChange.Former.other(Wanted.uuid(2, 1), at: 20))",
                "unset \(CataloguePlan.DefaultChange.Former.unset(at: 30))",
                "unknown \(CataloguePlan.DefaultChange.Former.unknown)",
                "lost \(CataloguePlan.DefaultChange.Former.unknown)",
            ]
        )
        #expect(plan.staying.defaultCount == 1 && plan.staying.oldestDefault == 10)
        #expect(plan.formerDefaults == [place("gone")])
    }

    @Test("sets a default message again when the state of the message or of its image has changed since")
    func changedSince() {
        let catalogue = Wanted.catalogue(
            images: [Wanted.image(0)],
            messages: [Wanted.message(0), Wanted.message(1), Wanted.message(2, images: [0])],
            defaults: [("steady", 0), ("moved", 1), ("image", 2)].map { Wanted.entry($0.0, "en-US", $0.1) }
        )
        var state = AppleState()
        func place(_ product: String) -> ProductLocale { ProductLocale(product: product, locale: "en-US") }
        func list(_ items: [CatalogueItem], _ listed: ReviewState?, at time: Int64) {
            for item in items { state.list(item, listed, at: time) }
        }
        let items = (0..<3).map { CatalogueItem(.message, Wanted.uuid(2, $0)) }
        let image = CatalogueItem(.image, Wanted.uuid(1, 0))
        list(items + [image], .pending, at: 1)
        list(items + [image], .approved, at: 2)
        for (product, number) in [("steady", 0), ("moved", 1), ("image", 2)] {
            state.add(.defaultSet(place(product), Wanted.uuid(2, number)), at: 3)
        }
        func changes() -> [String] {
            CataloguePlan(catalogue, state).steps.map { step in
                guard case .setDefault(let change) = step.action else { return "" }
                return "\(change.place.product) \(change.former)"
            }
        }
        #expect(changes() == [])
        list([items[1], image], .rejected, at: 4)
        list([items[1], image], .approved, at: 5)
        #expect(changes() == ["moved unknown", "image unknown"])
        state.add(.defaultSet(place("moved"), Wanted.uuid(2, 1)), at: 6)
        state.add(.defaultSet(place("image"), Wanted.uuid(2, 2)), at: 7)
        #expect(changes() == [])
    }

    @Test("finds images that are rejected, of another size, or in the way of messages")
    func images() {
        let catalogue = Wanted.catalogue(
            images: [Wanted.image(0), Wanted.image(2, isPinned: true)],
            messages: [Wanted.message(0, images: [0]), Wanted.message(1, images: [2]), Wanted.message(2)])
        let state = AppleState(
            images: [
                ListedImage(
                    imageIdentifier: Wanted.uuid(1, 0), imageState: .rejected, imageSize: "FULL_SIZE"),
                ListedImage(
                    imageIdentifier: Wanted.uuid(1, 2), imageState: .approved, imageSize: "BULLET_POINT"),
                ListedImage(imageIdentifier: Wanted.uuid(1, 8), imageState: .approved, imageSize: nil),
            ]
        )
        let plan = CataloguePlan(catalogue, state)
        #expect(plan.actions == [.uploadMessage(catalogue.messages[2])])
        #expect(
            plan.problems.map(\.code) == [
                "catalogue.rejected", "catalogue.pin-changed", "catalogue.rejected",
                "catalogue.rejected",
            ]
        )
        #expect(
            plan.problems.map(\.path) == [
                "images.image0", "images.image2", "messages.message0.en-US", "messages.message1.en-US",
            ]
        )
        #expect(plan.orphans.map(\.item) == [CatalogueItem(.image, Wanted.uuid(1, 8))])
    }

    @Test("counts what is at Apple against Apple's limit", arguments: [0, 1, 3])
    func limit(excess: Int) {
        let orphans = 1998 + excess
        let catalogue = Wanted.catalogue(
            messages: [Wanted.message(0), Wanted.message(1)], defaults: [Wanted.entry("p", "en-US", 1)])
        let state = AppleState(
            messages: (0..<orphans).map {
                ListedMessage(messageIdentifier: Wanted.uuid(9, $0), messageState: .approved)
            }
        )
        let plan = CataloguePlan(catalogue, state)
        let uploads = plan.steps.count { if case .uploadMessage = $0.action { true } else { false } }
        #expect(uploads == max(0, 2 - excess))
        #expect(plan.orphans.count == orphans && plan.messagesAtApple == orphans)
        guard excess > 0 else {
            #expect(plan.problems.isEmpty)
            return
        }
        #expect(plan.problems.map(\.code) == ["catalogue.too-many"])
        let count = min(2, excess)
        #expect(plan.problems[0].finding.message.hasPrefix("\(count) message"))
        #expect(plan.problems[0].finding.hint?.contains(" deletes \(orphans) ") == true)
        #expect(plan.problems[0].heldDefaultCount == 1)
        #expect(plan.problems[0].finding.hint?.contains("apply --prune") == true)
    }

    @Test("leaves a URL that is set, replaces another, and none when the catalogue names none")
    func url() {
        func steps(_ wanted: String?, _ present: String?) -> [CataloguePlan.Action] {
            CataloguePlan(Wanted.catalogue(url: wanted), AppleState(url: present)).actions
        }
        #expect(steps("https://a", "https://a").isEmpty)
        #expect(steps("https://a", "https://b") == [.setURL(replacing: "https://b", "https://a")])
        #expect(steps("https://a", nil) == [.setURL(replacing: nil, "https://a")])
        #expect(steps(nil, "https://b").isEmpty)
    }
}
