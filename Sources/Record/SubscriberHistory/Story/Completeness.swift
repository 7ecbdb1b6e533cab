internal import NotificationStore

/// How much of a subscriber's life the payloads show. A count over the whole life is only known when nothing is missing.
struct Completeness: Sendable, Hashable {
    /// The ranges between two periods in which something may be missing, and the one before the first known period.
    let gaps: [TimeRange]
    /// True when Apple's server gave the whole history, or the periods follow each other from the first purchase on.
    let isHistoryComplete: Bool
    /// True when every notification from the first purchase on is in the store.
    let hasEveryEvent: Bool

    init(_ story: Story) {
        var gaps: [TimeRange] = []
        if let first = story.periods.first {
            let begin = first.columns.originallyPurchasedAt
            if begin.map({ abs($0 - first.start) > first.tolerance }) ?? true {
                gaps.append(TimeRange(from: min(begin ?? first.start, first.start), to: first.start))
            }
        }
        for place in story.periods.indices.dropFirst() {
            let (last, next) = (story.periods[place - 1], story.periods[place])
            guard next.start > last.end + last.tolerance, !Self.isRecovery(next, story) else { continue }
            gaps.append(TimeRange(from: last.end, to: next.start))
        }
        // The history that Apple's server gave has everything that came before it.
        if let syncedAt = story.syncedAt { gaps.removeAll { $0.to <= syncedAt } }
        self.gaps = gaps
        isHistoryComplete = !story.periods.isEmpty && !story.hasUnusableTransaction && gaps.isEmpty
        hasEveryEvent = Self.hasEveryEvent(story, gaps)
    }

    /// Returns true when a period began because Apple collected the price late: nothing can lie between.
    private static func isRecovery(_ period: Period, _ story: Story) -> Bool {
        story.notifications.contains {
            $0.columns.subtype == "BILLING_RECOVERY" && $0.columns.transactionID == period.id
        }
    }

    /// Returns true when the store saw the first purchase and a notification for every period, or when `recover` has read
    /// Apple's whole history from the first purchase on.
    private static func hasEveryEvent(_ story: Story, _ gaps: [TimeRange]) -> Bool {
        guard let first = story.periods.first, let last = story.lastSigned,
            let begin = first.columns.originallyPurchasedAt
        else { return false }
        if story.covered.contains(where: { $0.from <= begin && last < $0.to }) { return true }
        guard gaps.isEmpty, !story.hasUnusableTransaction else { return false }
        let noted = Set(story.notifications.compactMap(\.columns.transactionID))
        let isFromTheStart = story.notifications.contains {
            $0.columns.type == "SUBSCRIBED" && $0.columns.subtype == "INITIAL_BUY"
                && $0.columns.transactionID == first.id
        }
        return isFromTheStart && story.periods.allSatisfy { noted.contains($0.id) }
    }
}

extension Story {
    /// The time at which the latest payload was signed.
    var lastSigned: Int64? {
        [periods.map(\.copy.signedAt).max(), renewals.last?.signedAt, notifications.last?.signedAt]
            .compactMap { $0 }.max()
    }
}
