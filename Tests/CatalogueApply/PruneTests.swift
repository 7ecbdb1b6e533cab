import AppStoreServerAPI
@testable import Catalogue
import Rules
import System
import Testing

@Suite("Apply that prunes")
struct PruneTests {
    /// Apple with everything of the small catalogue, and a catalogue that names nothing of it.
    private static func world() throws -> ApplyWorld {
        let world = ApplyWorld(Wanted.small())
        try world.runToTheEnd(limit: 1)
        world.catalogue = Wanted.catalogue()
        return world
    }

    @Test("keeps what is a default message or named by rules, and deletes messages before images")
    func kept() throws {
        let world = try Self.world()
        let plan = try world.plan(prunes: true)
        #expect(plan.kept.map(\.item.identifier) == [Wanted.uuid(2, 0), Wanted.uuid(2, 1)])
        #expect(plan.kept.allSatisfy { $0.users.first?.hasPrefix("default message of annual in ") == true })
        let deletions = plan.steps.filter { $0.outcome == .planned }.map(\.title)
        #expect(deletions.map { $0.prefix(14) } == ["delete message", "delete image 0", "delete image 0"])
        #expect(plan.text.contains { $0.hasPrefix("  = keep  message ") })
        var model = RulesModel(appAppleId: 7, bundleId: "com.example.app", environment: .sandbox)
        model.messages = [
            .init(
                name: "m", kind: .text, identifiers: [.init(locale: "en-US", identifier: Wanted.uuid(2, 2))])
        ]
        model.rules = [.init(id: "r1", outcome: .message(0))]
        var uses = CatalogueUses()
        uses.add(model, file: "rules.json")
        let other = try world.plan(uses: uses, prunes: true)
        #expect(other.changeCount == 2 && other.kept.contains { $0.users == ["rules.json: r1"] })
    }

    @Test(
        "deletes, remembers it, never offers the identifier again, and leaves an image that a message names")
    func deletes() throws {
        let world = try Self.world()
        let report = try #require(try world.run(prunes: true))
        #expect(report.isComplete && report.done.count == 1)
        #expect(world.apple.messages.count == 2 && world.apple.images.count == 2)
        // The messages that stay are default messages. Nobody is told to delete them for the sake of their images.
        let line =
            "  = delete image \(Wanted.uuid(1, 0)) (image0), APPROVED: kept, named by a message that stays"
        #expect(report.outcomeText.contains(line))
        world.catalogue = Wanted.small()
        let again = try world.plan()
        #expect(again.problems.map(\.code) == ["catalogue.identifier-used"] && again.steps.isEmpty)
    }

    @Test("deletes what the same run replaces as a default message")
    func replaced() throws {
        let world = ApplyWorld(Wanted.small())
        try world.runToTheEnd(limit: 1)
        world.catalogue.messages[0].identifier = Wanted.uuid(2, 5)
        for index in world.catalogue.defaults.indices where world.catalogue.defaults[index].locale == "en-US"
        {
            world.catalogue.defaults[index].identifier = Wanted.uuid(2, 5)
        }
        #expect(try world.run(prunes: true)?.isComplete == true)
        world.check("replaced")
        // Apple has not approved the next one, so the former stays.
        world.apple.approves = false
        world.catalogue.messages[0].identifier = Wanted.uuid(2, 6)
        for index in world.catalogue.defaults.indices where world.catalogue.defaults[index].locale == "en-US"
        {
            world.catalogue.defaults[index].identifier = Wanted.uuid(2, 6)
        }
        let report = try #require(try world.run(prunes: true))
        #expect(report.isWaitingOnly && report.kept.map(\.item.identifier) == [Wanted.uuid(2, 5)])
        #expect(world.apple.messages[Wanted.uuid(2, 5)] != nil)
    }

    @Test("ends at an error that concerns every call")
    func failure() throws {
        let world = try Self.world()
        world.apple.fault = { .internalError }
        let report = try #require(try world.run(prunes: true))
        #expect(report.done.isEmpty && report.failure?.code == "apple.5000000")
        #expect(report.changeCount == 3)
    }
}
