internal import BenchmarkStatistics
internal import HTTPLoad

/// The 99th percentiles of the latency in two situations. The latencies of several phases are counted together, because the
/// hundredth part of a short phase is a few messages, and one disturbance of the machine decides about those.
struct LatencyComparison {
    /// The situations that are compared.
    enum Side: Int {
        case subject
        case reference
    }

    /// The percentiles of each round, in milliseconds.
    let rounds: PairedSample
    /// The subject's percentile over the reference's, each of all phases of all rounds.
    let pooledRatio: Double

    /// Measures the latencies of both sides in turn.
    ///
    /// - Parameters:
    ///   - rounds: the number of rounds.
    ///   - phases: the number of phases that each side has in a round. The order of four phases is: subject, reference,
    ///     reference, subject. Every other round begins with the reference. So a machine that slows down in the course of a
    ///     round slows down both sides.
    ///   - measure: measures one phase.
    /// - Throws: the errors of `measure`, and a ``Failure`` when there is no round.
    init(rounds: Int, phases: Int, _ measure: (Side) throws -> LoadHistogram) throws {
        var all = [LoadHistogram(), LoadHistogram()]
        var percentiles: [[Double]] = [[], []]
        for round in 0..<rounds {
            var pooled = [LoadHistogram(), LoadHistogram()]
            for phase in 0..<2 * phases {
                let side: Side = (round + (phase + 1) / 2).isMultiple(of: 2) ? .subject : .reference
                pooled[side.rawValue].add(try measure(side))
            }
            for (side, histogram) in pooled.enumerated() {
                percentiles[side].append(Self.milliseconds(histogram))
                all[side].add(histogram)
            }
        }
        guard let sample = PairedSample(subject: percentiles[0], reference: percentiles[1]) else {
            throw Failure("no sample")
        }
        self.rounds = sample
        pooledRatio = Self.milliseconds(all[0]) / Self.milliseconds(all[1])
    }

    private static func milliseconds(_ histogram: LoadHistogram) -> Double {
        Double(histogram.nanoseconds(at: 0.99)) / 1_000_000
    }
}
