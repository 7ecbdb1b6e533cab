internal import Cryptography
internal import System

/// The counters of the whole pool, all 0 when the pool starts. The raw value is the counter's name in `status` and
/// `metrics`.
package enum Counter: String, Sendable, Hashable, CaseIterable {
    case connectionsAccepted = "connections_accepted"
    case connectionsRefused = "connections_refused"
    case requests = "requests"
    case requestsAborted = "requests_aborted"
    case requestsSlow = "requests_slow"
    case answersDecided = "answers_decided"
    case answersNone = "answers_none"
    case answersRefused = "answers_refused"
    case answersFailed = "answers_failed"
    case rulesDisabled = "rules_disabled"
    case rulesOutsideWindow = "rules_outside_window"
    case rulesUnknown = "rules_unknown"
    case rulesNotInRollout = "rules_not_in_rollout"
    case rulesNoArm = "rules_no_arm"
    case rulesCapped = "rules_capped"
    case rulesUnapproved = "rules_unapproved"
    case rulesNoLocale = "rules_no_locale"
    case rulesSignFailed = "rules_sign_failed"
    case shedQueueFull = "shed_queue_full"
    case deadlinesPassed = "deadlines_passed"
    case receivedTimesIgnored = "received_times_ignored"
    case bodiesRefused = "bodies_refused"
    case chainCacheHits = "chain_cache_hits"
    case chainCacheMisses = "chain_cache_misses"
    case chainFailureHits = "chain_failure_hits"
    case chainBudgetRefusals = "chain_budget_refusals"
    case clockJumps = "clock_jumps"
    case logLinesDropped = "log_lines_dropped"
    case logLinesLimited = "log_lines_limited"
    case decisionsWritten = "decisions_written"
    case decisionsDropped = "decisions_dropped"
    case workersStarted = "workers_started"
    case workersCrashed = "workers_crashed"
    case workersStuck = "workers_stuck"
    case reloadsLoaded = "reloads_loaded"
    case reloadsRefused = "reloads_refused"
}

/// Values about the pool that are not counters: highest values since the pool was started, times, and conditions that
/// the processes share. The raw value is the name in `status`, where `status` shows the gauge.
///
/// The order of the cases is the order in shared memory, as with ``Counter``.
package enum Gauge: String, Sendable, Hashable, CaseIterable {
    case listenQueue = "max listen queue"
    case activeWorkers = "max active processes"
    case dropsLoggedAt = "drops logged at"
    case socketGone = "socket gone"
    case loadedAt = "loaded at"
    case loadMilliseconds = "load milliseconds"
    case crashLoop = "crash loop"
    case leafEnds = "leaf ends"
    case intermediateEnds = "intermediate ends"
    case anchorEnds = "anchor ends"
    case signedDateOffset = "signed date offset"

    init(endOf position: UsedCertificate.Position) {
        self =
            switch position {
            case .leaf: .leafEnds
            case .intermediate: .intermediateEnds
            case .anchor: .anchorEnds
            }
    }
}

/// A part of the work on one request for a retention message. The raw value is the label in the metrics.
///
/// The order of the cases is the order in shared memory, as with ``Counter``.
package enum RequestPhase: String, Sendable, Hashable, CaseIterable {
    case read
    case verify
    case facts
    case decide
    case sign
    case send
}

package struct LatencyHistogram: Sendable, Hashable {
    /// The inclusive upper edges of the buckets, in microseconds. One more bucket is above the last edge. The service
    /// answers in a fraction of a millisecond, and Apple waits 700 ms.
    package static let edgesMicroseconds: [UInt64] = [
        100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 500_000,
        700_000,
    ]

    package let counts: [UInt64]
    package let sumNanoseconds: UInt64

    package var count: UInt64 { counts.reduce(0, &+) }

    /// For each edge, the number of durations that were at most that long; the last value counts all durations.
    /// Prometheus expects cumulative counts.
    package var cumulativeCounts: [UInt64] {
        var sum: UInt64 = 0
        return counts.map { count in
            sum &+= count
            return sum
        }
    }

    static func bucket(ofNanoseconds duration: UInt64) -> Int {
        edges.firstIndex { duration <= $0 } ?? edges.count
    }

    private static let edges = edgesMicroseconds.map { $0 * 1000 }
}

/// The layout of the shared memory: the index of the first word of each part.
struct CounterLayout: Sendable {
    /// The length of one worker's row: state, process, generation, start, requests, last duration and last turn, and an
    /// empty word. So a row fills one cache line.
    static let slotWords = 8

    /// The words of one histogram: its buckets, one of them above all edges, and the sum.
    static let histogramWords = LatencyHistogram.edgesMicroseconds.count + 2

    let codes: [String]
    let startedWord = 0
    let counters = 1
    let otherCodes: Int
    let firstCode: Int
    let histograms: Int
    let gauges: Int
    let slots: Int
    /// The rows that count decisions by rule (``DecisionRow``).
    let decisions: Int
    let wordCount: Int
    private let codeIndexes: [String: Int]

    init(codes: [String]) {
        precondition(codes.count <= TelemetryLimits.codes, "few enough codes")
        self.codes = codes
        otherCodes = counters + Counter.allCases.count
        firstCode = otherCodes + 1
        histograms = firstCode + codes.count
        gauges = histograms + (1 + RequestPhase.allCases.count) * Self.histogramWords
        let end = gauges + Gauge.allCases.count
        slots = (end + Self.slotWords - 1) / Self.slotWords * Self.slotWords
        decisions = slots + TelemetryLimits.workerSlots * Self.slotWords
        wordCount = decisions + TelemetryLimits.decisionRows * DecisionRow.wordCount
        codeIndexes = Dictionary(zip(codes, firstCode...)) { first, _ in first }
    }

    func word(of counter: Counter) -> Int {
        counters + (Self.counterIndexes[counter] ?? 0)
    }

    func word(of gauge: Gauge) -> Int {
        gauges + (Gauge.allCases.firstIndex(of: gauge) ?? 0)
    }

    func histogram(of phase: RequestPhase?) -> Int {
        histograms + (phase.map { (Self.phaseIndexes[$0] ?? 0) + 1 } ?? 0) * Self.histogramWords
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

package enum TelemetryLimits {
    /// The smallest jump of the wall clock that is told, in milliseconds. At a leap second the kernel sets the clock back
    /// by one second. A clock that is corrected little by little changes by at most 1 ms in the two seconds between two
    /// looks.
    static let clockJumpMilliseconds: Int64 = 1_500
    /// The number of workers that can exist at one time: two generations with as many workers as `workers` allows, and
    /// some workers that are ending.
    static let workerSlots = 2304
    static let codes = 256
    /// The number of rows that count decisions by rule. A generation uses at most half of them
    /// (``SharedCounters/decisionRowsOfGeneration``), so that the rules of the generations before keep theirs.
    static let decisionRows = 4096
    /// The longest value in a log line, in characters. A longer value is cut and ends with `…`.
    static let valueCharacters = 1024
}
