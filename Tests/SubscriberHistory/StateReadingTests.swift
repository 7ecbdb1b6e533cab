import NotificationStore
import Support
import Testing

@testable import SubscriberHistory

@Suite("Reading the facts out of all states")
struct StateReadingTests {
    private static let app = "com.example.app"

    private static func state(_ number: Int) -> SubscriberState {
        var values = FactValues()
        values[.paidPeriods] = .integer(Int64(number))
        let pieces = FactPieces(
            pieces: [FactPiece(from: 1000, values: values)],
            coveredPieces: nil,
            neededCoverage: nil
        )
        return SubscriberState(
            originalTransactionID: "\(100 + number)",
            bytes: number % 5 == 0 ? FactPieces.tooLarge : number % 7 == 0 ? [1, 2, 3] : pieces.bytes,
            sources: [],
            downloads: []
        )
    }

    /// What the pages say together.
    private struct Found {
        var paidPeriods: [String: HistoryValue] = [:]
        var unknown: Set<String> = []
        var tooLargeCount = 0
        var outdated: Set<String> = []
        var order: [String] = []
    }

    private static func read(_ refresh: HistoryRefresh, at now: Int64, count: Int) throws -> Found {
        let lock = try refresh.lock()
        var reading = StateReading(refresh, at: now, covered: [], count: count)
        var found = Found()
        while let pages = try reading.next(holding: lock) {
            for page in pages {
                #expect(page.subscribers.count + page.tooLargeCount + page.outdatedIDs.count <= count)
                for (id, facts) in page.subscribers {
                    found.order.append(id)
                    if let facts {
                        found.paidPeriods[id] = facts.value(.paidPeriods)
                    } else {
                        found.unknown.insert(id)
                    }
                }
                found.tooLargeCount += page.tooLargeCount
                found.outdated.formUnion(page.outdatedIDs)
            }
        }
        try lock.release()
        return found
    }

    @Test(
        "finds each state of the app and the environment once, however many there are in a page",
        arguments: BedSystem.allCases,
        [0, 1, 2, 3, 4, 6, 7, 30]
    )
    func pages(system: BedSystem, total: Int) throws {
        let bed = try IncrementalBed(system, [], SeededGenerator(seed: 14))
        let store = bed.store
        try store.write((0..<total).map(Self.state), app: Self.app, environment: "Sandbox")
        try store.write((0..<50).map(Self.state), app: Self.app, environment: "Production")
        try store.write((0..<50).map(Self.state), app: "com.example.other", environment: "Sandbox")
        let refresh = HistoryRefresh(store, app: Self.app, environment: "Sandbox")
        let numbers = Array(0..<total)
        let known = numbers.filter { $0 % 5 != 0 && $0 % 7 != 0 }
        let damaged = numbers.filter { $0 % 5 != 0 && $0 % 7 == 0 }
        for count in [1, 2, 3, 1000] {
            let found = try Self.read(refresh, at: 2000, count: count)
            #expect(found.order == found.order.sorted() && Set(found.order).count == found.order.count)
            let expected = known.map { ("\(100 + $0)", HistoryValue.integer(Int64($0))) }
            #expect(found.paidPeriods == Dictionary(uniqueKeysWithValues: expected))
            #expect(found.unknown == Set(damaged.map { "\(100 + $0)" }))
            #expect(found.tooLargeCount == numbers.filter { $0 % 5 == 0 }.count && found.outdated.isEmpty)
            // No state says anything of a time before its first piece.
            let earlier = try Self.read(refresh, at: 999, count: count)
            #expect(earlier.paidPeriods.isEmpty && earlier.unknown == Set(found.order))
        }
    }
}
