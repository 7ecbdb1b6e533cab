internal import AppStoreSimulator
internal import System
internal import Vocabulary

/// The file in which a simulator keeps its state.
struct SimulatorStateFile {
    let path: String

    /// Reads the state. Returns an empty state when there is no file.
    func read() throws(ToolFailure) -> SimulatorState {
        guard (try? FileStatus(path: path)) != nil else { return SimulatorState() }
        let text = try Input.read(path, limitBytes: SimulatorLimits.stateByteCount)
        return try SimulatorStateError.mapped(
            to: { ToolFailure($0, file: path) },
            try SimulatorState(json: text)
        )
    }

    /// Replaces the file.
    func write(_ state: SimulatorState) throws(ToolFailure) {
        try SystemCallError.mapped(
            to: { ToolFailure(writing: path, $0) },
            try AtomicFile.write(state.json.span, to: path, permissions: 0o600)
        )
    }
}

/// The random numbers of a simulator: the system's, or a sequence that a seed repeats (SplitMix64).
struct SimulatorRandomness: RandomNumberGenerator {
    private var state: UInt64?
    private var system = SystemRandomNumberGenerator()

    init(seed: UInt64?) {
        state = seed
    }

    mutating func next() -> UInt64 {
        guard let previous = state else { return system.next() }
        let current = previous &+ 0x9E37_79B9_7F4A_7C15
        state = current
        var value = current
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
