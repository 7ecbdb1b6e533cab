internal import HTTPLoad
internal import System

/// The line that the load generator prints: counts, latencies of good answers, and the processor time of this process.
/// All times are in microseconds.
struct Figures {
    let line: String

    init(_ report: LoadReport, _ watch: ReloadWatch, _ overload: OverloadWatch?, _ options: Options) {
        func latency(_ part: Double) -> Double { Double(report.latencies.nanoseconds(at: part)) / 1000 }
        let failed = report.failures
        // A run that has sent all that it may send is over before the end of the schedule.
        let planned = options.seconds + options.calmSeconds
        let seconds = report.sent < options.limit ? max(planned, report.seconds) : report.seconds
        var values: [(String, Double)] = [
            ("good", Double(report.good)), ("failed", Double(failed)),
            // Requests that were due but were never sent, because no connection was idle in time.
            ("unsent", Double(report.unsent)),
            // Answers also arrive after the end of the schedule: then their number belongs to this longer time.
            ("rate", seconds > 0 ? Double(report.good) / seconds : 0),
            ("p50", latency(0.5)), ("p90", latency(0.9)), ("p99", latency(0.99)), ("max", latency(1)),
            // There is one thread.
            ("client", Double(Clock.threadProcessorNanoseconds()) / 1000),
            ("hups", Double(watch.hangups)), ("last_old", watch.lastOld), ("first_new", watch.firstNew),
            ("reload_p99", watch.reloadP99),
        ]
        values += overload?.figures ?? []
        let figures = values.map { "\($0)=\($1)" }.joined(separator: " ")
        let reason = report.openingFailure.map { " (\($0))" } ?? ""
        line = figures + (failed > 0 ? " report: \(report)" : reason)
    }
}
