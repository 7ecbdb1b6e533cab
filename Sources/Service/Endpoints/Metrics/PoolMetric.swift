internal import Telemetry

/// The metrics of the pool, in the order of a scrape. The raw value is the name without the prefix `retentiond_`.
///
/// The table in retention-operations(7) follows from these rows.
enum PoolMetric: String, Sendable, CaseIterable {
    case buildInfo = "build_info"
    case startTime = "start_time_seconds"
    case requests = "requests_total"
    case requestDuration = "request_duration_seconds"
    case phaseDuration = "phase_duration_seconds"
    case decisions = "decisions_total"
    case rulesPassedOver = "rules_passed_over_total"
    case decisionSeries = "decision_series"
    case decisionSeriesLimit = "decision_series_limit"
    case rulesLoaded = "rules_loaded"
    case rulesInfo = "rules_info"
    case factsBuildTimestamp = "facts_build_timestamp_seconds"
    case factsRows = "facts_rows"
    case reloads = "reloads_total"
    case lastReloadSuccessful = "last_reload_successful"
    case lastReloadSuccessTimestamp = "last_reload_success_timestamp_seconds"
    case reloadDuration = "reload_duration_seconds"
    case workers
    case workersStarted = "workers_started_total"
    case workerRestarts = "worker_restarts_total"
    case workersStuck = "workers_stuck_total"
    case crashLoop = "crash_loop"
    case socketUp = "socket_up"
    case listenQueue = "listen_queue"
    case listenQueueLimit = "listen_queue_limit"
    case connections = "connections_total"
    case aborted = "requests_aborted_total"
    case slow = "requests_slow_total"
    case shed = "shed_total"
    case receivedTimesIgnored = "received_times_ignored_total"
    case chainCache = "chain_cache_total"
    case certificateEnd = "certificate_not_after_timestamp_seconds"
    case revocationState = "revocation_state"
    case clockJumps = "clock_jumps_total"
    case signedDateOffset = "signed_date_offset_seconds"
    case decisionsWritten = "decisions_written_total"
    case decisionsDropped = "decisions_dropped_total"
    case decisionsTorn = "decisions_torn_total"
    case logLinesDropped = "log_lines_dropped_total"
    case logLinesLimited = "log_lines_limited_total"

    var family: MetricFamily {
        let (kind, labels, help) = row
        return MetricFamily("retentiond_\(rawValue)", kind, labels: labels, help: help)
    }

    private typealias Row = (MetricFamily.Kind, [String], String)

    private var row: Row {
        switch self {
        case .buildInfo:
            (.gauge, ["version", "openssl", "libfcgi"], "The versions of retentiond and of its libraries.")
        case .startTime: (.gauge, [], "When the pool started. All counters began at 0 then.")
        case .requests: (.counter, ["outcome", "code"], "Answers to requests for a retention message.")
        case .requestDuration:
            (.histogram, [], "Time from when a worker learned of a request until its answer was made.")
        case .phaseDuration: (.histogram, ["phase"], "Time of the parts of the work on one request.")
        case .decisions, .rulesPassedOver, .decisionSeries, .decisionSeriesLimit: decisionRow
        case .rulesLoaded, .rulesInfo, .factsBuildTimestamp, .factsRows: fileRow
        case .reloads, .lastReloadSuccessful, .lastReloadSuccessTimestamp, .reloadDuration: reloadRow
        case .workers, .workersStarted, .workerRestarts, .workersStuck, .crashLoop, .socketUp: processRow
        case .listenQueue, .listenQueueLimit, .connections, .aborted, .slow, .shed, .receivedTimesIgnored:
            loadRow
        case .chainCache:
            (.counter, ["result"], "Certificate chains of requests, by what the caches knew of them.")
        case .certificateEnd:
            (.gauge, ["position"], "When the first of the certificates in use ends, by place in the chain.")
        case .revocationState:
            (
                .gauge, ["certificate"],
                "Revocation of the certificates in use: 0, not checked, because revocation is off."
            )
        case .clockJumps:
            (.counter, [], "How often the wall clock was set by 1.5 seconds or more.")
        case .signedDateOffset:
            (.gauge, [], "Median of signedDate minus this machine's clock; above 0 the clock is slow.")
        case .decisionsWritten, .decisionsDropped, .decisionsTorn, .logLinesDropped, .logLinesLimited: logRow
        }
    }

    private var decisionRow: Row {
        switch self {
        case .decisions:
            (
                .counter, ["app", "environment", "rule", "arm", "reason"],
                "Decisions, by rule, arm and reason."
            )
        case .rulesPassedOver:
            (.counter, ["step"], "Rules that decisions passed over, by the step that failed.")
        case .decisionSeries: (.gauge, [], "Combinations of rule and arm that have a count of their own.")
        default:
            (
                .gauge, [],
                "The most combinations of rule and arm that have a count of their own; the others count as other."
            )
        }
    }

    private var fileRow: Row {
        let labels = ["app", "environment"]
        return switch self {
        case .rulesLoaded: (.gauge, [], "Rules files that are loaded; without any, every answer is 503.")
        case .rulesInfo: (.gauge, labels + ["digest"], "The SHA-256 of the rules that are loaded; always 1.")
        case .factsBuildTimestamp: (.gauge, labels, "When the facts file was built.")
        default: (.gauge, labels, "Subscribers in the facts file.")
        }
    }

    private var reloadRow: Row {
        switch self {
        case .reloads: (.counter, ["result"], "Reloads of the running pool, by result.")
        case .lastReloadSuccessful: (.gauge, [], "1 when the last load took effect, 0 when it was refused.")
        case .lastReloadSuccessTimestamp: (.gauge, [], "When a load last took effect.")
        default:
            (.gauge, [], "How long the last load took until all new workers served or the load was refused.")
        }
    }

    private var processRow: Row {
        switch self {
        case .workers: (.gauge, ["state"], "Workers, by state.")
        case .workersStarted: (.counter, [], "Workers started.")
        case .workerRestarts:
            (.counter, ["signal"], "Workers replaced because they ended when they should not, by the signal.")
        case .workersStuck:
            (.counter, [], "Workers replaced because their loop did not turn for stuckMilliseconds.")
        case .crashLoop: (.gauge, [], "1 while workers fail as soon as they start.")
        default: (.gauge, [], "1 while the socket's file name leads to the pool.")
        }
    }

    private var loadRow: Row {
        switch self {
        case .listenQueue: (.gauge, [], "Connections that wait for a worker to accept them.")
        case .listenQueueLimit:
            (.gauge, [], "The most connections that may wait; the kernel refuses further ones.")
        case .connections: (.counter, ["result"], "Connections from nginx.")
        case .aborted: (.counter, [], "Requests that nginx gave up while a worker handled them.")
        case .slow: (.counter, [], "Requests that took longer than slowMilliseconds.")
        case .shed: (.counter, ["why"], "Requests refused with 503 because there was too much work.")
        default: (.counter, [], "Requests whose time of receipt from nginx was missing or impossible.")
        }
    }

    private var logRow: Row {
        switch self {
        case .decisionsWritten: (.counter, [], "Decision records written.")
        case .decisionsDropped:
            (.counter, [], "Decision records dropped, because they could not be written or had no room.")
        case .decisionsTorn: (.counter, [], "Lines of the decision log that a full disk cut short.")
        case .logLinesDropped: (.counter, [], "Log lines dropped because they could not be written at once.")
        default: (.counter, [], "Log lines held back by a rate limit.")
        }
    }
}
