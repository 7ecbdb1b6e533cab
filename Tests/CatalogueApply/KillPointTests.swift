import AppStoreServerAPI
@testable import Catalogue
import HTTPClient
import Support
import System
import Testing

/// A process that runs `catalogue apply` is killed at every point: before and after each call, and before and behind each
/// replacement of the state.
@Suite("Apply, killed at every point")
struct KillPointTests {
    /// The number of points that a run passes.
    private static func pointCount(keepsState: Bool) throws -> Int {
        let world = ApplyWorld(Wanted.small(), keepsState: keepsState)
        let clock = PointClock()
        #expect(try world.run(clock)?.isComplete == true)
        return clock.count
    }

    @Test("goes on and uploads nothing twice", arguments: [true, false])
    func once(keepsState: Bool) throws {
        let count = try Self.pointCount(keepsState: keepsState)
        #expect(count > (keepsState ? 50 : 20))
        for point in 1...count {
            let world = ApplyWorld(Wanted.small(), keepsState: keepsState)
            #expect(try world.run(PointClock(killingAt: point)) == nil)
            try world.runToTheEnd(limit: 1)
            world.check("killed at \(point)")
            #expect(try world.run()?.done.isEmpty == keepsState, "after \(point)")
        }
    }

    @Test("goes on when Apple reviews everything in between", arguments: [true, false])
    func review(keepsState: Bool) throws {
        let count = try Self.pointCount(keepsState: keepsState)
        for point in 1...count {
            let world = ApplyWorld(Wanted.small(), keepsState: keepsState)
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
    func faults(keepsState: Bool) throws {
        let count = try Self.pointCount(keepsState: keepsState)
        var random = SeededGenerator(for: "apply faults \(keepsState)")
        for round in 1...200 {
            let world = ApplyWorld(Wanted.small(), keepsState: keepsState)
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
        world.catalogue = second
        world.apple.fault = { .lostAnswer }
        #expect(try world.run()?.failure?.code == "http.no-answer")
        #expect(world.apple.defaults.values.first == Wanted.uuid(2, 1))
        #expect(world.stored.defaults.isEmpty)
        world.catalogue = first
        #expect(try world.plan().steps.count == 1)
    }

    @Test("deletes each orphan once, and nothing that is a default message", arguments: [true, false])
    func prune(keepsState: Bool) throws {
        func prepared() throws -> ApplyWorld {
            let world = ApplyWorld(Wanted.small(), keepsState: keepsState)
            try world.runToTheEnd()
            world.catalogue.messages.removeLast()
            world.catalogue.images.append(Wanted.image(2))
            return world
        }
        let clock = PointClock()
        #expect(try prepared().run(clock, prunes: true) != nil)
        #expect(clock.count > 15)
        for point in 1...clock.count {
            let world = try prepared()
            _ = try world.run(PointClock(killingAt: point), prunes: true)
            let last = try #require(try world.run(prunes: true))
            #expect(last.isComplete, "killed at \(point)")
            #expect(world.apple.messages.count == 2 && world.apple.images.count == 3)
        }
    }
}
