internal import Cryptography
internal import System

/// The layout of the shared memory: the index of the first word of each part.
struct CounterLayout: Sendable {
    /// The length of one worker's row: state, process, generation, start, requests, last duration and last turn, and an
    /// empty word. So a row fills one cache line.
    static let slotWords = 8
    /// The words for the code of a refused load, which has at most 64 bytes.
    static let codeWords = 8

    /// The words of one histogram: its buckets, one of them above all edges, and the sum.
    static let histogramWords = LatencyHistogram.edgesMicroseconds.count + 2

    /// The words of a certificate: checksum, last use, end, and fingerprint. So a row fills one cache line.
    static let certificateWords = 8
    static let certificateRows = UsedCertificate.Position.allCases.count * TelemetryLimits.certificates

    let codes: [String]
    let startedWord = 0
    let counters = 1
    let otherCodes: Int
    let firstCode: Int
    /// The histogram of whole requests, and then one for each phase.
    let histograms: Int
    /// A word for each case of ``LostWorker``.
    let lostWorkers: Int
    let gauges: Int
    /// The words for the last load: a version, the time at which the load ended, its refusal code.
    let lastReload: Int
    let slots: Int
    /// The rows that count decisions by rule (``DecisionRow``).
    let decisions: Int
    /// The rows of certificates in use.
    let certificates: Int
    /// The number of offsets of `signedDate` so far, and the latest of them (``ClockOffset``).
    let clockOffsets: Int
    let wordCount: Int
    private let codeIndexes: [String: Int]

    init(codes: [String]) {
        precondition(codes.count <= TelemetryLimits.codes, "few enough codes")
        self.codes = codes
        otherCodes = counters + Counter.allCases.count
        firstCode = otherCodes + 1
        histograms = firstCode + codes.count
        lostWorkers = histograms + (1 + RequestPhase.allCases.count) * Self.histogramWords
        gauges = lostWorkers + LostWorker.allCases.count
        lastReload = gauges + Gauge.allCases.count
        let end = lastReload + 2 + Self.codeWords
        slots = (end + Self.slotWords - 1) / Self.slotWords * Self.slotWords
        decisions = slots + TelemetryLimits.workerSlots * Self.slotWords
        certificates = decisions + TelemetryLimits.decisionRows * DecisionRow.wordCount
        clockOffsets = certificates + Self.certificateRows * Self.certificateWords
        wordCount = clockOffsets + 1 + TelemetryLimits.clockOffsets
        codeIndexes = Dictionary(zip(codes, firstCode...)) { first, _ in first }
    }

    func word(of counter: Counter) -> Int {
        counters + (Self.counterIndexes[counter] ?? 0)
    }

    func word(of gauge: Gauge) -> Int {
        gauges + (Gauge.allCases.firstIndex(of: gauge) ?? 0)
    }

    /// The first word of the histogram of a phase, or of whole requests.
    func histogram(of phase: RequestPhase?) -> Int {
        histograms + (phase.map { (Self.phaseIndexes[$0] ?? 0) + 1 } ?? 0) * Self.histogramWords
    }

    func word(of lost: LostWorker) -> Int {
        lostWorkers + (LostWorker.allCases.firstIndex(of: lost) ?? 0)
    }

    func word(ofCode code: String) -> Int {
        codeIndexes[code] ?? otherCodes
    }

    private static let phaseIndexes = Dictionary(
        uniqueKeysWithValues: RequestPhase.allCases.enumerated().map { ($1, $0) }
    )
    private static let counterIndexes = Dictionary(
        uniqueKeysWithValues: Counter.allCases.enumerated().map { ($1, $0) }
    )
}
