public import NotificationStore

/// The facts about a subscriber from a time on, until the next piece.
public struct FactPiece: Sendable, Hashable {
    /// The first time, milliseconds since 1970.
    public let from: Int64
    /// The values by fact; a missing fact has none.
    public let values: FactValues
}

/// The facts about a subscriber as a function of time, as long as no other payload comes.
///
/// Time alone changes few things: a period begins or ends, a grace period ends. So the facts at any time behind the latest
/// payload are one of a few pieces, and a file of facts is made without reading the payloads again.
public struct FactPieces: Sendable, Hashable {
    /// The pieces, the earliest first. The first one begins when the latest payload was signed.
    public let pieces: [FactPiece]
    /// The pieces for a store that has every notification of ``neededCoverage``; nil when that changes nothing.
    public let coveredPieces: [FactPiece]?
    /// The range of which `recover` must have read every notification for ``coveredPieces``; nil when there are none.
    public let neededCoverage: TimeRange?

    /// Derives the pieces; nil when there is no payload. What `recover` has read does not matter, because it may read more
    /// without another payload of this subscriber.
    public init?(_ payloads: SubscriberPayloads) {
        guard let newest = payloads.newest else { return nil }
        var payloads = payloads
        payloads.covered = []
        let derivations = Self.derivations(payloads, newest)
        pieces = Self.pieces(of: derivations)
        guard let needed = derivations.last?.derivation.completeness.neededCoverage else {
            (coveredPieces, neededCoverage) = (nil, nil)
            return
        }
        let covered = Self.pieces(of: derivations.map { ($0.derivation.covering([needed]), $0.times) })
        (coveredPieces, neededCoverage) = covered == pieces ? (nil, nil) : (covered, needed)
    }

    /// The derivation that holds from the newest payload on, and one for each later sync, which shows that nothing is missing; each
    /// with the times at which a fact may change until the next one.
    private static func derivations(
        _ payloads: SubscriberPayloads,
        _ newest: Int64
    ) -> [(derivation: FactDerivation, times: [Int64])] {
        let story = Story(payloads, now: newest)
        let begins = [newest] + Set(payloads.syncedAt.values.filter { $0 > newest }).sorted()
        let turns = Set(story.turns).sorted()
        return begins.indices.map { place in
            let begin = begins[place]
            let end = place + 1 < begins.count ? begins[place + 1] : nil
            let story = place == 0 ? story : Story(payloads, now: begin)
            let times = [begin] + turns.filter { turn in begin < turn && end.map { turn < $0 } ?? true }
            return (FactDerivation(story, listsEvidence: false), times)
        }
    }

    private static func pieces(
        of derivations: [(derivation: FactDerivation, times: [Int64])]
    ) -> [FactPiece] {
        var pieces: [FactPiece] = []
        for (derivation, times) in derivations {
            var derivation = derivation
            for time in times {
                derivation.move(to: time)
                let values = derivation.values
                if pieces.last?.values != values { pieces.append(FactPiece(from: time, values: values)) }
            }
        }
        return pieces
    }

    /// Makes pieces that were derived before.
    init(pieces: [FactPiece], coveredPieces: [FactPiece]?, neededCoverage: TimeRange?) {
        self.pieces = pieces
        self.coveredPieces = coveredPieces
        self.neededCoverage = neededCoverage
    }

    /// Returns the piece of a time; nil for a time before the latest payload.
    ///
    /// - Parameters:
    ///   - now: the time, milliseconds since 1970.
    ///   - covered: the ranges for which every notification is in the store.
    /// - Returns: the piece.
    public func piece(at now: Int64, covered: [TimeRange] = []) -> FactPiece? {
        let isCovered = neededCoverage.map { $0.isInside(covered) } ?? false
        let chosen = isCovered ? coveredPieces ?? pieces : pieces
        return chosen.last { $0.from <= now }
    }
}

extension TimeRange {
    /// Returns true when one of these ranges has the whole of this one.
    func isInside(_ others: [TimeRange]) -> Bool {
        others.contains { $0.from <= from && to <= $0.to }
    }
}

extension Story {
    /// The times at which a fact may change without another payload.
    fileprivate var turns: [Int64] {
        var times = periods.flatMap { [$0.start, $0.end, $0.revokedAt ?? $0.start] }
        times += periods.map { $0.end + StatusKnowledge.billingRetryMilliseconds }
        if let columns = renewals.last?.columns {
            times += [columns.gracePeriodExpiresAt, columns.renewsAt].compactMap { $0 }
            if let renewsAt = columns.renewsAt, Period.times.contains(renewsAt) {
                times.append(renewsAt + StatusKnowledge.billingRetryMilliseconds)
            }
        }
        return times
    }
}
