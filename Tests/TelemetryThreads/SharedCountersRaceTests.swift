import Pool
import System
import Testing

/// Threads stand for the processes of a pool: they use one mapping, so that ThreadSanitizer sees every access that is
/// not atomic (it cannot see that two mappings are the same memory).
@Suite("Shared counters in which several threads count")
struct SharedCountersRaceTests {
    private static let threads = 4
    private static let rounds = 1000

    /// Runs `body` in several threads and waits for all of them.
    private func atOnce(_ body: @escaping @Sendable (Int) -> Void) throws {
        let ends = try (0..<Self.threads).map { _ in try WakeUp() }
        for (index, end) in ends.enumerated() {
            try ServiceThread.start {
                body(index)
                end.announce()
            }
        }
        for end in ends { _ = try Readiness.wait(for: [end.descriptor.number], timeoutMilliseconds: -1) }
    }

    @Test("give each worker a row of its own while all rows are being read")
    func rows() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        try atOnce { index in
            let number = Int32(index + 1)
            for round in 0..<Self.rounds / 10 {
                guard let slot = counters.claimWorker(generation: UInt64(number), atMilliseconds: 7) else {
                    Issue.record("no row is free, but there are more rows than threads")
                    return
                }
                counters.nameWorker(slot, processNumber: number)
                counters.setWorker(slot, .busy)
                counters.finishRequest(worker: slot, microseconds: UInt64(round))
                let row = counters.workers.first { $0.slot == slot }
                // If two threads had the row, it would show the number of the other thread or the requests of both.
                #expect(row?.processNumber == number && row?.requests == 1 && row?.state == .busy)
                counters.releaseWorker(slot)
            }
        }
        #expect(counters.workers.isEmpty)
        #expect(counters.latency.count == UInt64(Self.threads * (Self.rounds / 10)))
    }

    @Test("claim one row for the same names in several threads, and lose no count")
    func decisionRows() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        try atOnce { index in
            for round in 0..<200 {
                // Half of the names are the same in all threads.
                let name = round % 2 == 0 ? "shared \(round)" : "own \(index) \(round)"
                guard let row = counters.claimDecisionRow(Self.key(name)) else { continue }
                counters.addDecision(row: row, reason: 1)
                if counters.decisionRow(row)?.key != Self.key(name) {
                    Issue.record("row \(row) is not \(name)")
                }
            }
        }
        let rows = counters.decisionRows
        #expect(rows.count == 100 + Self.threads * 100 && Set(rows.map(\.key)).count == rows.count)
        #expect(rows.map(\.served).reduce(0, +) == UInt64(Self.threads) * 200)
        #expect(
            rows.filter { $0.key.rule.hasPrefix("shared") }.allSatisfy { $0.served == UInt64(Self.threads) }
        )
    }

    private static func key(_ rule: String) -> DecisionRowKey {
        DecisionRowKey(appAppleId: 7, environment: "Production", rule: rule, arm: "")
    }
}
