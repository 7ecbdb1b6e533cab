import Cryptography
@testable import SignedPayloads
import Support
import Testing

/// One worker's share of a flood of invented chains and of the requests with a new genuine leaf certificate. The time
/// is simulated.
private struct Flood {
    var admission = ChainAdmission(.unseen, returning: .returning)
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
    /// come again, because the verifier remembers it. The genuine chain comes about ten times a second after the first
    /// `head` milliseconds. All requests come at random moments. With `untilAdmitted` the run ends when the genuine
    /// chain is admitted.
    mutating func run(seconds: Int, perSecond: Int, times: Int, head: Int64 = 0, untilAdmitted: Bool = false)
    {
        // The attacker mixes 32 chains, so that the requests with the same chain do not follow each other.
        var waiting: [(digest: SHA256Digest, left: Int)] = []
        var next = 0
        var milliseconds = 0.0
        let pause = 1000 / Double(perSecond + 10)
        while milliseconds < Double(seconds * 1000) {
            milliseconds += Double.random(in: 0...2 * pause, using: &random)
            let now = 1_780_315_200_000 + Int64(milliseconds)
            if Int.random(in: 0..<perSecond + 10, using: &random) < 10 {
                guard admittedAt == nil, Int64(milliseconds) >= head,
                    admission.admit(Self.genuine, nowMilliseconds: now)
                else { continue }
                admittedAt = Int64(milliseconds) - head
                verified += 1
                if untilAdmitted { return }
                continue
            }
            while waiting.count < 32 {
                waiting.append((Self.invented(next), times))
                next += 1
            }
            let index = Int.random(in: 0..<32, using: &random)
            waiting[index].left -= 1
            let isAdmitted = admission.admit(waiting[index].digest, nowMilliseconds: now)
            if isAdmitted { verified += 1 }
            if isAdmitted || waiting[index].left == 0 { waiting.remove(at: index) }
        }
    }
}

@Suite("A new leaf certificate in a flood of invented chains")
struct ChainAdmissionTests {
    /// Simulates two workers and takes the earlier admission, because each worker tells the others. The random numbers
    /// come from fixed seeds, so the bounds are exact.
    @Test(
        "is verified soon when each invented chain comes several times",
        arguments: [2, 4, 8, 16, 32, 64, 200]
    )
    func repeated(times: Int) throws {
        var admitted: [Int64] = []
        for seed in UInt64(1)...40 {
            let workers = (UInt64(0)...1).map { worker in
                var one = Flood(random: SeededGenerator(seed: 2 * seed + worker))
                one.run(seconds: 10, perSecond: 1000, times: times, head: 1000, untilAdmitted: true)
                return one.admittedAt ?? .max
            }
            admitted.append(try #require(workers.min()))
        }
        admitted.sort()
        #expect(admitted[20] <= 1000, "\(admitted)")
        #expect(admitted[36] <= 4000, "\(admitted)")
    }
}
