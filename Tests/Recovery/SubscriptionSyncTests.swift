import AppStoreServerAPI
import NotificationStore
import Recovery
import SignedPayloads
import Support
import System
import Testing

@Suite("A synchronization of subscribers")
struct SubscriptionSyncTests {
    @Test(
        "stores statuses and the whole history, verified, with the source api",
        arguments: StoreSystem.allCases
    )
    func whole(system: StoreSystem) throws {
        let world = try RecoveryWorld(system)
        let life =
            ["SUBSCRIBED.INITIAL_BUY"] + [String](repeating: "DID_RENEW", count: 44) + ["EXPIRED.VOLUNTARY"]
        try world.apple.notify(life.map { ($0, 1000) } + [("SUBSCRIBED.INITIAL_BUY", 900_000)])
        let report = try world.sync().run(["1000", "7", "x", "900000"])
        #expect(report.doneCount == 2)
        #expect(report.refused.map(\.identifier) == ["7", "x"])
        let codes = report.refused.map(\.error.code)
        #expect(codes == ["apple.4040010", "apple.4000006"])
        // Two statuses of two parts each, and 45 and 1 transactions; Apple signs the last one twice.
        #expect(report.counts.newCount == 4 + 46 && report.counts.lostCount == 0)
        let transactions = try world.stored(.transaction)
        #expect(transactions.count == 48 && transactions.allSatisfy { $0.source == "api" })
        #expect(try world.stored(.renewal).count == 2)
        let rows = try world.transactions(of: "1000")
        #expect(Set(rows.compactMap(\.columns.transactionID)).count == 45)
        let synchronized = try world.store.synchronizations().rows
        #expect(Set(synchronized.map(\.originalTransactionID)) == ["1000", "900000"])
        #expect(synchronized.allSatisfy { $0.at == world.apple.now && $0.environment == "Production" })
        // The same bytes are stored once; Apple signs anew at each call.
        world.apple.now += 1
        #expect(try world.sync().run(["1000"]).counts.newCount == 47)
    }

    @Test("asks for those about whom nothing came for long")
    func stale() throws {
        let world = try RecoveryWorld(.sqlite)
        try world.apple.notify([("SUBSCRIBED.INITIAL_BUY", 1000), ("SUBSCRIBED.INITIAL_BUY", 2000)])
        _ = try world.sync().run(["1000", "2000"])
        let time = world.apple.now
        world.apple.now += 1000
        _ = try world.sync().run(["2000"])
        func stale(_ time: Int64, _ environment: String) throws -> [String] {
            try world.store.staleSubscribers(
                app: world.owner.bundleId, environment: environment, before: time)
        }
        #expect(try stale(time, "Production").isEmpty)
        #expect(try stale(time + 1, "Production") == ["1000"])
        #expect(try stale(time + 1001, "Production") == ["1000", "2000"])
        #expect(try stale(time + 1001, "Sandbox").isEmpty)
    }

    @Test("does not bring an erased subscriber back")
    func erased() throws {
        let world = try RecoveryWorld(.sqlite)
        try world.apple.notify([
            ("SUBSCRIBED.INITIAL_BUY", 1000), ("DID_RENEW", 1000), ("SUBSCRIBED.INITIAL_BUY", 900_000),
        ])
        _ = try world.store.erase(.originalTransaction("1000"))
        let report = try world.sync().run(["1000", "900000"])
        // Of each subscriber come a status of two parts, and the transactions.
        #expect(report.doneCount == 2 && report.counts.erasedCount == 4 && report.counts.newCount == 3)
        #expect(report.counts.lostCount == 0)
        #expect(try world.transactions(of: "1000").isEmpty)
        #expect(try world.stored(.renewal).count == 1)
    }

    @Test(
        "refuses what is signed for another app, and answers for another app")
    func foreign() throws {
        let world = try RecoveryWorld(.sqlite)
        try world.apple.notify([("SUBSCRIBED.INITIAL_BUY", 1000)])
        let other = try world.apple.verifier(bundleId: "com.example.other")
        let owner = try other.owner(appAppleId: SimulatedApple.number, environment: .production)
        let sync = SubscriptionSync(
            api: world.apple,
            store: world.store,
            verifier: other,
            owner: owner,
            now: { world.apple.now }
        )
        #expect(throws: ToolError.otherOwner) { try sync.run(["1000"]) }
        world.apple.change = { $0.replacing("com.example.app", with: "com.example.other") }
        let report = try sync.run(["1000"])
        #expect(report.counts.refused["app-differs"] == 2 && report.counts.newCount == 1)
        // A history with a refused payload is not whole.
        #expect(try world.store.synchronizations().rows.isEmpty)
    }

    @Test("ends when Apple gives revisions in a circle")
    func circle() throws {
        let world = try RecoveryWorld(.sqlite)
        let life = ["SUBSCRIBED.INITIAL_BUY"] + [String](repeating: "DID_RENEW", count: 99)
        try world.apple.notify(life.map { ($0, 1000) })
        var (first, pages) = ("", 0)
        world.apple.change = { text in
            guard let match = text.firstMatch(of: /"revision":"([^"]*)"/), text.contains(#""hasMore":true"#)
            else { return text }
            pages += 1
            if pages == 1 { first = String(match.output.1) }
            return pages.isMultiple(of: 3) ? text.replacing(match.output.1, with: first) : text
        }
        world.apple.callsLeft = 20
        #expect(throws: ToolError.endlessHistory) { try world.sync().run(["1000"]) }
        #expect(try world.store.synchronizations().rows.isEmpty)
    }
}
