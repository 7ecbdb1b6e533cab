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

    @Test("have unique names that fit Prometheus")
    func names() {
        let names = Counter.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        let allowed = Set("abcdefghijklmnopqrstuvwxyz_")
        for name in names { #expect(name.allSatisfy { allowed.contains($0) }) }
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

    @Test("show each worker from its start to its end")
    func workers() throws {
        let supervisor = try SharedCounters(codes: [], startedAt: 0)
        let first = try #require(supervisor.claimWorker(generation: 7, atMilliseconds: 1000))
        let second = try #require(supervisor.claimWorker(generation: 7, atMilliseconds: 2000))
        let worker = try Self.share(supervisor, codes: [])
        worker.nameWorker(second, processNumber: 4711)
        worker.setWorker(second, .busy)
        worker.finishRequest(worker: second, microseconds: 80)
        worker.finishRequest(worker: second, microseconds: 90)
        worker.finishRequest(worker: nil, microseconds: 100)
        #expect(supervisor.workers.map(\.slot) == [first, second])
        #expect(supervisor.workers.map(\.state) == [.starting, .busy])
        #expect(supervisor.workers.map(\.processNumber) == [0, 4711])
        #expect(supervisor.workers.map(\.startedMilliseconds) == [1000, 2000])
        #expect(supervisor.workers[1].generation == 7)
        #expect(supervisor.workers[1].requests == 2)
        #expect(supervisor.workers[1].lastRequestMicroseconds == 90)
        #expect(supervisor.latency.count == 3)
        supervisor.releaseWorker(second)
        #expect(supervisor.workers.map(\.slot) == [first])
        // The row is used again and starts from zero.
        #expect(supervisor.claimWorker(generation: 8, atMilliseconds: 3000) == second)
        #expect(supervisor.workers[1].requests == 0)
        #expect(supervisor.workers[1].lastRequestMicroseconds == 0)
        #expect(supervisor.workers[1].processNumber == 0)
        #expect(supervisor.workers[1].generation == 8)
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

    @Test("keep the highest value that any process has seen")
    func gauges() throws {
        let supervisor = try SharedCounters(codes: [], startedAt: 0)
        let worker = try Self.share(supervisor, codes: [])
        for gauge in Gauge.allCases { #expect(worker.highest(gauge) == 0) }
        worker.raise(.listenQueue, to: 7)
        supervisor.raise(.listenQueue, to: 3)
        supervisor.raise(.activeWorkers, to: 2)
        #expect(supervisor.highest(.listenQueue) == 7)
        #expect(worker.highest(.activeWorkers) == 2)
    }

    @Test("say how the last reload ended")
    func lastReload() throws {
        let supervisor = try SharedCounters(codes: [], startedAt: 0)
        let worker = try Self.share(supervisor, codes: [])
        #expect(worker.lastReload == nil)
        let long = String(repeating: "x", count: 70)
        for code in [nil, "needs-restart", "data-file.bad-digest", nil, long] as [String?] {
            supervisor.setLastReload(LastReload(endedMilliseconds: 1_795_225_939_123, refusalCode: code))
            #expect(worker.lastReload?.refusalCode == code?.prefix(64).description)
            #expect(worker.lastReload?.endedMilliseconds == 1_795_225_939_123)
        }
        #expect(worker.value(.requests) == 0 && worker.workers.isEmpty)
    }

    @Test("never show half of a reload's result")
    func lastReloadWhole() throws {
        let supervisor = try SharedCounters(codes: [], startedAt: 0)
        let worker = try Self.share(supervisor, codes: [])
        let codes = ["a", "b"].map { String(repeating: $0, count: 64) }
        let writing = try JoinableThread {
            for round in 0..<20_000 {
                let code = codes[round % 2]
                supervisor.setLastReload(LastReload(endedMilliseconds: Int64(round % 2), refusalCode: code))
            }
        }
        for _ in 0..<20_000 {
            guard let seen = worker.lastReload else { continue }
            #expect(seen.refusalCode == codes[Int(seen.endedMilliseconds)])
        }
        writing.join()
    }

    @Test("ignore rows that do not exist, and return nil when no row is free")
    func rows() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        for slot in [-1, 1 << 20, Int.max, Int.min] {
            counters.nameWorker(slot, processNumber: 1)
            counters.setWorker(slot, .idle)
            counters.finishRequest(worker: slot, microseconds: 1)
            counters.releaseWorker(slot)
        }
        #expect(counters.workers.isEmpty)
        #expect(counters.latency.count == 4)
        var claimed = 0
        while counters.claimWorker(generation: 1, atMilliseconds: 0) != nil { claimed += 1 }
        #expect(claimed == 2304)
        counters.releaseWorker(17)
        #expect(counters.claimWorker(generation: 1, atMilliseconds: 0) == 17)
    }
}
