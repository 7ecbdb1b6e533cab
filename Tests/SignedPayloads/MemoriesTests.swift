import Testing

@testable import SignedPayloads

@Suite("The bounded memories of a verifier")
struct MemoriesTests {
    @Test("drop the value that was not used for the longest time, not the oldest value")
    func recency() {
        var memory = LeastRecentlyUsed<Int, String>(capacity: 3)
        for key in 1...3 { memory.insert("\(key)", for: key) }
        #expect(memory.value(for: 1) == "1")
        memory.insert("4", for: 4)
        #expect(memory.count == 3)
        #expect(memory.value(for: 2) == nil)
        #expect(memory.value(for: 1) == "1")
        // Replacing a value counts as a use and drops no other value.
        memory.insert("new", for: 3)
        #expect(memory.count == 3)
        memory.insert("5", for: 5)
        #expect(memory.value(for: 4) == nil)
        #expect([1, 3, 5].map { memory.value(for: $0) } == ["1", "new", "5"])
    }

    @Test("hold at least one value")
    func capacity() {
        var memory = LeastRecentlyUsed<Int, Int>(capacity: 0)
        memory.insert(1, for: 1)
        #expect(memory.value(for: 1) == 1)
        memory.insert(2, for: 2)
        #expect(memory.value(for: 1) == nil)
        #expect(memory.count == 1)
    }

    @Test("for tokens are refilled to the millisecond, up to the burst, and not by a clock that goes back")
    func tokens() {
        var bucket = TokenBucket(ChainBudget(burst: 2, perSecond: 10))
        func take(_ bucket: inout TokenBucket, at milliseconds: Int64, _ count: Int) -> Int {
            (0..<count).count { _ in bucket.take(nowMilliseconds: milliseconds) }
        }
        #expect(take(&bucket, at: 1000, 5) == 2)
        #expect(take(&bucket, at: 1099, 1) == 0)
        #expect(take(&bucket, at: 1100, 2) == 1)
        #expect(take(&bucket, at: 1250, 2) == 1)
        #expect(take(&bucket, at: 1300, 2) == 1, "a fraction of a token is lost")
        #expect(take(&bucket, at: 900_000_000, 5) == 2)
        #expect(take(&bucket, at: 900_000_000 - 10_000, 1) == 0)
        #expect(take(&bucket, at: 900_000_000 - 9_900, 2) == 1)
        #expect(take(&bucket, at: .min, 2) == 0)
        #expect(take(&bucket, at: .max, 5) == 2)
        var none = TokenBucket(ChainBudget(burst: 0, perSecond: 10))
        #expect(take(&none, at: 0, 1) + take(&none, at: 100_000, 1) == 0)
        var all = TokenBucket(.unlimited)
        #expect(take(&all, at: 0, 1000) == 1000)
    }
}
