internal import HTTPLoad
internal import Synchronization

/// Notes what a server does under more load than it can take: which requests it answers, how fast it refuses the others, and
/// how soon it is normal again afterwards.
///
/// Requests with an even index are sent to the pool over kept connections, those with an odd index over new ones, when the
/// file of requests has both.
final class OverloadWatch: Sendable {
    private struct State {
        /// Latencies of requests that were due during the load.
        var good = LoadHistogram()
        var refused = LoadHistogram()
        /// Requests of that time with another answer.
        var otherCount = 0
        /// Good answers that came in time and during the load, its first second left out.
        var countInTime = 0
        /// Latencies of requests that were due a second after the load or later, and those that were not answered well.
        var calm = LoadHistogram()
        var calmFailureCount = 0
        /// For each 10 ms of due times: the longest wait over a new connection, and the shortest and the longest over a kept
        /// one, in nanoseconds. The first second is left out, because all connections send at once at the start.
        var buckets: [Int: Waits] = [:]
    }

    private struct Waits {
        var new: UInt64?
        var kept: ClosedRange<UInt64>?
    }

    private let state = Mutex(State())
    /// The length of the load in nanoseconds, and the part at its beginning that is left out of the rate.
    private let length: UInt64
    private let lead: UInt64
    /// Apple waits 700 ms, of which the way to the server and back takes a part.
    private static let inTime: UInt64 = 600_000_000
    private static let second: UInt64 = 1_000_000_000
    private static let bucketNanoseconds: UInt64 = 10_000_000

    init(_ options: Options) {
        length = UInt64(options.seconds * 1e9)
        lead = min(Self.second, length / 4)
    }

    func note(_ arrival: LoadArrival, isGood: Bool) {
        let due = arrival.dueTime - arrival.startTime
        let came = arrival.time - arrival.startTime
        let latency = arrival.latencyNanoseconds
        state.withLock { state in
            if isGood, came >= lead, came < length, latency <= Self.inTime { state.countInTime += 1 }
            if due < length {
                if isGood {
                    state.good.record(nanoseconds: latency)
                    if due >= lead { note(latency, due, isNew: arrival.request % 2 == 1, &state) }
                } else if arrival.status == 503 {
                    state.refused.record(nanoseconds: latency)
                } else {
                    state.otherCount += 1
                }
            } else if due >= length + Self.second {
                state.calm.record(nanoseconds: latency)
                if !isGood { state.calmFailureCount += 1 }
            }
        }
    }

    private func note(_ latency: UInt64, _ due: UInt64, isNew: Bool, _ state: inout State) {
        let bucket = Int(due / Self.bucketNanoseconds)
        var waits = state.buckets[bucket] ?? Waits()
        if isNew {
            waits.new = max(waits.new ?? 0, latency)
        } else {
            let kept = waits.kept ?? latency...latency
            waits.kept = min(kept.lowerBound, latency)...max(kept.upperBound, latency)
        }
        state.buckets[bucket] = waits
    }

    /// Names and values for the line of figures; times are in microseconds.
    var figures: [(String, Double)] {
        state.withLock { state in
            func latency(_ histogram: LoadHistogram, _ part: Double) -> Double {
                Double(histogram.nanoseconds(at: part)) / 1000
            }
            let unfair = state.buckets.values.compactMap { waits -> Double? in
                guard let new = waits.new, let kept = waits.kept else { return nil }
                return (Double(new) - Double(kept.lowerBound)) / 1000
            }
            let spread = state.buckets.values.compactMap(\.kept).map { kept in
                Double(kept.upperBound - kept.lowerBound) / 1000
            }
            return [
                ("goodput", Double(state.countInTime) * 1e9 / Double(length - lead)),
                ("answered", Double(state.good.count)), ("refused", Double(state.refused.count)),
                ("other", Double(state.otherCount)),
                ("good_p50", latency(state.good, 0.5)), ("good_p99", latency(state.good, 0.99)),
                ("refused_p50", latency(state.refused, 0.5)), ("refused_p99", latency(state.refused, 0.99)),
                ("calm", Double(state.calm.count)), ("calm_failed", Double(state.calmFailureCount)),
                ("calm_p99", latency(state.calm, 0.99)), ("unfair", unfair.max() ?? 0),
                ("spread", spread.max() ?? 0),
            ]
        }
    }
}
