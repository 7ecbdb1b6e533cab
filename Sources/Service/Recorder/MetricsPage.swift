internal import Configuration
internal import FastCGI
internal import NotificationStore
internal import System

/// The recorder's metrics in the text format of Prometheus. No label has an identifier of a subscriber.
struct MetricsPage {
    private static let prefix = "retentiond_recorder_"
    private(set) var text = ""

    init(_ recorder: Recorder) {
        let counters = recorder.counters
        head("notifications_total", "counter", "Notifications that were acknowledged, by type and outcome.")
        for (type, outcomes) in counters.notifications.sorted(by: { $0.key < $1.key }) {
            for outcome in RecorderCounters.Outcome.allCases {
                guard let count = outcomes[outcome] else { continue }
                line("notifications_total", [("type", type), ("outcome", outcome.rawValue)], count)
            }
        }
        head("problems_total", "counter", "Requests that were not acknowledged, by the code of the answer.")
        for (code, count) in counters.problems.sorted(by: { $0.key < $1.key }) {
            line("problems_total", [("code", code)], count)
        }
        head("failed_parts_total", "counter", "Signed parts of notifications that failed their own check.")
        for (code, count) in counters.failedParts.sorted(by: { $0.key < $1.key }) {
            line("failed_parts_total", [("code", code)], count)
        }
        simple("unchecked_total", "counter", "Stored notifications that name no app.", counters.unchecked)
        simple(
            "not_stored_total",
            "counter",
            "Notifications that the store did not take.",
            counters.notStored
        )
        simple(
            "late_commits_total",
            "counter",
            "Notifications that were durable only after the answer 503.",
            counters.lateCommits
        )
        histogram(
            "batch_size",
            "Notifications committed together.",
            RecorderCounters.sizeEdges.map { "\($0)" },
            counters.batchSizes,
            sum: "\(counters.batchTotal)"
        )
        histogram(
            "commit_seconds",
            "Time of a commit.",
            RecorderCounters.commitEdges.map { Self.seconds(microseconds: $0 * 1000) },
            counters.commits,
            sum: Self.seconds(microseconds: counters.commitMicroseconds)
        )
        unanswered(recorder.connectionCounts())
        simple("parked_requests", "gauge", "Requests that wait.", UInt64(recorder.waitingCount))
        simple(
            "store_up",
            "gauge",
            "1 while the store takes notifications.",
            recorder.condition == .open ? 1 : 0
        )
        if let last = counters.lastMilliseconds {
            simple(
                "last_notification_timestamp_seconds",
                "gauge",
                "When a notification was acknowledged last.",
                UInt64(max(0, last / 1000))
            )
        }
        forwardLags(recorder.forwardLags)
        if let path = (try? StoreAddress(recorder.settings.store))?.path {
            size("store_bytes", "Bytes of the store's file.", path)
            size("store_wal_bytes", "Bytes of the store's write-ahead log.", path + "-wal")
        }
    }

    /// Connections that the recorder closed instead of answering. nginx then answers 503 `recorder-unavailable`.
    private mutating func unanswered(_ counts: FastCGICounts) {
        let name = "unanswered_requests_total"
        head(name, "counter", "Requests whose connection was closed without an answer, by reason.")
        for (reason, count) in [
            ("client_gone", counts.abandonedCount), ("malformed", counts.refusedCount),
            ("no_room", counts.crowdedOutCount),
        ] {
            line(name, [("reason", reason)], count)
        }
    }

    private mutating func forwardLags(_ lags: [(receiver: String, seconds: UInt64)]) {
        guard !lags.isEmpty else { return }
        let name = "forward_lag_seconds"
        head(name, "gauge", "How long the first notification waits that a receiver does not have yet.")
        for (receiver, seconds) in lags { line(name, [("destination", receiver)], seconds) }
    }

    private mutating func size(_ name: String, _ help: String, _ path: String) {
        guard let status = try? FileStatus(path: path) else { return }
        simple(name, "gauge", help, UInt64(max(0, status.byteCount)))
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(Self.prefix)\(name) \(help)\n# TYPE \(Self.prefix)\(name) \(type)\n"
    }

    private mutating func line(
        _ name: String,
        _ labels: [(String, String)],
        _ value: some CustomStringConvertible
    ) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += "\(Self.prefix)\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }

    private mutating func simple(_ name: String, _ type: String, _ help: String, _ value: UInt64) {
        head(name, type, help)
        line(name, [], value)
    }

    private mutating func histogram(
        _ name: String,
        _ help: String,
        _ edges: [String],
        _ counts: [UInt64],
        sum: String
    ) {
        head(name, "histogram", help)
        var total: UInt64 = 0
        for (edge, count) in zip(edges + ["+Inf"], counts) {
            total += count
            line("\(name)_bucket", [("le", edge)], total)
        }
        line("\(name)_sum", [], sum)
        line("\(name)_count", [], total)
    }

    /// Returns seconds with six digits after the point.
    private static func seconds(microseconds: UInt64) -> String {
        let digits = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

extension StoreAddress {
    /// The path of a file of SQLite; nil for a server.
    fileprivate var path: String? {
        if case .sqlite(let path) = self { path } else { nil }
    }
}
