internal import Configuration
internal import Cryptography
internal import FastCGI
internal import NotificationStore
internal import Pool
internal import Reply
internal import SignedPayloads
internal import System

extension Recorder {
    func metricsText() -> [UInt8] { MetricText.page(Self.metrics, of: self) }

    private static func metric(
        _ name: String, _ kind: MetricKind, labels: [String] = [], _ help: String,
        _ write: @escaping @Sendable (Recorder, inout MetricText) -> Void
    ) -> Metric<Recorder> {
        Metric("retentiond_recorder_\(name)", kind, labels: labels, help, write)
    }

    static let metrics: [Metric<Recorder>] = intakeMetrics + stateMetrics

    private static let intakeMetrics: [Metric<Recorder>] = [
        metric(
            "build_info", .gauge, labels: ["version", "openssl", "libfcgi"],
            "The versions of retentiond-recorder and of its libraries."
        ) { _, text in
            text.sample([ProductVersion.text, CryptographyLibrary.version, FastCGILibrary.version], 1)
        },
        metric(
            "start_time_seconds", .gauge, "When the recorder started. All counters began at 0 then."
        ) { recorder, text in text.sample(decimal: MetricText.seconds(recorder.startedMilliseconds)) },
        metric(
            "notifications_total", .counter, labels: ["type", "outcome"],
            "Notifications that were acknowledged, by type and outcome."
        ) { recorder, text in
            for (type, outcomes) in recorder.counters.notifications.sorted(by: { $0.key < $1.key }) {
                for outcome in RecorderCounters.Outcome.allCases {
                    if let count = outcomes[outcome] { text.sample([type, outcome.rawValue], count) }
                }
            }
        },
        metric(
            "problems_total", .counter, labels: ["code"],
            "Requests that were not acknowledged, by the code of the answer."
        ) { recorder, text in Recorder.samples(recorder.counters.problems, &text) },
        metric(
            "failed_parts_total", .counter, labels: ["code"],
            "Signed parts of notifications that failed their own check, by code."
        ) { recorder, text in Recorder.samples(recorder.counters.failedParts, &text) },
        metric("not_stored_total", .counter, "Notifications that the store did not take.") { recorder, text in
            text.sample(recorder.counters.notStored)
        },
        metric(
            "late_commits_total", .counter, "Notifications that were durable only after the answer 503."
        ) { recorder, text in text.sample(recorder.counters.lateCommits) },
        metric("batch_size", .histogram, "Notifications committed together.") { recorder, text in
            let counters = recorder.counters
            text.histogram(
                edges: RecorderCounters.sizeEdges.map { "\($0)" }, counts: counters.batchSizes,
                sum: "\(counters.batchTotal)")
        },
        metric("commit_seconds", .histogram, "Time of a commit.") { recorder, text in
            text.histogram(
                edges: RecorderCounters.commitEdges.map { MetricText.decimal($0, unitsPerOne: 1000) },
                counts: recorder.counters.commits,
                sum: MetricText.decimal(recorder.counters.commitMicroseconds, unitsPerOne: 1_000_000)
            )
        },
        metric(
            "unanswered_requests_total", .counter, labels: ["reason"],
            "Requests whose connection was closed without an answer, by reason."
        ) { recorder, text in
            let counts = recorder.connectionCounts()
            text.sample(["client_gone"], counts.abandonedCount)
            text.sample(["malformed"], counts.refusedCount)
            text.sample(["no_room"], counts.crowdedOutCount)
        },
    ]

    private static let stateMetrics: [Metric<Recorder>] = [
        metric("parked_requests", .gauge, "Requests that wait for a commit.") { recorder, text in
            text.sample(recorder.waitingCount)
        },
        metric("store_up", .gauge, "1 while the store takes notifications.") { recorder, text in
            text.sample(recorder.condition == .open ? 1 : 0)
        },
        metric(
            "last_notification_timestamp_seconds", .gauge, "When a notification was acknowledged last."
        ) { recorder, text in
            if let last = recorder.counters.lastMilliseconds {
                text.sample(decimal: MetricText.seconds(last))
            }
        },
        metric(
            "forward_lag_seconds", .gauge, labels: ["destination"],
            "How long the oldest notification that a receiver does not have yet has waited for it."
        ) { recorder, text in
            // The name has a digest of the URL. If two names were equal all the same, the larger number is the one to know.
            let lags = Dictionary(recorder.forwardLags.map { ($0, $1) }, uniquingKeysWith: max)
            Recorder.samples(lags, &text)
        },
        metric(
            "forward_set_aside", .gauge, labels: ["destination"],
            "Notifications that a receiver refuses and that were set aside for it."
        ) { recorder, text in
            let counts = Dictionary(recorder.setAsideCounts.map { ($0, $1) }, uniquingKeysWith: max)
            Recorder.samples(counts, &text)
        },
        metric(
            "certificate_not_after_timestamp_seconds", .gauge, labels: ["position"],
            "When the certificate that vouched last ends, by place in the chain."
        ) { recorder, text in
            for (position, end) in recorder.certificateEnds.inOrder {
                text.sample([position.rawValue], decimal: MetricText.seconds(end))
            }
        },
        metric(
            "clock_jumps_total", .counter, "How often the wall clock was set by 1.5 seconds or more."
        ) { recorder, text in text.sample(recorder.counters.clockJumps) },
        metric(
            "signed_date_offset_seconds", .gauge,
            "The latest signedDate minus this machine's clock; above 0 the clock is slow."
        ) { recorder, text in
            if let offset = recorder.signedDateOffset { text.sample(decimal: MetricText.seconds(offset)) }
        },
        metric("store_bytes", .gauge, "Bytes of the store's file; SQLite only.") { recorder, text in
            if let size = recorder.storeSize("") { text.sample(size) }
        },
        metric(
            "store_wal_bytes", .gauge, "Bytes of the store's write-ahead log; SQLite only."
        ) { recorder, text in if let size = recorder.storeSize("-wal") { text.sample(size) } },
    ]

    private static func samples(_ counts: [String: some BinaryInteger], _ text: inout MetricText) {
        for (label, count) in counts.sorted(by: { $0.key < $1.key }) { text.sample([label], count) }
    }

    /// Returns the size of the store's file, or of the file beside it with this ending; nil when there is none.
    private func storeSize(_ ending: String) -> Int? {
        guard let address = try? StoreAddress(settings.store).resolved,
            case .sqlite(let path) = address,
            let status = try? FileStatus(path: path + ending)
        else { return nil }
        return max(0, status.byteCount)
    }
}

struct RecorderCounters {
    enum Outcome: String, CaseIterable {
        case stored
        case alreadyThere = "already_there"
        /// It belongs to a subscriber who was erased, and was dropped.
        case tombstoned
    }

    /// The edges of ``batchSizes`` and of ``commitMilliseconds``. One more bucket is above the last edge.
    static let sizeEdges: [UInt64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    static let commitEdges: [UInt64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

    /// Notifications by type and outcome. Types that Apple has not documented count as `other`, so that the number of
    /// labels is bounded. Like all counts by label, each begins at 0: what Prometheus sees first counts as no increase.
    private(set) var notifications = Dictionary(
        uniqueKeysWithValues: knownTypes.union([otherType]).map { type in
            (type, Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, 0 as UInt64) }))
        }
    )
    private(set) var problems = Dictionary(
        uniqueKeysWithValues: Problem.ofNotifications.map { ($0.code, 0 as UInt64) }
    )
    private(set) var failedParts = Dictionary(
        uniqueKeysWithValues: Refusal.allCases.map { ($0.code, 0 as UInt64) }
    )
    /// Notifications whose commit ended after they were answered with 503.
    var lateCommits: UInt64 = 0
    var notStored: UInt64 = 0
    private(set) var batchSizes = [UInt64](repeating: 0, count: sizeEdges.count + 1)
    private(set) var batchTotal: UInt64 = 0
    private(set) var commits = [UInt64](repeating: 0, count: commitEdges.count + 1)
    private(set) var commitMicroseconds: UInt64 = 0
    var lastMilliseconds: Int64?
    /// How often the wall clock was set by 1.5 seconds or more.
    var clockJumps: UInt64 = 0

    private static let knownTypes = Set(NotificationType.known.map(\.rawValue))
    private static let otherType = "other"

    static func label(_ type: NotificationType) -> String {
        knownTypes.contains(type.rawValue) ? type.rawValue : otherType
    }

    mutating func count(_ outcome: Outcome, type: String) {
        notifications[type, default: [:]][outcome, default: 0] += 1
    }

    mutating func count(_ problem: Problem) {
        problems[problem.code, default: 0] += 1
    }

    mutating func count(failedPart code: String) {
        failedParts[code, default: 0] += 1
    }

    mutating func count(_ batch: StoreMailbox.Finished) {
        let (size, microseconds) = (batch.numbers.count, batch.microseconds)
        batchTotal += UInt64(size)
        batchSizes[Self.bucket(UInt64(size), Self.sizeEdges)] += 1
        commitMicroseconds += microseconds
        commits[Self.bucket((microseconds + 999) / 1000, Self.commitEdges)] += 1
    }

    private static func bucket(_ value: UInt64, _ edges: [UInt64]) -> Int {
        edges.firstIndex { value <= $0 } ?? edges.count
    }

    func total(_ outcome: Outcome) -> UInt64 {
        notifications.values.reduce(0) { $0 + ($1[outcome] ?? 0) }
    }
}
