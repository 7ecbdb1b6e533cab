internal import System

package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Starts with the seed of a test and prints it, so that it is known even when the process ends by a trap.
    ///
    /// The gate uses the same seed for a test each time; it is derived from the test's name. With
    /// `RETENTION_LONG_TESTS=1` in the environment each run uses a new seed. `TEST_SEED` sets the seed, so that a run
    /// can be repeated with a seed that was printed.
    package init(for test: String) {
        let seed = Self.seed(
            for: test,
            given: ProcessEnvironment.value(of: "TEST_SEED").flatMap { UInt64($0) },
            isNew: ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"
        )
        print("\(test): TEST_SEED=\(seed)")
        self.init(seed: seed)
    }

    /// Returns the seed of a test: `given` when there is one, else a new seed when `isNew` is true, else the test's own
    /// seed (FNV-1a of its name).
    package static func seed(for test: String, given: UInt64?, isNew: Bool) -> UInt64 {
        if let given { return given }
        if isNew { return UInt64.random(in: 0...UInt64.max) }
        return test.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
