/// Which word of the shared memory holds what.
struct CounterLayout: Sendable {
    /// One worker's row: state, process, generation, start, requests, last duration, and two words of air so that a row
    /// is a cache line of its own.
    static let slotWords = 8
    /// Room for the code of a refused load, 64 bytes.
    static let codeWords = 8

    let codes: [String]
    // The first four words never move: the program after this one reads the number of the memory and of the last record,
    // whatever else it counts (``FormerCounters``).
    let stampWord = 0
    let startedWord = 1
    /// The number of this memory, and the number of the last decision record.
    let instanceWord = 2
    let sequenceWord = 3
    let counters = 4
    let otherCodes: Int
    let firstCode: Int
    let buckets: Int
    let durationSum: Int
    let gauges: Int
    /// The last load: a version, when it ended, its code.
    let lastReload: Int
    let slots: Int
    let wordCount: Int
    private let codeIndexes: [String: Int]

    init(codes: [String]) {
        precondition(codes.count <= TelemetryLimits.codes, "few enough codes")
        self.codes = codes
        otherCodes = counters + Counter.allCases.count
        firstCode = otherCodes + 1
        buckets = firstCode + codes.count
        durationSum = buckets + LatencyHistogram.edgesMicroseconds.count + 1
        gauges = durationSum + 1
        lastReload = gauges + Gauge.allCases.count
        let end = lastReload + 2 + Self.codeWords
        slots = (end + Self.slotWords - 1) / Self.slotWords * Self.slotWords
        wordCount = slots + TelemetryLimits.workerSlots * Self.slotWords
        codeIndexes = Dictionary(zip(codes, firstCode...)) { first, _ in first }
    }

    func word(of counter: Counter) -> Int {
        counters + (Self.counterIndexes[counter] ?? 0)
    }

    func word(of gauge: Gauge) -> Int {
        gauges + (Gauge.allCases.firstIndex(of: gauge) ?? 0)
    }

    func word(ofCode code: String) -> Int {
        codeIndexes[code] ?? otherCodes
    }

    /// A digest (FNV-1a) of everything that is named, so that two programs share only what both name alike.
    var stamp: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let edges = LatencyHistogram.edgesMicroseconds.map { String($0) }
        let gauges = Gauge.allCases.map(\.rawValue)
        let names =
            Counter.allCases.map(\.rawValue) + ["codes"] + codes + ["edges"] + edges + ["gauges"] + gauges
            + ["last-reload", String(Self.codeWords), "instance", "sequence"]
        for name in names {
            for byte in name.utf8 + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash
    }

    private static let counterIndexes = Dictionary(
        uniqueKeysWithValues: Counter.allCases.enumerated().map { ($1, $0) }
    )
}
