@testable import AppStoreServerAPI
import Support
import Testing
import Vocabulary

@Suite("The calls of an hour")
struct RateWindowTests {
    private static let start = ClientWorld.start

    private static func key(
        _ operation: AppStoreServerOperation,
        _ environment: Environment = .sandbox
    ) throws -> RateKey {
        RateKey(
            bundleId: "com.example.app",
            server: try AppStoreServer(environment: environment),
            operation: operation
        )
    }

    @Test("are as many as Apple says")
    func limits() throws {
        for operation in AppStoreServerOperation.allCases {
            let perSecond =
                switch operation {
                case .setDefault: 10
                case .notificationHistory, .subscriptionStatuses, .transactionHistory, .transactionInfo: 50
                default: 1
                }
            #expect(try Self.key(operation).callsPerHour == perSecond * 360)
            #expect(try Self.key(operation, .production).callsPerHour == perSecond * 3600)
        }
    }

    @Test(
        "never exceed their number in any rolling hour, whatever the pattern of calls",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func rolling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let key = try Self.key(.uploadMessage)
        var ledger = RateLedger()
        var now = Self.start
        var calls: [Int64] = []
        while calls.count < 2000 {
            switch ledger.reserve(key, at: now) {
            case .granted: calls.append(now)
            case .usedUp(let time):
                guard time > now else {
                    Issue.record("a wait without end")
                    return
                }
                now = time
                continue
            case .blocked: Issue.record("nothing blocks")
            }
            now += Int64.random(in: 0...(seed % 2 == 0 ? 100 : 20_000), using: &random)
        }
        let early = calls.indices.dropFirst(360).filter { calls[$0] - calls[$0 - 360] < 3_600_000 }
        #expect(early.isEmpty, "\(early)")
    }

    @Test("are used up at once, and free again after an hour and some seconds")
    func burst() throws {
        let key = try Self.key(.uploadMessage)
        var ledger = RateLedger()
        for _ in 0..<360 { #expect(ledger.reserve(key, at: Self.start) == .granted) }
        #expect(ledger.freeCount(key, at: Self.start) == 0)
        guard case .usedUp(let time) = ledger.reserve(key, at: Self.start) else {
            Issue.record("more than the hour has")
            return
        }
        #expect((3_600_000...3_650_000).contains(time - Self.start))
        #expect(ledger.freeCount(key, at: time - 1) == 0 && ledger.freeCount(key, at: time) == 360)
        #expect(ledger.reserve(key, at: time) == .granted)
        #expect(ledger.reserve(try Self.key(.deleteMessage), at: Self.start) == .granted)
    }

    @Test("count on when the clock goes back, and do not count for ever when it was wrong")
    func clock() throws {
        let key = try Self.key(.uploadMessage)
        var ledger = RateLedger()
        for _ in 0..<360 { _ = ledger.reserve(key, at: Self.start + 86_400_000 * 400) }
        guard case .usedUp(let time) = ledger.reserve(key, at: Self.start) else {
            Issue.record("forgotten")
            return
        }
        #expect(time - Self.start <= 3_650_000)
        ledger.block(key, untilMilliseconds: Self.start * 2, at: Self.start)
        #expect(ledger.reserve(key, at: Self.start) == .usedUp(untilMilliseconds: time))
        #expect(ledger.reserve(key, at: time + 3_600_000) == .granted)
    }

    @Test("of a plan take as long as the rates make them")
    func estimate() throws {
        let ledger = RateLedger()
        let images = PlannedCalls(try Self.key(.uploadImage), count: 100)
        let messages = PlannedCalls(try Self.key(.uploadMessage), count: 2000)
        let defaults = PlannedCalls(try Self.key(.setDefault), count: 1000)
        #expect(ledger.estimate([images, defaults], at: Self.start) == [0, 0])
        #expect(
            ledger.estimate([images, defaults], at: Self.start, callMilliseconds: 200) == [20_000, 220_000]
        )
        let ends = ledger.estimate([images, messages, defaults], at: Self.start)
        #expect(ends[0] == 0)
        // 2000 calls are five times 360 and 200 more: five waits of an hour.
        #expect((5 * 3_600_000...5 * 3_650_000).contains(ends[1]))
        #expect(ends[2] == ends[1])
        var used = RateLedger()
        for _ in 0..<300 { _ = used.reserve(images.key, at: Self.start) }
        let rest = used.estimate([images], at: Self.start)[0]
        #expect((3_600_000...3_650_000).contains(rest))
        // Entries of the same kind count together.
        let twice = ledger.estimate([images, defaults, PlannedCalls(images.key, count: 300)], at: Self.start)
        #expect(twice[0] == 0 && (3_600_000...3_650_000).contains(twice[2]), "\(twice)")
        let production = PlannedCalls(try Self.key(.uploadMessage, .production), count: 2000)
        #expect(ledger.estimate([production], at: Self.start) == [0])
    }
}
