import Support
import System
import Telemetry
import Testing

@Suite("The rows that count decisions")
struct DecisionRowTests {
    private static func key(_ rule: String, _ arm: String = "", app: Int64 = 7) -> DecisionRowKey {
        DecisionRowKey(appAppleId: app, environment: "Production", rule: rule, arm: arm)
    }

    @Test(
        "are the same for every worker that claims the same names, and keep the counts of a worker that is gone"
    )
    func sharing() throws {
        let supervisor = try SharedCounters(codes: [], startedAt: 0)
        let keys = [
            Self.key("a"), Self.key("a", "b"), Self.key("ab"), Self.key("", "ab"), Self.key("a", app: 8),
            Self.key("a", app: -8), DecisionRowKey(appAppleId: 7, environment: "Sandbox", rule: "a"),
            Self.key("é\"\\\n"), Self.key(String(repeating: "x", count: 100)), .everythingElse,
        ]
        let rows: [Int]
        do {
            let worker = try SharedCountersTests.share(supervisor, codes: [])
            rows = keys.compactMap { worker.claimDecisionRow($0) }
            #expect(Set(rows).count == keys.count)
            for (index, row) in rows.enumerated() {
                for _ in 0...index { worker.addDecision(row: row, reason: index) }
                worker.addPassedOver(row: row, UInt64(index))
            }
        }
        let next = try SharedCountersTests.share(supervisor, codes: [])
        #expect(keys.reversed().compactMap { next.claimDecisionRow($0) } == rows.reversed())
        #expect(next.usedDecisionRowCount == keys.count && next.decisionRows.count == keys.count)
        for (index, row) in rows.enumerated() {
            let found = try #require(next.decisionRow(row))
            #expect(found.key == keys[index] && found.index == row)
            #expect(found.served == UInt64(index + 1) && found.decisions[index] == found.served)
            #expect(found.passedOver == UInt64(index))
        }
    }

    @Test("are not given to names that are too long, and to nobody when all are taken")
    func limits() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let longest = DecisionRow.textByteCount - "Production".utf8.count
        #expect(counters.claimDecisionRow(Self.key(String(repeating: "x", count: longest + 1))) == nil)
        let row = try #require(
            counters.claimDecisionRow(Self.key(String(repeating: "x", count: longest - 1), "y"))
        )
        #expect(counters.decisionRow(row)?.key.arm == "y")
        var count = 1
        while counters.claimDecisionRow(Self.key("r\(count)")) != nil { count += 1 }
        #expect(count == SharedCounters.decisionRowCount && counters.usedDecisionRowCount == count)
        #expect(SharedCounters.decisionRowsOfGeneration * 2 == count)
        #expect(counters.claimDecisionRow(Self.key("r1")) != nil, "rows that are taken are still found")
        for wrong in [-1, SharedCounters.decisionRowCount, .max, .min] {
            counters.addDecision(row: wrong, reason: 0)
            counters.addPassedOver(row: wrong, 1)
            #expect(counters.decisionRow(wrong) == nil)
        }
        for wrong in [-1, DecisionRow.reasonCount, .max] { counters.addDecision(row: row, reason: wrong) }
        #expect(counters.decisionRows.allSatisfy { $0.served == 0 && $0.passedOver == 0 })
    }
}

@Suite("Workers that should not have ended")
struct LostWorkerTests {
    @Test("are counted by their signal")
    func signals() throws {
        let rows: [(ChildExit, LostWorker)] = [
            (.signalled(11), .segmentationFault), (.signalled(7), .busError),
            (.signalled(4), .illegalInstruction),
            (.signalled(5), .trap), (.signalled(6), .abort), (.signalled(9), .kill),
            (.signalled(15), .otherSignal),
            (.signalled(0), .otherSignal), (.exited(0), .none), (.exited(70), .none), (.exited(11), .none),
        ]
        let counters = try SharedCounters(codes: [], startedAt: 0)
        for (exit, expected) in rows {
            let before = counters.value(expected)
            counters.add(LostWorker(exit))
            #expect(counters.value(expected) == before + 1, "\(exit)")
        }
        #expect(LostWorker.allCases.map { counters.value($0) }.reduce(0, +) == UInt64(rows.count))
    }
}
