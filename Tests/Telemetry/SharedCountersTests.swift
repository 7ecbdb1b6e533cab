import Support
import System
import Telemetry
import Testing

@Suite("Shared counters")
struct SharedCountersTests {
    static let codes = ["no-answer", "app-unknown"]

    static func share(_ counters: SharedCounters, codes: [String] = codes) throws -> SharedCounters {
        let original = FileDescriptor(takingOwnership: counters.descriptorNumber)
        let copy = try original.duplicate()
        _ = original.release()
        return try SharedCounters(inheriting: copy, codes: codes)
    }

    @Test("start at zero, and every process counts in them")
    func counting() throws {
        let supervisor = try SharedCounters(codes: Self.codes, startedAt: 1_795_225_939_123)
        let worker = try Self.share(supervisor)
        for counter in Counter.allCases { #expect(worker.value(counter) == 0) }
        #expect(worker.startedMilliseconds == 1_795_225_939_123)
        for (index, counter) in Counter.allCases.enumerated() { worker.add(counter, UInt64(index) + 1) }
        supervisor.add(.requests)
        for (index, counter) in Counter.allCases.enumerated() where counter != .requests {
            #expect(supervisor.value(counter) == UInt64(index) + 1)
        }
        #expect(worker.value(.requests) == supervisor.value(.requests))
        worker.add(code: "app-unknown")
        worker.add(code: "app-unknown")
        supervisor.add(code: "never-heard-of")
        #expect(supervisor.codes.map(\.code) == ["no-answer", "app-unknown", "other"])
        #expect(supervisor.codes.map(\.count) == [0, 2, 1])
    }

    @Test("stay when the worker that counted is gone")
    func survival() throws {
        let supervisor = try SharedCounters(codes: Self.codes, startedAt: 0)
        do {
            let worker = try Self.share(supervisor)
            worker.add(.answersDecided, 5)
            worker.observe(nil, nanoseconds: 90 * 1000)
        }
        let next = try Self.share(supervisor)
        next.add(.answersDecided)
        #expect(supervisor.value(.answersDecided) == 6)
        #expect(supervisor.latency.count == 1)
    }

    @Test("put durations into buckets that include their upper edge, for each phase apart")
    func buckets() throws {
        let edges = LatencyHistogram.edgesMicroseconds
        #expect(
            edges == edges.sorted() && Set(edges).count == edges.count && edges.first == 100
                && edges.last == 700_000
        )
        for (index, phase) in ([nil] + RequestPhase.allCases).enumerated() {
            let counters = try SharedCounters(codes: [], startedAt: 0)
            for (bucket, edge) in edges.enumerated() {
                for nanoseconds in [edge * 1000, edge * 1000 + 1] {
                    let before = counters.latency(of: phase)
                    counters.observe(phase, nanoseconds: nanoseconds)
                    let after = counters.latency(of: phase)
                    let expected = nanoseconds == edge * 1000 ? bucket : bucket + 1
                    #expect(zip(before.counts, after.counts).map { $1 - $0 }.firstIndex(of: 1) == expected)
                    #expect(after.count == before.count + 1)
                    #expect(after.sumNanoseconds == before.sumNanoseconds + nanoseconds)
                }
            }
            let others = ([nil] + RequestPhase.allCases).enumerated().filter { $0.offset != index }
            #expect(others.allSatisfy { counters.latency(of: $0.element).count == 0 })
            #expect(counters.latency(of: phase).cumulativeCounts.last == UInt64(2 * edges.count))
        }
    }

    @Test("do not change while workers start, count nothing and end, in every row of the table")
    func noDrift() throws {
        let supervisor = try SharedCounters(codes: Self.codes, startedAt: 1000)
        for (index, counter) in Counter.allCases.enumerated() { supervisor.add(counter, UInt64(index) + 1) }
        for (index, gauge) in Gauge.allCases.enumerated() { supervisor.raise(gauge, to: UInt64(index) + 1) }
        for code in Self.codes + ["another"] { supervisor.add(code: code) }
        for microseconds: UInt64 in [1, 30_000, 900_000] {
            supervisor.observe(nil, nanoseconds: microseconds * 1000)
        }
        supervisor.setLastReload(LastReload(endedMilliseconds: 2000, refusalCode: "needs-restart"))
        let counted = Self.everything(supervisor)
        for round in 1...3 {
            var slots: [Int] = []
            while let slot = supervisor.claimWorker(generation: .max, atMilliseconds: -1) {
                slots.append(slot)
            }
            #expect(slots.count == 2304, "round \(round)")
            let worker = try Self.share(supervisor)
            for slot in slots {
                worker.nameWorker(slot, processNumber: -1)
                worker.setWorker(slot, .draining)
            }
            #expect(Self.everything(worker) == counted, "round \(round)")
            for slot in slots { supervisor.releaseWorker(slot) }
            #expect(Self.everything(supervisor) == counted, "round \(round)")
        }
    }

    /// All values that outlive a worker.
    private static func everything(_ counters: SharedCounters) -> [String] {
        let named = Counter.allCases.map { "\($0) \(counters.value($0))" }
        let gauges = Gauge.allCases.map { "\($0) \(counters.highest($0))" }
        let reload = counters.lastReload
        return named + gauges + counters.codes.map { "\($0.code) \($0.count)" } + [
            "\(counters.latency.counts) \(counters.latency.sumNanoseconds)",
            "\(counters.startedMilliseconds)",
            "\(reload?.endedMilliseconds ?? 0) \(reload?.refusalCode ?? "")",
        ]
    }
}
