internal import Cryptography
internal import System

/// The counters of the whole pool, all 0 when the pool starts. The raw value is the counter's name in `status` and
/// `metrics`.
package enum Counter: String, Sendable, Hashable, CaseIterable {
    /// Connections that workers accepted from the listening socket.
    case connectionsAccepted = "connections_accepted"
    /// Connections that a worker closed because the bytes on them were not a FastCGI request that the service accepts.
    case connectionsRefused = "connections_refused"
    /// Requests for a retention message, and requests that name no endpoint. Each request is also counted under exactly
    /// one of the four kinds of answers below. Pings and status pages are not counted.
    case requests = "requests"
    /// Requests that the client or nginx gave up while a worker handled them.
    case requestsAborted = "requests_aborted"
    /// Requests that took longer than `slowMilliseconds`.
    case requestsSlow = "requests_slow"
    /// Answers with a message.
    case answersDecided = "answers_decided"
    /// Answers without a message because the rules, a holdout or the kill switch say so. These are not errors.
    case answersNone = "answers_none"
    /// Answers with status 400 to 499.
    case answersRefused = "answers_refused"
    /// Answers with status 500 to 599, except those counted in ``answersNone``.
    case answersFailed = "answers_failed"
    /// Rules that a decision passed over because they are switched off. This counter and the next eight count rules by
    /// the step that failed.
    case rulesDisabled = "rules_disabled"
    /// Rules whose time window has not begun or is over.
    case rulesOutsideWindow = "rules_outside_window"
    /// Rules with a condition that needs a fact the subscriber does not have.
    case rulesUnknown = "rules_unknown"
    /// Rules whose rollout does not include the subscriber.
    case rulesNotInRollout = "rules_not_in_rollout"
    /// Rules without an arm for the subscriber, because the fact that decides the arm was missing.
    case rulesNoArm = "rules_no_arm"
    /// Rules whose offer the caps did not allow.
    case rulesCapped = "rules_capped"
    /// Rules whose message Apple has not approved.
    case rulesUnapproved = "rules_unapproved"
    /// Rules whose message exists in no locale that suits the subscriber.
    case rulesNoLocale = "rules_no_locale"
    /// Rules whose outcome could not be signed.
    case rulesSignFailed = "rules_sign_failed"
    /// Requests refused on arrival because the queue was full. Each also counts under the code `overloaded`.
    case shedQueueFull = "shed_queue_full"
    /// Requests answered with 503 because their deadline had passed.
    case deadlinesPassed = "deadlines_passed"
    /// Requests whose time of receipt from nginx was absent, malformed or impossible. Their deadline ran from the
    /// accept instead.
    case receivedTimesIgnored = "received_times_ignored"
    /// Requests refused because their body was over the limit.
    case bodiesRefused = "bodies_refused"
    /// Certificate chains that a worker had verified before and found in its cache.
    case chainCacheHits = "chain_cache_hits"
    /// Certificate chains that a worker had to verify.
    case chainCacheMisses = "chain_cache_misses"
    /// Certificate chains refused because they had failed verification before.
    case chainFailureHits = "chain_failure_hits"
    /// Certificate chains refused without verification because the budget for new chains was used up.
    case chainBudgetRefusals = "chain_budget_refusals"
    /// How often the wall clock was set by 1.5 seconds or more while the pool ran.
    case clockJumps = "clock_jumps"
    /// Log lines dropped because they could not be written at once.
    case logLinesDropped = "log_lines_dropped"
    /// Log lines held back by a rate limit.
    case logLinesLimited = "log_lines_limited"
    /// Decision records written.
    case decisionsWritten = "decisions_written"
    /// Decision records dropped because they could not be written, or because there was no room for them to wait.
    case decisionsDropped = "decisions_dropped"
    /// Workers started.
    case workersStarted = "workers_started"
    /// Workers that ended without having been told to, that failed while they drained, that did not become ready in
    /// time, or that were stuck.
    case workersCrashed = "workers_crashed"
    /// Workers that were replaced because their loop did not turn for `stuckMilliseconds`. Each also counts in
    /// ``workersCrashed``.
    case workersStuck = "workers_stuck"
    /// Reloads that took effect.
    case reloadsLoaded = "reloads_loaded"
    /// Reloads that were refused.
    case reloadsRefused = "reloads_refused"
}

/// Values about the pool that are not counters: highest values since the pool was started, times, and conditions that
/// the processes share. The raw value is the name in `status`, where `status` shows the gauge.
///
/// The order of the cases is the order in shared memory, as with ``Counter``.
package enum Gauge: String, Sendable, Hashable, CaseIterable {
    /// The highest number of connections that waited at one time for a worker to accept them.
    case listenQueue = "max listen queue"
    /// The highest number of workers that handled a request at one time.
    case activeWorkers = "max active processes"
    /// The time of the last log line about dropped records, in milliseconds of the monotonic clock.
    case dropsLoggedAt = "drops logged at"
    /// The number of times that the supervisor has seen the socket's file name disappear or come back. An odd number
    /// means that the name is gone now, or that another socket has it.
    case socketGone = "socket gone"
    /// The time at which a load last took effect, in milliseconds since 1970; 0 before the first.
    case loadedAt = "loaded at"
    /// How long the last load took, in milliseconds, whether it took effect or was refused.
    case loadMilliseconds = "load milliseconds"
    /// 1 while workers fail as soon as they start.
    case crashLoop = "crash loop"
    /// When the certificate that vouched last ends, in milliseconds since 1970; 0 while none did.
    case leafEnds = "leaf ends"
    case intermediateEnds = "intermediate ends"
    case anchorEnds = "anchor ends"

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
    /// The worker signs an offer. Only requests that are answered with a signed offer have this part.
    case sign
    case send
}

/// A histogram of durations.
package struct LatencyHistogram: Sendable, Hashable {
    /// The inclusive upper edges of the buckets, in microseconds. One more bucket is above the last edge. The service
    /// answers in a fraction of a millisecond, and Apple waits 700 ms.
    package static let edgesMicroseconds: [UInt64] = [
        100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 500_000,
        700_000,
    ]

    /// The number of durations in each bucket. The last bucket is the one above all edges.
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
    /// The words for the code of a refused load, which has at most 64 bytes.
    static let codeWords = 8

    /// The words of one histogram: its buckets, one of them above all edges, and the sum.
    static let histogramWords = LatencyHistogram.edgesMicroseconds.count + 2

    let codes: [String]
    let startedWord = 0
    let counters = 1
    let otherCodes: Int
    let firstCode: Int
    /// The histogram of whole requests, and then one for each phase.
    let histograms: Int
    let gauges: Int
    /// The words for the last load: a version, the time at which the load ended, its refusal code.
    let lastReload: Int
    let slots: Int
    /// The rows that count decisions by rule (``DecisionRow``).
    let decisions: Int
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
        gauges = histograms + (1 + RequestPhase.allCases.count) * Self.histogramWords
        lastReload = gauges + Gauge.allCases.count
        let end = lastReload + 2 + Self.codeWords
        slots = (end + Self.slotWords - 1) / Self.slotWords * Self.slotWords
        decisions = slots + TelemetryLimits.workerSlots * Self.slotWords
        clockOffsets = decisions + TelemetryLimits.decisionRows * DecisionRow.wordCount
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
