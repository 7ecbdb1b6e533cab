import AppStoreServerAPI
import AppStoreSimulator
import NotificationStore
import Recovery
import Support
import System
import Testing

@Suite("After an outage of 80 hours")
struct OutageTests {
    private static let hour = SimulatedApple.hour
    private static let kinds = [
        "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED", "OFFER_REDEEMED", "REFUND",
        "DID_CHANGE_RENEWAL_PREF", "TEST", "RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN.CREATED",
    ]

    /// Passes an hour: some events happen, and what is due is sent.
    private static func pass(_ world: RecoveryWorld, _ random: inout SeededGenerator, isUp: Bool) throws {
        let events = (0..<Int.random(in: 2...8, using: &random)).map { _ in
            (Self.kinds.randomElement(using: &random) ?? "", Int64.random(in: 1...40, using: &random) * 1000)
        }
        try world.apple.notify(events)
        // A receiver that is up loses an answer from time to time; Apple then sends the notification again.
        world.apple.deliver { body in
            guard isUp, world.receive(body) else { return false }
            return Int.random(in: 0..<10, using: &random) > 0
        }
        world.apple.now += Self.hour
    }

    @Test(
        "retries and a recovery that is killed ten times leave everything in the store once",
        arguments: [Environment.production, .sandbox]
    )
    func outage(environment: Environment) throws {
        let world = try RecoveryWorld(.sqlite, environment)
        var random = SeededGenerator(for: "recovery-outage-\(environment.rawValue)")
        for _ in 0..<12 { try Self.pass(world, &random, isUp: true) }
        _ = try world.recovery().run()
        for _ in 0..<80 { try Self.pass(world, &random, isUp: false) }
        let before = try world.stored().count
        for _ in 0..<3 { try Self.pass(world, &random, isUp: true) }

        var kills = 0
        var counts: RecoveryCounts?
        while counts == nil {
            world.apple.callsLeft = kills < 10 ? Int.random(in: 1...2, using: &random) : nil
            do {
                counts = try world.recovery { $0.windowMilliseconds = 40 * Self.hour }.run()
            } catch {
                #expect(error as? AppStoreServerAPIError == SimulatedApple.killed)
                kills += 1
                // The world goes on between two runs.
                if kills % 4 == 0 { try Self.pass(world, &random, isUp: true) }
            }
        }
        world.apple.callsLeft = nil
        #expect(kills == 10 && counts?.lostCount == 0)
        try world.expectEverythingOnce()
        #expect(try world.stored().count > before + 80)
        #expect(try world.stored().contains { $0.source == "history" })
        // Everything up to the settling time is covered, in one piece.
        #expect(try world.coverage().count == 1)
        #expect(try world.coverage().last?.to == world.apple.now - RecoverySettings().settlingMilliseconds)

        for _ in 0..<160 { try Self.pass(world, &random, isUp: true) }
        _ = try world.recovery().run()
        try world.expectEverythingOnce()
        #expect(world.apple.statuses.keys.sorted() == [200])
        #expect(try world.store.cursorNames().isEmpty)
    }
}
