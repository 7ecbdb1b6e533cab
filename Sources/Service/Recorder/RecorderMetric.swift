internal import Telemetry

/// The metrics of the recorder, in the order of a scrape. The raw value is the name without the prefix
/// `retentiond_recorder_`.
///
/// The table in retention-operations(7) follows from these rows.
enum RecorderMetric: String, Sendable, CaseIterable {
    case buildInfo = "build_info"
    case startTime = "start_time_seconds"
    case notifications = "notifications_total"
    case problems = "problems_total"
    case failedParts = "failed_parts_total"
    case notStored = "not_stored_total"
    case lateCommits = "late_commits_total"
    case batchSize = "batch_size"
    case commit = "commit_seconds"
    case unanswered = "unanswered_requests_total"
    case parked = "parked_requests"
    case storeUp = "store_up"
    case lastNotification = "last_notification_timestamp_seconds"
    case forwardLag = "forward_lag_seconds"
    case forwardSetAside = "forward_set_aside"
    case certificateEnd = "certificate_not_after_timestamp_seconds"
    case clockJumps = "clock_jumps_total"
    case signedDateOffset = "signed_date_offset_seconds"
    case storeBytes = "store_bytes"
    case storeLogBytes = "store_wal_bytes"

    var family: MetricFamily {
        let (kind, labels, help): (MetricFamily.Kind, [String], String) =
            switch self {
            case .buildInfo:
                (
                    .gauge, ["version", "openssl", "libfcgi"],
                    "The versions of retentiond-recorder and of its libraries."
                )
            case .startTime: (.gauge, [], "When the recorder started. All counters began at 0 then.")
            case .notifications:
                (.counter, ["type", "outcome"], "Notifications that were acknowledged, by type and outcome.")
            case .problems:
                (.counter, ["code"], "Requests that were not acknowledged, by the code of the answer.")
            case .failedParts:
                (.counter, ["code"], "Signed parts of notifications that failed their own check, by code.")
            case .notStored: (.counter, [], "Notifications that the store did not take.")
            case .lateCommits: (.counter, [], "Notifications that were durable only after the answer 503.")
            case .batchSize: (.histogram, [], "Notifications committed together.")
            case .commit: (.histogram, [], "Time of a commit.")
            case .unanswered:
                (.counter, ["reason"], "Requests whose connection was closed without an answer, by reason.")
            case .parked: (.gauge, [], "Requests that wait for a commit.")
            case .storeUp: (.gauge, [], "1 while the store takes notifications.")
            case .lastNotification: (.gauge, [], "When a notification was acknowledged last.")
            case .forwardLag:
                (
                    .gauge, ["destination"],
                    "How long the oldest notification that a receiver does not have yet has waited for it."
                )
            case .forwardSetAside:
                (
                    .gauge, ["destination"],
                    "Notifications that a receiver refuses and that were set aside for it."
                )
            case .certificateEnd:
                (
                    .gauge, ["position"],
                    "When the first of the certificates in use ends, by place in the chain."
                )
            case .clockJumps:
                (.counter, [], "How often the wall clock was set by 1.5 seconds or more.")
            case .signedDateOffset:
                (.gauge, [], "Median of signedDate minus this machine's clock; above 0 the clock is slow.")
            case .storeBytes: (.gauge, [], "Bytes of the store's file; SQLite only.")
            case .storeLogBytes: (.gauge, [], "Bytes of the store's write-ahead log; SQLite only.")
            }
        return MetricFamily("retentiond_recorder_\(rawValue)", kind, labels: labels, help: help)
    }
}
