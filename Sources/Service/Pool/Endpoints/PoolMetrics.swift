internal import Cryptography
internal import Facts
internal import FastCGI
internal import Reply
internal import Rules
internal import System

/// One scrape of the pool: the counters that all workers share, and the generation of the worker that answers.
struct PoolMetrics {
    let generation: Generation
    let counters: SharedCounters
    let tally: DecisionTally
    let queue: ListenQueue?

    func text() -> [UInt8] { MetricText.page(Self.table, of: self) }

    static let table: [Metric<PoolMetrics>] = requestTable + fileTable + processTable + loadTable + logTable

    private static func metric(
        _ name: String, _ kind: MetricKind, labels: [String] = [], _ help: String,
        _ write: @escaping @Sendable (PoolMetrics, inout MetricText) -> Void
    ) -> Metric<PoolMetrics> {
        Metric("retentiond_\(name)", kind, labels: labels, help, write)
    }

    private static func count(_ name: String, _ counter: Counter, _ help: String) -> Metric<PoolMetrics> {
        metric(name, .counter, help) { pool, text in text.sample(pool.counters.value(counter)) }
    }

    private static func counts(
        _ name: String, by label: String, _ counters: [(String, Counter)], _ help: String
    ) -> Metric<PoolMetrics> {
        metric(name, .counter, labels: [label], help) { pool, text in
            for (value, counter) in counters { text.sample([value], pool.counters.value(counter)) }
        }
    }

    private static let requestTable: [Metric<PoolMetrics>] = [
        metric(
            "build_info", .gauge, labels: ["version", "openssl", "libfcgi"],
            "The versions of retentiond and of its libraries."
        ) { _, text in
            text.sample([ProductVersion.text, CryptographyLibrary.version, FastCGILibrary.version], 1)
        },
        metric(
            "start_time_seconds", .gauge, "When the pool started. All counters began at 0 then."
        ) { pool, text in text.sample(decimal: MetricText.seconds(pool.counters.startedMilliseconds)) },
        metric(
            "requests_total", .counter, labels: ["outcome", "code"],
            "Answers to requests for a retention message."
        ) { pool, text in pool.requests(&text) },
        metric(
            "request_duration_seconds", .histogram,
            "Time from when a worker learned of a request until its answer was made."
        ) { pool, text in PoolMetrics.histogram([], pool.counters.latency, &text) },
        metric(
            "phase_duration_seconds", .histogram, labels: ["phase"],
            "Time of the parts of the work on one request."
        ) { pool, text in
            for phase in RequestPhase.allCases {
                PoolMetrics.histogram([phase.rawValue], pool.counters.latency(of: phase), &text)
            }
        },
        metric(
            "decisions_total", .counter, labels: ["app", "environment", "rule", "arm", "reason"],
            "Decisions, by rule, arm and reason."
        ) { pool, text in pool.decisions(&text) },
        counts(
            "rules_passed_over_total", by: "step",
            [
                ("disabled", .rulesDisabled), ("outside_window", .rulesOutsideWindow),
                ("unknown", .rulesUnknown), ("not_in_rollout", .rulesNotInRollout), ("no_arm", .rulesNoArm),
                ("capped", .rulesCapped), ("unapproved", .rulesUnapproved), ("no_locale", .rulesNoLocale),
                ("sign_failed", .rulesSignFailed),
            ],
            "Rules that decisions passed over, by the step that failed."),
    ]

    private static let fileTable: [Metric<PoolMetrics>] = [
        metric(
            "rules_loaded", .gauge, "Rules files that are loaded; without any, every answer is 503."
        ) { pool, text in text.sample(pool.files(.rules).count) },
        metric(
            "rules_info", .gauge, labels: ["app", "environment", "digest"],
            "The SHA-256 of the rules that are loaded; always 1."
        ) { pool, text in
            for (file, labels) in pool.files(.rules) { text.sample(labels + [file.digest.hexadecimal], 1) }
        },
        metric(
            "facts_build_timestamp_seconds", .gauge, labels: ["app", "environment"],
            "When the facts file was built."
        ) { pool, text in
            for (file, labels) in pool.files(.facts) {
                text.sample(labels, decimal: MetricText.seconds(file.builtAtMilliseconds ?? 0))
            }
        },
        metric("facts_rows", .gauge, labels: ["app", "environment"], "Subscribers in the facts file.") {
            pool, text in
            for (file, labels) in pool.files(.facts) {
                let bound = pool.generation.facts(appAppleId: file.appAppleId, environment: file.environment)
                text.sample(labels, bound?.file.rowCount ?? 0)
            }
        },
        counts(
            "reloads_total", by: "result", [("loaded", .reloadsLoaded), ("refused", .reloadsRefused)],
            "Reloads of the running pool, by result."),
        metric(
            "last_reload_successful", .gauge, "1 when the last load took effect, 0 when it was refused."
        ) { pool, text in
            if let last = pool.lastReload { text.sample(last.refusal == nil ? 1 : 0) }
        },
        metric(
            "last_reload_success_timestamp_seconds", .gauge, "When a load last took effect."
        ) { pool, text in
            let time = pool.counters.highest(.loadedAt)
            if time > 0 { text.sample(decimal: MetricText.decimal(time, unitsPerOne: 1000)) }
        },
        metric(
            "reload_duration_seconds", .gauge,
            "How long the last load took until all new workers served or the load was refused."
        ) { pool, text in
            guard pool.lastReload != nil else { return }
            let time = pool.counters.highest(.loadMilliseconds)
            text.sample(decimal: MetricText.decimal(time, unitsPerOne: 1000))
        },
    ]

    private static let processTable: [Metric<PoolMetrics>] = [
        metric("workers", .gauge, labels: ["state"], "Workers, by state.") { pool, text in
            let states = pool.counters.workers.map(\.state)
            for state in WorkerState.allCases { text.sample(["\(state)"], states.count { $0 == state }) }
        },
        count("workers_started_total", .workersStarted, "Workers started."),
        count(
            "worker_restarts_total", .workersCrashed,
            "Workers replaced because they ended when they should not, or were stuck."),
        count(
            "workers_stuck_total", .workersStuck,
            "Workers replaced because their loop did not turn for 10 seconds."),
        metric("crash_loop", .gauge, "1 while workers fail as soon as they start.") { pool, text in
            text.sample(pool.counters.highest(.crashLoop))
        },
        metric("socket_up", .gauge, "1 while the socket's file name leads to the pool.") { pool, text in
            text.sample(pool.counters.highest(.socketGone) % 2 == 0 ? 1 : 0)
        },
    ]

    private static let loadTable: [Metric<PoolMetrics>] = [
        metric("listen_queue", .gauge, "Connections that wait for a worker to accept them.") { pool, text in
            if let queue = pool.queue { text.sample(queue.waitingCount) }
        },
        metric(
            "listen_queue_limit", .gauge,
            "The most connections that may wait; the kernel refuses further ones."
        ) { pool, text in if let queue = pool.queue { text.sample(queue.limitCount) } },
        counts(
            "connections_total", by: "result",
            [("accepted", .connectionsAccepted), ("refused", .connectionsRefused)],
            "Connections from nginx."),
        count(
            "requests_aborted_total", .requestsAborted,
            "Requests that nginx gave up while a worker handled them."),
        count(
            "requests_slow_total", .requestsSlow, "Requests that took longer than slowMilliseconds."),
        metric(
            "shed_total", .counter, labels: ["why"],
            "Requests refused with 503 because there was too much work."
        ) { pool, text in for (why, count) in pool.counters.shed { text.sample([why], count) } },
        count(
            "received_times_ignored_total", .receivedTimesIgnored,
            "Requests whose time of receipt from nginx was missing or impossible."),
        counts(
            "chain_cache_total", by: "result",
            [("hit", .chainCacheHits), ("miss", .chainCacheMisses), ("refused", .chainFailureHits)],
            "Certificate chains of requests, by what the caches knew of them."),
    ]

    private static let logTable: [Metric<PoolMetrics>] = [
        metric(
            "certificate_not_after_timestamp_seconds", .gauge, labels: ["position"],
            "When the certificate that vouched last ends, by place in the chain."
        ) { pool, text in
            for (position, end) in pool.counters.certificateEnds.inOrder {
                text.sample([position.rawValue], decimal: MetricText.seconds(end))
            }
        },
        count(
            "clock_jumps_total", .clockJumps, "How often the wall clock was set by 1.5 seconds or more."),
        metric(
            "signed_date_offset_seconds", .gauge,
            "The latest signedDate minus this machine's clock; above 0 the clock is slow."
        ) { pool, text in
            if let offset = pool.counters.signedDateOffset {
                text.sample(decimal: MetricText.seconds(offset))
            }
        },
        count("decisions_written_total", .decisionsWritten, "Decision records written."),
        count(
            "decisions_dropped_total", .decisionsDropped,
            "Decision records dropped, because they could not be written or had no room."),
        count(
            "log_lines_dropped_total", .logLinesDropped,
            "Log lines dropped because they could not be written at once."),
        count("log_lines_limited_total", .logLinesLimited, "Log lines held back by a rate limit."),
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
        for row in counters.decisionRows {
            let app = row.key == .everythingElse ? "other" : "\(row.key.appAppleId)"
            let expected = tally.expected[row.index] ?? []
            for (reason, count) in zip(DecisionReason.byNumber, row.decisions)
            where count > 0 || expected.contains(reason) {
                text.sample([app, row.key.environment, row.key.rule, row.key.arm, reason.rawValue], count)
            }
        }
    }

    private var lastReload: VerdictFile.Content? { VerdictFile(generation.configuration).read() }

    private func files(_ kind: DataFileKind) -> [(file: ManifestFile, labels: [String])] {
        generation.manifest.files.filter { $0.kind == kind }
            .map { ($0, [String($0.appAppleId), $0.environment.rawValue]) }
    }

    private static func histogram(
        _ values: [String], _ histogram: LatencyHistogram, _ text: inout MetricText
    ) {
        text.histogram(
            values,
            edges: LatencyHistogram.edgesMicroseconds.map { MetricText.decimal($0, unitsPerOne: 1_000_000) },
            counts: histogram.counts,
            sum: MetricText.decimal(histogram.sumNanoseconds, unitsPerOne: 1_000_000_000)
        )
    }
}

extension SharedCounters {
    var shed: [(why: String, count: UInt64)] {
        [
            ("queue-full", value(.shedQueueFull)), ("deadline", value(.deadlinesPassed)),
            ("chain-budget", value(.chainBudgetRefusals)),
        ]
    }
}

/// Counts the decisions of one worker by rule and arm in the pool's shared counters. Belongs to one thread.
///
/// The worker claims the rows of its generation's rules when it starts. The number of rows is bounded: rules beyond the
/// limit, and rules with very long names, are counted together as `other`.
final class DecisionTally {
    /// The reasons that a scrape shows for a row although nothing has been counted there. So a query sees the first
    /// decision of a rule as an increase.
    private(set) var expected: [Int: [DecisionReason]] = [:]
    private let counters: SharedCounters
    private var files: [ObjectIdentifier: FileRows] = [:]

    private struct FileRows {
        let withoutRule: Int
        let other: Int
        /// For each rule the place in ``rows`` of its row, which the rows of its arms follow. Rules beyond the end have
        /// no row of their own.
        var places: [Int] = []
        var rows: [Int] = []

        func row(ofRule rule: Int, arm: Int?) -> Int {
            guard places.indices.contains(rule) else { return other }
            let place = places[rule] + (arm.map { $0 + 1 } ?? 0)
            return rows.indices.contains(place) ? rows[place] : other
        }
    }

    init(_ generation: Generation, _ counters: SharedCounters) {
        self.counters = counters
        let loaded = generation.manifest.files.filter { $0.kind == .rules }.compactMap { file in
            generation.rules(appAppleId: file.appAppleId, environment: file.environment)
        }
        // The first worker of a pool claims this row in an empty table, so that there always is a row.
        let rest = counters.claimDecisionRow(.everythingElse) ?? 0
        var left = SharedCounters.decisionRowsOfGeneration - 2 * loaded.count
        // Small files come first and leave to the large ones what they do not need.
        let sorted = loaded.sorted { $0.ruleCount < $1.ruleCount }
        for (index, file) in sorted.enumerated() {
            let rows = claim(file, limit: max(0, left) / (sorted.count - index), rest: rest)
            left -= rows.rows.count
            files[ObjectIdentifier(file)] = rows
            expect(rows, of: file)
        }
    }

    /// Claims the rows of a file: two for the file itself, and at most `limit` for rules and arms.
    private func claim(_ file: RulesFile, limit: Int, rest: Int) -> FileRows {
        func row(_ rule: String, _ arm: String = "") -> Int? {
            counters.claimDecisionRow(
                DecisionRowKey(
                    appAppleId: file.appAppleId, environment: file.environment.rawValue,
                    rule: rule, arm: arm)
            )
        }
        let other = row(DecisionRowKey.otherRule) ?? rest
        var rows = FileRows(withoutRule: row("") ?? rest, other: other)
        for rule in 0..<file.ruleCount {
            let armCount = file.armCount(ofRule: rule)
            guard rows.rows.count + 1 + armCount <= limit, let id = file.ruleID(at: rule) else { break }
            rows.places.append(rows.rows.count)
            rows.rows.append(row(id) ?? other)
            for arm in 0..<armCount {
                rows.rows.append(file.armName(at: arm, ofRule: rule).flatMap { row(id, $0) } ?? other)
            }
        }
        return rows
    }

    private func expect(_ rows: FileRows, of file: RulesFile) {
        expected[rows.withoutRule] = DecisionReason.withoutRule
        for rule in rows.places.indices {
            let armCount = file.armCount(ofRule: rule)
            let isSplit = armCount > 0 || file.hasRollout(rule: rule)
            for arm in armCount > 0 ? (0..<armCount).map({ $0 }) : [nil] {
                let row = rows.row(ofRule: rule, arm: arm)
                if row != rows.other { expected[row] = [isSplit ? .split : .targetingMatch] }
            }
        }
    }

    func count(_ decision: Decision, by file: RulesFile) {
        guard let rows = files[ObjectIdentifier(file)] else { return }
        let row = decision.ruleIndex.map { rows.row(ofRule: $0, arm: decision.armIndex) } ?? rows.withoutRule
        counters.addDecision(row: row, reason: decision.reason.number)
    }

    /// Returns the rules of a file with the counts of the pool, in their order. The rules that have no row of their own
    /// stand together at the end, as `other`.
    func counts(of file: RulesFile) -> [(rule: String, served: UInt64)] {
        guard let rows = files[ObjectIdentifier(file)] else { return [] }
        var counts: [(rule: String, served: UInt64)] = []
        for rule in rows.places.indices {
            let end = rule + 1 < rows.places.count ? rows.places[rule + 1] : rows.rows.count
            let found = rows.rows[rows.places[rule]..<end].filter { $0 != rows.other }
                .compactMap { counters.decisionRow($0) }
            guard let own = found.first, own.key.arm.isEmpty else { continue }
            counts.append((own.key.rule, found.reduce(0) { $0 &+ $1.served }))
        }
        if counts.count < file.ruleCount, let row = counters.decisionRow(rows.other) {
            counts.append((DecisionRowKey.otherRule, row.served))
        }
        return counts
    }
}

extension DecisionReason {
    static let byNumber = allCases
    var number: Int { Self.byNumber.firstIndex(of: self) ?? 0 }

    static let withoutRule: [DecisionReason] = byNumber.filter {
        ![.targetingMatch, .split, .disabled, .error].contains($0)
    }
}
