import Pool
import Support
import System
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
}
