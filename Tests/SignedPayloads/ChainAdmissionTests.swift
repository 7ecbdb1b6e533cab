import Cryptography
import Support
import Testing

@testable import SignedPayloads

/// One worker's share of a flood of invented chains and of the requests with a new genuine leaf certificate. The time
/// is simulated.
private struct Flood {
    var admission = ChainAdmission(.knownIntermediate, returning: .returning, seed: 7)
    var random: SeededGenerator
    /// When the genuine chain was admitted, in milliseconds after `head`; nil before that.
    var admittedAt: Int64?
    var verified = 0

    static let genuine = SHA256.hash("genuine".utf8Span.span)

    static func invented(_ number: Int) -> SHA256Digest {
        let name = "invented \(number)"
        return SHA256.hash(name.utf8Span.span)
    }

    /// Sends `perSecond` requests a second with invented chains, each chain `times` times. An admitted chain does not
    /// come again, because the verifier remembers it. The genuine chain comes about ten times a second at random
    /// moments after the first `head` milliseconds. With `untilAdmitted` the run ends when the genuine chain is
    /// admitted.
    mutating func run(seconds: Int, perSecond: Int, times: Int, head: Int = 0, untilAdmitted: Bool = false) {
        // The attacker mixes 32 chains, so that the requests with the same chain do not follow each other.
        var waiting: [(number: Int, left: Int)] = []
        var next = 0
        for millisecond in 0..<(seconds * 1000) {
            let now = 1_780_315_200_000 + Int64(millisecond)
            for _ in 0..<(perSecond / 1000) {
                while waiting.count < 32 {
                    waiting.append((next, times))
                    next += 1
                }
                let index = Int(random.next() % 32)
                waiting[index].left -= 1
                let isAdmitted = admission.admit(Self.invented(waiting[index].number), nowMilliseconds: now)
                if isAdmitted { verified += 1 }
                if isAdmitted || waiting[index].left == 0 { waiting.remove(at: index) }
            }
            if admittedAt == nil, millisecond >= head, random.next() % 100 == 0,
                admission.admit(Self.genuine, nowMilliseconds: now)
            {
                admittedAt = Int64(millisecond - head)
                verified += 1
                if untilAdmitted { return }
            }
        }
    }
}

@Suite("A new leaf certificate in a flood of invented chains")
struct ChainAdmissionTests {
    @Test(
        "is verified within two seconds when each invented chain comes once",
        arguments: 1...20,
        [1000, 10_000]
    )
    func distinct(seed: UInt64, perSecond: Int) throws {
        var flood = Flood(random: SeededGenerator(seed: seed))
        flood.run(seconds: 2, perSecond: perSecond, times: 1)
        let admitted = try #require(flood.admittedAt)
        #expect(admitted < 2000)
        // The burst, ten chains a second, and the genuine chain.
        #expect(flood.verified <= 12 + 20 + 1)
    }

    /// Simulates two workers and takes the earlier admission, because each worker tells the others. The random numbers
    /// come from fixed seeds, so the bounds are exact.
    @Test(
        "is verified soon when each invented chain comes several times",
        arguments: [
            (2, 500, 1000), (4, 1000, 1500), (8, 1500, 2000), (12, 1500, 2000), (16, 1000, 4000),
            (24, 1000, 4000), (32, 1000, 4000), (64, 1000, 4000), (200, 1000, 4000),
        ]
    )
    func repeated(flood: (times: Int, medianMilliseconds: Int64, mostMilliseconds: Int64)) throws {
        var times: [Int64] = []
        for seed in UInt64(1)...20 {
            let workers = (UInt64(0)...1).map { worker in
                var one = Flood(random: SeededGenerator(seed: 2 * seed + worker))
                one.run(seconds: 8, perSecond: 1000, times: flood.times, head: 1000, untilAdmitted: true)
                return one.admittedAt ?? .max
            }
            times.append(try #require(workers.min()))
        }
        times.sort()
        #expect(times[10] <= flood.medianMilliseconds, "\(times)")
        #expect(times[18] <= flood.mostMilliseconds, "\(times)")
    }

    @Test("does not cost more verifications than the budgets allow", arguments: [1, 2, 8, 16, 32, 64, 200])
    func cost(times: Int) {
        var flood = Flood(random: SeededGenerator(seed: 5))
        flood.run(seconds: 4, perSecond: 1000, times: times)
        let (first, returning) = (ChainBudget.knownIntermediate, ChainBudget.returning)
        // Chains that come k times reach only the rungs up to k.
        let rungs = min(times.bitWidth - 1 - times.leadingZeroBitCount, SignedPayloadsLimits.returningRungs)
        let bursts = first.burst + returning.burst * rungs
        #expect(flood.verified <= bursts + 4 * (first.perSecond + returning.perSecond * rungs) + 1)
    }

    @Test("is verified at its second request, whatever chains came in between")
    func second() {
        var admission = ChainAdmission(
            ChainBudget(burst: 0, perSecond: 0),
            returning: .returning,
            seed: 1
        )
        #expect(admission.admit(Flood.genuine, nowMilliseconds: 0) == false)
        for number in 0..<300 {
            #expect(admission.admit(Flood.invented(number), nowMilliseconds: 1) == false)
        }
        #expect(admission.admit(Flood.genuine, nowMilliseconds: 2) == true)
    }

    @Test("draws once on each rung, which only chains that came equally often share")
    func rungs() {
        let found = (0...130).compactMap { count in ChainAdmission.rung(of: count).map { [count, $0] } }
        #expect(found == [[2, 0], [4, 1], [8, 2], [16, 3], [32, 4], [64, 5], [128, 5]])
        var admission = ChainAdmission(
            ChainBudget(burst: 0, perSecond: 0),
            returning: ChainBudget(burst: 1, perSecond: 0),
            seed: 1
        )
        var admitted: [Int] = []
        for number in 0..<8 {
            for count in 1...200 where admission.admit(Flood.invented(number), nowMilliseconds: 0) {
                admitted.append(count)
                break
            }
        }
        #expect(admitted == [2, 4, 8, 16, 32, 64])
    }

    @Test("keeps its count for two seconds while any number of other chains come once")
    func countAmongSingles() {
        var table = DeferredChains(seed: 3)
        #expect(table.note(Flood.genuine, nowMilliseconds: 0) == 1)
        #expect(table.note(Flood.genuine, nowMilliseconds: 1) == 2)
        for number in 0..<20_000 { #expect(table.note(Flood.invented(number), nowMilliseconds: 2) == 1) }
        #expect(table.note(Flood.genuine, nowMilliseconds: 2001) == 3)
        // A chain that has not come for two seconds can be forgotten for another chain; after ten seconds it counts as
        // new.
        for number in 0..<20_000 { _ = table.note(Flood.invented(number), nowMilliseconds: 4002) }
        #expect(table.note(Flood.genuine, nowMilliseconds: 4003) == 1)
        #expect(table.note(Flood.genuine, nowMilliseconds: 14_003) == 2)
        #expect(table.note(Flood.genuine, nowMilliseconds: 24_004) == 1)
        #expect(table.note(Flood.genuine, nowMilliseconds: 24_005) == 2)
        table.forget(Flood.genuine)
        #expect(table.note(Flood.genuine, nowMilliseconds: 24_006) == 1)
    }

    @Test("keeps its count while other chains come twice")
    func countAmongPairs() {
        var table = DeferredChains(seed: 3)
        for count in 1...50 {
            #expect(table.note(Flood.genuine, nowMilliseconds: Int64(100 * count)) == count)
            for number in 0..<50 {
                for _ in 0..<2 {
                    _ = table.note(
                        Flood.invented(count * 50 + number),
                        nowMilliseconds: Int64(100 * count + number)
                    )
                }
            }
        }
    }

    @Test("is counted without a trap when the clock has extreme values")
    func clocks() {
        var table = DeferredChains(seed: 3)
        for (index, now) in [Int64.min, .max, -1, 0, 1, .max, .min].enumerated() {
            _ = table.note(Flood.invented(index), nowMilliseconds: now)
            #expect(table.note(Flood.genuine, nowMilliseconds: now) >= 1)
        }
        #expect(table.note(Flood.genuine, nowMilliseconds: 0xFFFF_FFFF) >= 1)
        #expect(table.note(Flood.genuine, nowMilliseconds: 0x1_0000_0000) >= 2, "the low 32 bits wrap around")
    }
}
