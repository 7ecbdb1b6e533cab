internal import Answers
internal import Cryptography
internal import DataFiles
internal import Decisions
internal import FastCGI
internal import Loader
internal import System
internal import Telemetry
internal import Vocabulary

/// One scrape of the pool: the counters that all workers share, and the generation of the worker that answers.
struct PoolMetrics {
    let generation: Generation
    let counters: SharedCounters
    let tally: DecisionTally
    /// The listening socket's queue; nil where the kernel does not report it.
    let queue: ListenQueue?

    /// Returns the text of the scrape.
    func text() -> [UInt8] {
        var text = MetricText()
        for metric in PoolMetric.allCases {
            text.begin(metric.family)
            write(metric, to: &text)
        }
        return text.finished()
    }

    /// Writes the samples of a metric; none when its value is not known.
    private func write(_ metric: PoolMetric, to text: inout MetricText) {
        switch metric {
        case .buildInfo:
            text.sample([ProductVersion.text, CryptographyLibrary.version, FastCGILibrary.version], 1)
        case .startTime: text.sample(decimal: MetricText.seconds(counters.startedMilliseconds))
        case .requests: requests(&text)
        case .requestDuration: histogram([], counters.latency, &text)
        case .phaseDuration:
            for phase in RequestPhase.allCases {
                histogram([phase.rawValue], counters.latency(of: phase), &text)
            }
        case .decisions: decisions(&text)
        case .rulesPassedOver:
            for (step, counter) in Self.steps { text.sample([step], counters.value(counter)) }
        case .decisionSeries: text.sample(counters.usedDecisionRowCount)
        case .decisionSeriesLimit: text.sample(SharedCounters.decisionRowCount)
        case .rulesLoaded, .rulesInfo, .factsBuildTimestamp, .factsRows: files(metric, &text)
        case .reloads, .lastReloadSuccessful, .lastReloadSuccessTimestamp, .reloadDuration:
            reload(metric, &text)
        case .workers, .workersStarted, .workerRestarts, .workersStuck, .crashLoop, .socketUp:
            processes(metric, &text)
        case .listenQueue: if let queue { text.sample(queue.waitingCount) }
        case .listenQueueLimit: if let queue { text.sample(queue.limitCount) }
        case .connections:
            text.sample(["accepted"], counters.value(.connectionsAccepted))
            text.sample(["refused"], counters.value(.connectionsRefused))
        case .shed: for (why, count) in counters.shed { text.sample([why], count) }
        case .chainCache:
            for (result, counter) in Self.chainResults { text.sample([result], counters.value(counter)) }
        case .certificateEnd:
            for (position, end) in CertificateSightings.ends(counters.certificatesInUse) {
                text.sample([position.rawValue], decimal: MetricText.seconds(end))
            }
        case .signedDateOffset:
            let now = Int64(Clock.bootNanoseconds() / 1_000_000)
            if let offset = counters.clockOffset(atMilliseconds: now) {
                text.sample(decimal: MetricText.seconds(offset))
            }
        case .revocationState:
            // 0 is the state of a certificate that is not checked, and no other exists with `revocation` off.
            for (position, _) in CertificateSightings.ends(counters.certificatesInUse)
            where position != .anchor {
                text.sample([position.rawValue], 0)
            }
        case .clockJumps, .aborted, .slow, .receivedTimesIgnored, .decisionsWritten, .decisionsDropped,
            .decisionsTorn, .logLinesDropped, .logLinesLimited:
            if let counter = Self.simple[metric] { text.sample(counters.value(counter)) }
        }
    }

    /// The metrics that are one counter without labels.
    private static let simple: [PoolMetric: Counter] = [
        .clockJumps: .clockJumps, .aborted: .requestsAborted, .slow: .requestsSlow,
        .receivedTimesIgnored: .receivedTimesIgnored,
        .decisionsWritten: .decisionsWritten, .decisionsDropped: .decisionsDropped,
        .decisionsTorn: .decisionsTorn,
        .logLinesDropped: .logLinesDropped, .logLinesLimited: .logLinesLimited,
    ]

    private static let steps: [(String, Counter)] = [
        ("disabled", .rulesDisabled), ("outside_window", .rulesOutsideWindow), ("unknown", .rulesUnknown),
        ("not_in_rollout", .rulesNotInRollout), ("no_arm", .rulesNoArm), ("capped", .rulesCapped),
        ("unapproved", .rulesUnapproved), ("no_locale", .rulesNoLocale), ("sign_failed", .rulesSignFailed),
    ]

    private static let chainResults: [(String, Counter)] = [
        ("hit", .chainCacheHits), ("miss", .chainCacheMisses), ("refused", .chainFailureHits),
    ]

    /// Every answer has one outcome and one code, so the sum over all samples is the number of requests.
    private func requests(_ text: inout MetricText) {
        text.sample(["decided", "decided"], counters.value(.answersDecided))
        let outcomes = Dictionary(
            Problem.allCases.map { problem in
                (problem.code, problem == .noAnswer ? "none" : problem.status >= 500 ? "failed" : "refused")
            },
            uniquingKeysWith: { first, _ in first }
        )
        for (code, count) in counters.codes where outcomes[code] != nil || count > 0 {
            text.sample([outcomes[code] ?? "other", code], count)
        }
    }

    private func decisions(_ text: inout MetricText) {
        var labels = EscapedLabels()
        for row in 0..<SharedCounters.decisionRowCount where counters.isDecisionRowInUse(row) {
            labels.removeAll()
            counters.addNames(ofDecisionRow: row, to: &labels)
            let expected = tally.expected[row] ?? []
            for reason in DecisionReason.byNumber {
                let count = counters.decisions(row: row, reason: reason.number)
                guard count > 0 || expected.contains(reason) else { continue }
                text.sample(labels: labels, last: reason.rawValue, count)
            }
        }
    }

    private func files(_ metric: PoolMetric, _ text: inout MetricText) {
        let kind: DataFileKind = metric == .rulesLoaded || metric == .rulesInfo ? .rules : .facts
        let files = generation.manifest.files.filter { $0.kind == kind }
        if metric == .rulesLoaded { return text.sample(files.count) }
        for file in files {
            let values = [String(file.appAppleId), file.environment.rawValue]
            switch metric {
            case .rulesInfo: text.sample(values + [file.digest.hexadecimal], 1)
            case .factsBuildTimestamp:
                text.sample(values, decimal: MetricText.seconds(file.builtAtMilliseconds ?? 0))
            default:
                let bound = generation.facts(appAppleId: file.appAppleId, environment: file.environment)
                text.sample(values, bound?.file.rowCount ?? 0)
            }
        }
    }

    private func reload(_ metric: PoolMetric, _ text: inout MetricText) {
        let last = counters.lastReload
        let loadedAt = counters.highest(.loadedAt)
        switch metric {
        case .reloads:
            text.sample(["loaded"], counters.value(.reloadsLoaded))
            text.sample(["refused"], counters.value(.reloadsRefused))
        case .lastReloadSuccessful: if let last { text.sample(last.refusalCode == nil ? 1 : 0) }
        case .lastReloadSuccessTimestamp:
            if loadedAt > 0 { text.sample(decimal: MetricText.decimal(loadedAt, unitsPerOne: 1000)) }
        default:
            guard last != nil else { return }
            text.sample(decimal: MetricText.decimal(counters.highest(.loadMilliseconds), unitsPerOne: 1000))
        }
    }

    private func processes(_ metric: PoolMetric, _ text: inout MetricText) {
        switch metric {
        case .workers:
            let states = counters.workers.map(\.state)
            for state in WorkerState.allCases { text.sample(["\(state)"], states.count { $0 == state }) }
        case .workersStarted: text.sample(counters.value(.workersStarted))
        case .workerRestarts:
            for lost in LostWorker.allCases { text.sample([lost.rawValue], counters.value(lost)) }
        case .workersStuck: text.sample(counters.value(.workersStuck))
        case .crashLoop: text.sample(counters.highest(.crashLoop))
        default: text.sample(counters.highest(.socketGone) % 2 == 0 ? 1 : 0)
        }
    }

    private func histogram(_ values: [String], _ histogram: LatencyHistogram, _ text: inout MetricText) {
        text.histogram(
            values,
            edges: LatencyHistogram.edgesMicroseconds.map { MetricText.decimal($0, unitsPerOne: 1_000_000) },
            counts: histogram.counts,
            sum: MetricText.decimal(histogram.sumNanoseconds, unitsPerOne: 1_000_000_000)
        )
    }
}

extension SharedCounters {
    /// The requests that were refused because there was too much work, by reason.
    var shed: [(why: String, count: UInt64)] {
        [
            ("queue-full", value(.shedQueueFull)), ("deadline", value(.deadlinesPassed)),
            ("chain-budget", value(.chainBudgetRefusals)),
        ]
    }
}
