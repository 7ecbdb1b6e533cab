internal import Glibc

/// Random numbers that come again with the same seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts with a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Starts with the seed in the environment's TEST_SEED, else with a new one; prints it in either case, so that
    /// it is known even when the process ends by a trap.
    public init(for test: String) {
        let given = unsafe getenv("TEST_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): TEST_SEED=\(seed)")
        self.init(seed: seed)
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
