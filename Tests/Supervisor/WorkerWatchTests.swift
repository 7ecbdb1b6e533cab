@testable import Pool
import Testing

@Suite("The watch over the workers")
struct WorkerWatchTests {
    /// A watch that looks every two seconds, and the workers 1 and 2.
    private struct Bench {
        var watch = WorkerWatch(limit: 10_000, pause: 2_000)
        var now: Int64 = 5_000
        var turns: [Int: UInt64] = [1: 7, 2: 9]

        /// Lets time pass, lets the loops of some workers turn, and looks.
        mutating func look(after milliseconds: Int64, turning: [Int] = []) -> [Int] {
            now += milliseconds
            for id in turning { turns[id, default: 0] += 1 }
            return watch.look(at: now, turns)
        }
    }

    @Test("names a worker once when its loop has not turned for ten seconds")
    func silence() {
        var bench = Bench()
        #expect(bench.watch.nextLook == 0)
        #expect(bench.look(after: 0).isEmpty)
        #expect(bench.watch.nextLook == bench.now + 2_000)
        for _ in 0..<4 { #expect(bench.look(after: 2_000, turning: [1]).isEmpty) }
        #expect(bench.look(after: 2_000, turning: [1]) == [2])
        for _ in 0..<10 { #expect(bench.look(after: 2_000, turning: [1]).isEmpty) }
        // Another worker in its place starts anew.
        bench.turns = [1: 100, 3: 0]
        #expect(bench.look(after: 2_000).isEmpty)
        for _ in 0..<4 { #expect(bench.look(after: 2_000).isEmpty) }
        #expect(bench.look(after: 2_000) == [1, 3])
    }

    @Test("holds no time against a worker in which the supervisor stood still", arguments: [0, 1, 3])
    func suspension(looksBefore: Int) {
        var bench = Bench()
        #expect(bench.look(after: 0).isEmpty)
        for _ in 0..<looksBefore { #expect(bench.look(after: 2_000).isEmpty) }
        // An hour passes without a look, and of it only the regular pause counts.
        #expect(bench.look(after: 3_600_000).isEmpty)
        for _ in 0..<10 { #expect(bench.look(after: 2_000, turning: [1, 2]).isEmpty) }
        // A clock that goes back counts as no time.
        #expect(bench.look(after: -1_000_000).isEmpty)
    }
}
