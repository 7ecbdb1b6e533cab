internal import Configuration
internal import Cryptography
internal import FastCGI
internal import NotificationStore
internal import System
internal import Telemetry
internal import Vocabulary

/// One scrape of the recorder. No label has an identifier of a subscriber.
struct MetricsPage {
    let recorder: Recorder

    /// Returns the text of the scrape.
    func text() -> [UInt8] {
        var text = MetricText()
        for metric in RecorderMetric.allCases {
            text.begin(metric.family)
            write(metric, to: &text)
        }
        return text.finished()
    }

    /// Writes the samples of a metric; none when its value is not known.
    private func write(_ metric: RecorderMetric, to text: inout MetricText) {
        let counters = recorder.counters
        switch metric {
        case .buildInfo:
            text.sample([ProductVersion.text, CryptographyLibrary.version, FastCGILibrary.version], 1)
        case .startTime: text.sample(decimal: MetricText.seconds(recorder.startedMilliseconds))
        case .notifications: notifications(&text)
        case .problems: codes(counters.problems, &text)
        case .failedParts: codes(counters.failedParts, &text)
        case .notStored: text.sample(counters.notStored)
        case .lateCommits: text.sample(counters.lateCommits)
        case .batchSize:
            let edges = RecorderCounters.sizeEdges.map { "\($0)" }
            text.histogram(edges: edges, counts: counters.batchSizes, sum: "\(counters.batchTotal)")
        case .commit:
            text.histogram(
                edges: RecorderCounters.commitEdges.map { MetricText.decimal($0, unitsPerOne: 1000) },
                counts: counters.commits,
                sum: MetricText.decimal(counters.commitMicroseconds, unitsPerOne: 1_000_000)
            )
        case .unanswered:
            let counts = recorder.connectionCounts()
            text.sample(["client_gone"], counts.abandonedCount)
            text.sample(["malformed"], counts.refusedCount)
            text.sample(["no_room"], counts.crowdedOutCount)
        case .parked: text.sample(recorder.waitingCount)
        case .storeUp: text.sample(recorder.condition == .open ? 1 : 0)
        case .lastNotification:
            if let last = counters.lastMilliseconds { text.sample(decimal: MetricText.seconds(last)) }
        case .forwardLag:
            // The name has a digest of the URL. If two names were equal all the same, the larger number is the one to know.
            let lags = Dictionary(recorder.forwardLags.map { ($0, $1) }, uniquingKeysWith: max)
            for (receiver, seconds) in lags.sorted(by: { $0.key < $1.key }) {
                text.sample([receiver], seconds)
            }
        case .forwardSetAside:
            let counts = Dictionary(recorder.setAsideCounts.map { ($0, $1) }, uniquingKeysWith: max)
            for (receiver, count) in counts.sorted(by: { $0.key < $1.key }) {
                text.sample([receiver], count)
            }
        case .certificateEnd:
            for (position, end) in CertificateSightings.ends(recorder.certificatesInUse) {
                text.sample([position.rawValue], decimal: MetricText.seconds(end))
            }
        case .clockJumps: text.sample(counters.clockJumps)
        case .signedDateOffset:
            let now = recorder.timing.bootMilliseconds
            if let median = recorder.clockOffsets.median(atMilliseconds: now) {
                text.sample(decimal: MetricText.seconds(median))
            }
        case .storeBytes: if let size = storeSize("") { text.sample(size) }
        case .storeLogBytes: if let size = storeSize("-wal") { text.sample(size) }
        }
    }

    private func notifications(_ text: inout MetricText) {
        for (type, outcomes) in recorder.counters.notifications.sorted(by: { $0.key < $1.key }) {
            for outcome in RecorderCounters.Outcome.allCases {
                if let count = outcomes[outcome] { text.sample([type, outcome.rawValue], count) }
            }
        }
    }

    private func codes(_ counts: [String: UInt64], _ text: inout MetricText) {
        for (code, count) in counts.sorted(by: { $0.key < $1.key }) { text.sample([code], count) }
    }

    /// Returns the size of the store's file, or of the file beside it with this ending; nil when there is none.
    private func storeSize(_ ending: String) -> Int? {
        guard let address = try? StoreAddress(recorder.settings.store).resolved,
            case .sqlite(let path) = address,
            let status = try? FileStatus(path: path + ending)
        else { return nil }
        return max(0, status.byteCount)
    }
}
