import AppStoreServerAPI
import AppStoreSimulator
import JSON
import NotificationStore
import Recovery
import Support
import System
import Testing

@Suite("A recovery")
struct RecoveryTests {
    private static let hour = SimulatedApple.hour
    private static let day = 24 * hour
    private static let start = SimulatedApple.start

    /// A world in which nobody received `count` notifications of the last hour.
    private static func world(_ count: Int, _ system: StoreSystem, _ environment: Environment = .production)
        throws -> RecoveryWorld
    {
        let world = try RecoveryWorld(system, environment)
        try world.apple.notify((0..<count).map { ("DID_RENEW", Int64($0 + 1) * 1000) })
        world.apple.deliver { _ in false }
        world.apple.now += hour
        return world
    }

    @Test(
        "reads what is not covered, and nothing twice but the overlap",
        arguments: StoreSystem.allCases
    )
    func gaps(system: StoreSystem) throws {
        let world = try Self.world(45, system)
        let first = try world.recovery().run(TimeRange(from: Self.start - Self.day, to: Self.start + 1))
        #expect(first.newCount == 45 && first.knownCount > 0 && first.callCount >= 3)
        let covered = TimeRange(from: Self.start - Self.day, to: Self.start + 1)
        #expect(try world.coverage() == [covered])
        // The overlap has them once more, and what is covered is not read.
        #expect(try world.recovery().run(covered).callCount == 0)
        let rest = try world.recovery().run(TimeRange(from: Self.start - 2 * Self.day, to: Self.start + 1))
        #expect(rest.newCount == 0)
        #expect(try world.coverage() == [TimeRange(from: Self.start - 2 * Self.day, to: Self.start + 1)])
    }

    @Test(
        "goes back as far as Apple's history reaches",
        arguments: [Environment.production, .sandbox]
    )
    func reach(environment: Environment) throws {
        let world = try Self.world(1, .sqlite, environment)
        let days: Int64 = environment == .production ? 180 : 30
        let counts = try world.recovery().run(TimeRange(from: 0, to: .max))
        #expect(counts.newCount == 1 && world.apple.statuses == [200: counts.callCount])
        #expect(counts.callCount >= Int(days))
        #expect(try world.coverage().first?.from == world.apple.now - days * Self.day + 300_000)
        #expect(try world.recovery().run(TimeRange(from: 5, to: 5)).callCount == 0)
        #expect(try world.recovery().run(TimeRange(from: .max - 1, to: .max)).callCount == 0)
    }

    @Test(
        "of failures alone reads these again and again, and covers nothing")
    func failures() throws {
        let world = try Self.world(25, .sqlite)
        for expected in [25, 0] {
            let counts = try world.recovery().run(onlyFailures: true)
            #expect(counts.newCount == expected)
        }
        #expect(try world.coverage().isEmpty)
        world.apple.deliver { _ in true }
        #expect(try world.recovery().run(onlyFailures: true).knownCount == 0)
    }

    @Test(
        "that meets a notification which it cannot verify stores the others and does not cover the window")
    func refused() throws {
        let world = try Self.world(3, .sqlite)
        world.apple.change = { text in
            guard let start = text.firstRange(of: #""signedPayload":""#),
                let quote = text[start.upperBound...].firstIndex(of: "\"")
            else { return text }
            // The first signature gets another end.
            let end = text.index(quote, offsetBy: -4)
            let other = text[end..<quote] == "AAAA" ? "QQQQ" : "AAAA"
            return text[..<end] + other + text[quote...]
        }
        let range = TimeRange(from: Self.start - Self.hour, to: Self.start + 1)
        let counts = try world.recovery().run(range)
        #expect(counts.newCount == 2 && counts.lostCount >= 1 && counts.refused.count == 1)
        #expect(try world.coverage().isEmpty)
        world.apple.change = { $0 }
        #expect(try world.recovery().run(range).newCount == 1)
        #expect(try world.coverage() == [range])
    }

    @Test(
        "begins a window again when Apple refuses its token, and ends when the history has no end")
    func tokens() throws {
        let world = try Self.world(60, .sqlite)
        let range = TimeRange(from: Self.start - Self.hour, to: Self.start + 1)
        world.apple.callsLeft = 2
        #expect(throws: SimulatedApple.killed) { try world.recovery().run(range) }
        #expect(try world.store.cursorNames() == ["recover:Production:com.example.app"])
        // A day later the kept token is refused; the window is read from its start, which has everything.
        world.apple.callsLeft = nil
        world.apple.now += Self.day
        let counts = try world.recovery().run(range)
        // The window behind it begins at midnight, and its overlap has all 60 once more.
        #expect(counts.newCount == 20 && counts.knownCount == 100)
        #expect(world.apple.statuses[400] == 1)
        try world.expectEverythingOnce()

        let endless = try Self.world(60, .sqlite)
        endless.apple.change = {
            $0.replacing(/"paginationToken":"[^"]*"/, with: #""paginationToken":"AAAA""#)
        }
        #expect(throws: ToolError.endlessHistory) { try endless.recovery().run(range) }
    }

    @Test("ends when Apple gives tokens in a circle")
    func circle() throws {
        // Five pages, and the third leads to the second again.
        let world = try Self.world(100, .sqlite)
        var (first, pages) = ("", 0)
        world.apple.change = { text in
            guard let match = text.firstMatch(of: /"paginationToken":"([^"]*)"/) else { return text }
            pages += 1
            if pages == 1 { first = String(match.output.1) }
            guard pages.isMultiple(of: 3) else { return text }
            return text.replacing(match.output.1, with: first)
        }
        // A run that does not notice makes calls until this one fails.
        world.apple.callsLeft = 20
        let range = TimeRange(from: Self.start - Self.hour, to: Self.start + 1)
        #expect(throws: ToolError.endlessHistory) { try world.recovery().run(range) }
        #expect(world.apple.statuses == [200: 3])
    }

    @Test("takes a notification whose attempts are odd")
    func oddAttempts() throws {
        let world = try Self.world(25, .sqlite)
        world.apple.change = {
            $0.replacing(#""sendAttemptResult":""#, with: #""sendAttemptResult":7,"old":""#)
                .replacing("attemptDate", with: "date")
        }
        let range = TimeRange(from: Self.start - Self.hour, to: Self.start + 1)
        let counts = try world.recovery().run(range)
        #expect(counts.newCount == 25 && counts.lostCount == 0)
        #expect(try world.coverage() == [range])
    }

    @Test("does not bring an erased subscriber back")
    func erased() throws {
        let world = try Self.world(5, .sqlite)
        let range = TimeRange(from: Self.start - Self.hour, to: Self.start + 1)
        _ = try world.store.erase(.originalTransaction("3000"))
        let counts = try world.recovery().run(range)
        #expect(counts.newCount == 4 && counts.erasedCount >= 1 && counts.lostCount == 0)
        #expect(try world.coverage() == [range])
    }

    @Test(
        "ends with the error of a call or of the store, and goes on later")
    func errors() throws {
        let world = try Self.world(30, .sqlite)
        world.apple.callsLeft = 1
        #expect(throws: SimulatedApple.killed) { try world.recovery().run() }
    }
}
