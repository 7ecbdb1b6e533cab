import AppStoreServerAPI
@testable import Catalogue
import JSON
import Support
import Testing
import Vocabulary

@Suite("Taking over what is at Apple")
struct AdoptionTests {
    private static func steps(_ world: AdoptionWorld, _ text: [UInt8], _ knowledge: JournalKnowledge) throws
        -> CataloguePlan
    {
        let resolved = try world.check(text).resolved(for: world.environment)
        return CataloguePlan(resolved, inventory: try world.inventory(), knowledge: knowledge)
    }

    @Test(
        "gives a catalogue in which lint finds nothing and plan has nothing to do",
        arguments: [true, false]
    )
    func whole(isRefreshed: Bool) throws {
        let world = try AdoptionWorld()
        let knowledge = isRefreshed ? try world.knowledge() : JournalKnowledge()
        let adoption = try world.adopt(world.map().serialized(), knowledge: knowledge)
        let checked = world.check(adoption.text)
        // The lost catalogue has a message without a German text, and a default message that names it. Without knowledge of
        // default messages, the new catalogue has none.
        let noDefaults = isRefreshed ? [] : ["catalogue.missing-default"]
        #expect(
            checked.findings.map(\.code) == noDefaults + ["catalogue.missing-locale"],
            "\(checked.findings.map(\.text))")
        let plan = try Self.steps(world, adoption.text, try world.knowledge())
        #expect(
            plan.steps == [] && plan.problems == [] && plan.orphans == []
                && plan.formerDefaults.isEmpty == isRefreshed
        )
        let resolved = try checked.resolved(for: .sandbox)
        #expect(Set(resolved.messages.map(\.identifier)) == Set(world.resolved.messages.map(\.identifier)))
        for message in resolved.messages {
            let old = world.resolved.messages.first { $0.identifier == message.identifier }
            #expect(old?.body == message.body && old?.name == message.name && old?.kind == message.kind)
            #expect(message.isPinned)
        }
        #expect(resolved.realtimeURL == "https://example.com/b")
        #expect(adoption.report.named.count == 7 && adoption.report.unnamed == [])
        #expect(adoption.report.defaults.count == (isRefreshed ? 4 : 0) && adoption.report.leftDefaults == [])
        if isRefreshed { #expect(Set(resolved.defaults) == Set(world.resolved.defaults)) }
    }

    @Test("finds nothing to add the second time, and leaves the text as it is")
    func again() throws {
        let world = try AdoptionWorld()
        let first = try world.adopt(world.map().serialized(), knowledge: try world.knowledge())
        let text = String(decoding: first.text, as: UTF8.self)
        let second = try world.adopt(world.map().serialized(), into: text, knowledge: try world.knowledge())
        #expect(second.text == first.text && !second.report.hasAdditions)
        #expect(second.report.knownCount == 7 && second.report.named == [])
        #expect(second.report.leftDefaults == [] && second.report.leftRealtimeURL == nil)
    }

    @Test(
        "adds the other environment to the same messages, whose texts the map may leave out",
        arguments: [true, false]
    )
    func otherEnvironment(repeatsTexts: Bool) throws {
        let sandbox = try AdoptionWorld()
        let production = try AdoptionWorld(AdoptionWorld.lost, .production)
        let first = try sandbox.adopt(sandbox.map().serialized())
        var map = String(decoding: production.map().serialized(), as: UTF8.self)
        if !repeatsTexts {
            let document = try Self.parsed(Array(map.utf8))
            let short = Self.changingEntries(document, of: "messages") { members in
                members.filter { ["identifier", "name", "locale"].contains($0.0) }
            }
            map = String(decoding: short.serialized(), as: UTF8.self)
        }
        let text = String(decoding: first.text, as: UTF8.self)
        let second = try production.adopt(Array(map.utf8), into: text)
        #expect(second.report.named.count == 7 && second.report.unnamed == [])
        for (world, identifiers) in [(sandbox, sandbox.resolved), (production, production.resolved)] {
            let resolved = try world.check(second.text).resolved(for: world.environment)
            #expect(Set(resolved.messages.map(\.identifier)) == Set(identifiers.messages.map(\.identifier)))
            #expect(Set(resolved.images.map(\.identifier)) == Set(identifiers.images.map(\.identifier)))
        }
        // Only lines with what is new were added.
        let lines = Set(
            String(decoding: second.text, as: UTF8.self).split(separator: "\n").map {
                $0.filter { $0 != "," }
            }
        )
        #expect(Set(text.split(separator: "\n").map { $0.filter { $0 != "," } }).isSubset(of: lines))
    }

    @Test("needs no pin where the content has the identifier by itself")
    func sameNamespace() throws {
        let world = try AdoptionWorld()
        let blank = AdoptionWorld.blank().replacing(
            "00000000-0000-0001-0000-000000000002", with: "11111111-2222-4333-8444-555555555555")
        let adoption = try world.adopt(world.map().serialized(), into: blank)
        #expect(adoption.report.named.count == 7 && adoption.report.named.allSatisfy { !$0.isPinned })
        #expect(!String(decoding: adoption.text, as: UTF8.self).contains("\"identifier\""))
        #expect(try Self.steps(world, adoption.text, JournalKnowledge()).orphans == [])
    }

    @Test("says what has no name, and of what it is the default message")
    func unnamed() throws {
        let world = try AdoptionWorld()
        let hidden = try #require(world.resolved.messages.first { $0.name == "plain" }).identifier
        world.apple.messages[hidden]?.state = .rejected
        let map = world.map { $0.identifier != hidden }.serialized()
        let adoption = try world.adopt(map, knowledge: try world.knowledge())
        let place = ProductLocale(product: "annual", locale: "en-US")
        #expect(
            adoption.report.unnamed == [
                .init(item: CatalogueItem(.message, hidden), state: "REJECTED", places: [place])
            ]
        )
        #expect(adoption.report.leftDefaults == [.init(place: place, identifier: hidden, reason: .unnamed)])
        let lines = adoption.report.text
        #expect(lines.contains("  ? message  \(hidden), REJECTED, default message of annual in en-US"))
        #expect(lines.last == "Named: 6. Known before: 0. Without a name: 1.")
        #expect(!String(decoding: adoption.text, as: UTF8.self).contains("\(hidden)"))
    }

    @Test("leaves default messages out that a catalogue cannot name, and keeps those that it names")
    func leftDefaults() throws {
        let world = try AdoptionWorld()
        func identifier(_ name: String, _ locale: String) throws -> UUID {
            try #require(world.resolved.messages.first { $0.name == name && $0.locale == locale }).identifier
        }
        let (english, german) = (try identifier("reminder", "en-US"), try identifier("reminder", "de-DE"))
        let (plain, offer) = (try identifier("plain", "en-US"), try identifier("offer", "de-DE"))
        var knowledge = JournalKnowledge()
        let places: [(String, String, UUID)] = [
            ("monthly", "en-US", plain), ("monthly", "de-DE", english), ("annual", "en-US", english),
            ("annual", "de-DE", offer), ("other", "en-US", english), ("annual", "fr-FR", german),
        ]
        for (product, locale, identifier) in places {
            knowledge.add(.defaultAsked(ProductLocale(product: product, locale: locale), identifier), at: 1)
        }
        let base = AdoptionWorld.blank().replacing(
            "\"defaults\": {}", with: "\"defaults\": { \"annual\": { \"locales\": { \"en-US\": \"mine\" } } }"
        )
        .replacing(
            "\"messages\": {}",
            with:
                "\"messages\": { \"mine\": { \"kind\": \"text\", \"en-US\": { \"header\": \"M\", \"body\": \"M\" } } }"
        )
        let adoption = try world.adopt(world.map().serialized(), into: base, knowledge: knowledge)
        func left(_ product: String, _ locale: String) -> AdoptionReport.LeftDefault.Reason? {
            adoption.report.leftDefaults.first {
                $0.place == ProductLocale(product: product, locale: locale)
            }?.reason
        }
        #expect(adoption.report.defaults.map(\.place.description) == ["monthly in en-US"])
        #expect(left("monthly", "de-DE") == .otherLocale(name: "reminder", locale: "en-US"))
        #expect(left("annual", "en-US") == .named("mine"))
        #expect(left("annual", "de-DE") == .unfit(name: "offer"))
        #expect(left("other", "en-US") == .unknownPlace && left("annual", "fr-FR") == .unknownPlace)
        #expect(adoption.report.leftDefaults.count == 5)
        let text = String(decoding: adoption.text, as: UTF8.self)
        #expect(text.contains("\"annual\": { \"locales\": { \"en-US\": \"mine\" } }"))
        // Another URL is kept, too.
        let other = base.replacing(
            "\"format\": 1",
            with: "\"format\": 1, \"realtimeURL\": { \"Sandbox\": \"https://example.com/mine\" }")
        let kept = try world.adopt(world.map().serialized(), into: other)
        #expect(kept.report.leftRealtimeURL == "https://example.com/b" && kept.report.realtimeURL == nil)
    }

    @Test("writes a skeleton with everything that Apple says, and null where Apple says nothing")
    func skeleton() throws {
        let world = try AdoptionWorld()
        let owner = JournalOwner(bundleId: "com.example.app", environment: .sandbox)
        let skeleton = AdoptionSkeleton(
            owner, inventory: try world.inventory(), catalogue: nil, knowledge: try world.knowledge())
        #expect(skeleton.imageCount == 2 && skeleton.messageCount == 5)
        let text = skeleton.json.serialized(pretty: true)
        let root = try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
            .root
        for entry in root.member("messages")?.elements ?? [] {
            #expect(entry.member("state")?.string == "APPROVED")
            for name in ["name", "locale", "kind", "header", "body"] {
                #expect(entry.member(named: name)?.kind == .null)
            }
        }
        let uses = root.member("messages")?.elements.flatMap { $0.member("defaultOf")?.elements ?? [] }
        #expect(
            Set(uses?.compactMap(\.string) ?? []) == [
                "monthly in en-US", "monthly in de-DE", "annual in en-US", "annual in de-DE",
            ]
        )
        #expect(root.member("app")?.member("appAppleId")?.kind == .null)
        // A skeleton is a map in which nothing has a name.
        let adoption = try world.adopt(text)
        #expect(adoption.report.named == [] && adoption.report.unnamed.count == 7)
        // What the catalogue has is not asked for again.
        let half = try world.adopt(world.map { $0.kind == .image }.serialized())
        let rest = AdoptionSkeleton(
            owner, inventory: try world.inventory(),
            catalogue: try world.check(half.text).resolved(for: .sandbox), knowledge: JournalKnowledge())
        #expect(rest.imageCount == 0 && rest.messageCount == 5)
    }

    @Test("adopts any part of any catalogue, in any steps")
    func random() throws {
        var random = SeededGenerator(for: "adoptions")
        for round in 0..<25 {
            let world = try AdoptionWorld()
            var text = AdoptionWorld.blank()
            var named: Set<CatalogueItem> = []
            for _ in 0..<3 {
                var generator = random
                let map = world.map { item in
                    // Texts need their images.
                    let isNamed = item.kind == .image || Int.random(in: 0..<2, using: &generator) == 0
                    if isNamed { named.insert(item) }
                    return isNamed
                }
                random = generator
                let shuffled = Self.shuffled(map, &random)
                let adoption = try world.adopt(shuffled.serialized(), into: text)
                #expect(adoption.report.unnamed.count == 7 - named.count, "round \(round)")
                text = String(decoding: adoption.text, as: UTF8.self)
                let plan = try Self.steps(world, adoption.text, JournalKnowledge())
                #expect(plan.steps == [] && plan.problems == [] && plan.orphans.count == 7 - named.count)
            }
        }
    }

    // MARK: Maps as JSON

    static func parsed(_ text: [UInt8]) throws -> JSONNode {
        JSONNode(try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16)).root)
    }

    static func changingEntries(
        _ map: JSONNode, of list: String, _ change: ([(String, JSONNode)]) -> [(String, JSONNode)]
    ) -> JSONNode {
        guard case .object(let members) = map else { return map }
        return .object(
            members.map { name, value in
                guard name == list, case .array(let entries) = value else { return (name, value) }
                return (
                    name,
                    .array(
                        entries.map { entry in
                            guard case .object(let members) = entry else { return entry }
                            return .object(change(members))
                        }
                    )
                )
            }
        )
    }

    /// The same map with its entries and their members in another order.
    private static func shuffled(_ map: JSONNode, _ random: inout SeededGenerator) -> JSONNode {
        switch map {
        case .object(let members):
            .object(members.map { ($0.0, shuffled($0.1, &random)) }.shuffled(using: &random))
        case .array(let elements): .array(elements.map { shuffled($0, &random) }.shuffled(using: &random))
        default: map
        }
    }
}
