import Support
import System
import Telemetry
import Testing

@Suite("The waits of the workers")
struct LeastWaitTests {
    @Test("find the least busy worker also behind the free rows of an old generation")
    func leastWaitAfterReload() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        func claim() throws -> Int {
            let slot = try #require(counters.claimWorker(generation: 1, atMilliseconds: 0))
            counters.setWorker(slot, .busy)
            counters.setWait(worker: slot, microseconds: UInt64(slot))
            return slot
        }
        func least(besides slot: Int) -> UInt64? {
            counters.leastWait(besides: slot, atNanoseconds: 0, neglectedSince: nil)
        }
        let old = try (0..<20).map { _ in try claim() }
        let new = try (0..<20).map { _ in try claim() }
        for slot in old { counters.releaseWorker(slot) }
        #expect(least(besides: new[0]) == 21 && least(besides: new[19]) == 20)
        let recycled = try claim()
        #expect(recycled == 0 && least(besides: recycled) == 20)
    }

    @Test("find the least busy of the other workers that accept connections")
    func leastWait() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let slots = try (0..<4).map { _ in
            try #require(counters.claimWorker(generation: 1, atMilliseconds: 0))
        }
        func least(besides slot: Int) -> UInt64? {
            counters.leastWait(besides: slot, atNanoseconds: 0, neglectedSince: nil)
        }
        #expect(least(besides: slots[0]) == nil, "the others have not started yet")
        for (slot, wait) in zip(slots, [5, 300, 200, 100] as [UInt64]) {
            counters.setWorker(slot, slot % 2 == 0 ? .idle : .busy)
            counters.setWait(worker: slot, microseconds: wait)
        }
        #expect(slots.map { least(besides: $0) } == [100, 5, 5, 5])
        counters.setWorker(slots[3], .draining)
        #expect(least(besides: slots[0]) == 200)
        counters.releaseWorker(slots[2])
        #expect(least(besides: slots[0]) == 300)
        #expect(counters.workers.map(\.waitMicroseconds) == [5, 300, 100])
        // A worker that takes over a row starts without a wait.
        #expect(counters.claimWorker(generation: 1, atMilliseconds: 0) == slots[2])
        counters.setWorker(slots[2], .idle)
        #expect(least(besides: slots[0]) == 0)
        #expect(counters.lastTurn(ofWorker: slots[2]) == 0)
        counters.noteTurn(worker: slots[2], atNanoseconds: 7)
        #expect(counters.lastTurn(ofWorker: slots[2]) == 7 && counters.lastTurn(ofWorker: -1) == nil)
    }

    @Test("do not count a worker that stands still among the least busy ones")
    func standingStill() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let slots = try (0..<3).map { _ in
            try #require(counters.claimWorker(generation: 1, atMilliseconds: 0))
        }
        let second: UInt64 = 1_000_000_000
        for (slot, wait) in zip(slots, [0, 50, 300] as [UInt64]) {
            counters.setWorker(slot, .busy)
            counters.setWait(worker: slot, microseconds: wait)
            counters.noteTurn(worker: slot, atNanoseconds: 10 * second)
        }
        func least(after milliseconds: UInt64, neglectedSince: UInt64? = nil) -> UInt64? {
            counters.leastWait(
                besides: slots[0],
                atNanoseconds: 10 * second + milliseconds * 1_000_000,
                neglectedSince: neglectedSince
            )
        }
        #expect(least(after: 100) == 50)
        // A busy worker turns all the time.
        counters.noteTurn(worker: slots[2], atNanoseconds: 11 * second)
        #expect(least(after: 101) == 300 && least(after: 1_100) == 300 && least(after: 1_101) == nil)
        // An idle one sleeps, but wakes up when connections wait.
        counters.setWorker(slots[1], .idle)
        #expect(least(after: 60_000) == 50)
        #expect(least(after: 60_000, neglectedSince: 10 * second) == 50)
        #expect(least(after: 60_000, neglectedSince: 10 * second + 1) == nil)
    }
}
