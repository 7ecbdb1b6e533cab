import AppStoreServerAPI
@testable import Catalogue
import HTTPClient
import Support
import Testing
import Vocabulary

/// A process that runs `catalogue apply` is killed at every point: before and after each call, and before, within and behind
/// each line of the journal.
@Suite("Apply, killed at every point")
struct KillPointTests {
    /// The number of points that a run passes.
    private static func pointCount(keepsJournal: Bool) throws -> Int {
        let world = ApplyWorld(Wanted.small(), keepsJournal: keepsJournal)
        let clock = PointClock()
        #expect(try world.run(clock)?.isComplete == true)
        return clock.count
    }

    @Test("goes on and uploads nothing twice", arguments: [true, false])
    func once(keepsJournal: Bool) throws {
        let count = try Self.pointCount(keepsJournal: keepsJournal)
        #expect(count > 50)
        for point in 1...count {
            let world = ApplyWorld(Wanted.small(), keepsJournal: keepsJournal)
            #expect(try world.run(PointClock(killingAt: point)) == nil)
            try world.runToTheEnd(limit: 1)
            world.check("killed at \(point)")
            #expect(try world.run()?.done.isEmpty == keepsJournal, "after \(point)")
        }
    }

    @Test("goes on when Apple reviews everything in between", arguments: [true, false])
    func review(keepsJournal: Bool) throws {
        let count = try Self.pointCount(keepsJournal: keepsJournal)
        for point in 1...count {
            let world = ApplyWorld(Wanted.small(), keepsJournal: keepsJournal)
            world.apple.approves = false
            if let report = try world.run(PointClock(killingAt: point)) { #expect(report.isWaitingOnly) }
            #expect(try world.run()?.isWaitingOnly == true)
            #expect(world.apple.defaults.isEmpty && world.apple.url == nil)
            world.apple.review()
            _ = try world.run(PointClock(killingAt: point))
            try world.runToTheEnd(limit: 1)
            world.check("killed at \(point)")
        }
    }

    @Test("goes on after many kills, lost answers, failures and limits", arguments: [true, false])
    func faults(keepsJournal: Bool) throws {
        let count = try Self.pointCount(keepsJournal: keepsJournal)
        var random = SeededGenerator(for: "apply faults \(keepsJournal)")
        for round in 1...200 {
            let world = ApplyWorld(Wanted.small(), keepsJournal: keepsJournal)
            world.apple.approves = Bool.random(using: &random)
            var faults = 6
            var generator = random
            world.apple.fault = {
                guard faults > 0, Int.random(in: 0..<3, using: &generator) == 0 else { return nil }
                faults -= 1
                return FakeApple.Fault.allCases.randomElement(using: &generator)
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let clock = PointClock(killingAt: Int.random(in: 1...count, using: &random))
                if let report = try world.run(clock) { #expect(report.refused.isEmpty, "\(report.refused)") }
                if Bool.random(using: &random) { world.apple.review() }
            }
            for _ in 0..<10 {
                world.apple.review()
                _ = try world.run()
            }
            try world.runToTheEnd(limit: 2)
            world.check("round \(round)")
        }
    }

    @Test("sets a default message again whose call was lost, and knows it before")
    func changedBack() throws {
        // The default message is A. It is set to B, the process is killed before the answer, and the catalogue goes back to A.
        let first = Wanted.catalogue(
            messages: [Wanted.message(0), Wanted.message(1)], defaults: [Wanted.entry("p", "en-US", 0)])
        var second = first
        second.defaults = [Wanted.entry("p", "en-US", 1)]
        let world = ApplyWorld(first)
        try world.runToTheEnd()
        let other = ApplyWorld(second)
        other.apple.images = world.apple.images
        other.apple.messages = world.apple.messages
        other.apple.defaults = world.apple.defaults
        other.journal = world.journal
        other.apple.fault = { .lostAnswer }
        #expect(try other.run()?.failure == .api(.transport(.timedOut)))
        #expect(other.apple.defaults.values.first == Wanted.uuid(2, 1))
        let text = try JournalText(reading: other.journal, owner: ApplyWorld.owner, path: "")
        #expect(text.knowledge.defaults.isEmpty)
        let inventory = try AppleInventory(asking: other.apple.client(), asksURL: false)
        let plan = CataloguePlan(first, inventory: inventory, knowledge: text.knowledge)
        #expect(plan.steps.count == 1)
    }
}
