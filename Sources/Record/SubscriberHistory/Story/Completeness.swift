internal import NotificationStore

/// How much of a subscriber's life the payloads show. A count over the whole life is only known when nothing is missing.
struct Completeness: Sendable, Hashable {
    let gaps: [TimeRange]
    /// Apple's server gave it, `recover` has read it, or the periods follow each other from the first purchase on.
    let isHistoryComplete: Bool
    /// True when the store is taken to have every notification from the first purchase on: it has those of the first purchase
    /// and of every period since, or `recover` has read that time.
    ///
    /// Nothing shows that a single notification between two periods is lost, such as that of a cancellation. It is assumed that
    /// none is: Apple repeats a notification for 157 hours until the recorder confirms it, and `recover` brings back what was
    /// still lost in the last 180 days. Without this assumption every count of events would be missing for whoever does not
    /// run `recover` before each build.
    let hasEveryEvent: Bool
    /// Every event is known, or Apple's server gave the whole history, which shows every refund but one of seats, and
    /// the store has the notification of every period after that.
    let hasEveryRefund: Bool

    init(_ story: Story) {
        let found = Self.gaps(in: story)
        let ranges = found.map(\.range)
        var announced = story.announced
        for notification in story.notifications {
            if let id = notification.columns.transactionID { announced.insert(id) }
        }
        let isSeen = Self.hasEveryEvent(story, ranges, announced)
        let needed = isSeen ? nil : Self.neededCoverage(story, ranges, announced)
        let isCovered = needed.map { story.covers($0) } ?? false
        // Every purchase has a notification. Where each of those is in the store, the customer was away in a gap.
        gaps = isCovered && !found.contains(where: \.hidesPeriod) ? [] : ranges
        isHistoryComplete = !story.periods.isEmpty && !story.hasUnusableTransaction && gaps.isEmpty
        hasEveryEvent = isSeen || isCovered
        hasEveryRefund = hasEveryEvent || Self.hasEveryRefund(story, announced)
    }

    private struct Gap {
        let range: TimeRange
        /// True when a payload shows that a period is missing. The store should have its notification, and does not.
        let hidesPeriod: Bool
        let neighbours: [Period]

        init(from: Int64, to: Int64, hidesPeriod: Bool, beside neighbours: [Period]) {
            range = TimeRange(from: from, to: to)
            self.hidesPeriod = hidesPeriod
            self.neighbours = neighbours
        }
    }

    private static func gaps(in story: Story) -> [Gap] {
        var gaps: [Gap] = []
        if let first = story.periods.first {
            let begin = first.columns.originallyPurchasedAt.flatMap { Period.times.contains($0) ? $0 : nil }
            if begin.map({ abs($0 - first.start) > min(first.tolerance, firstMilliseconds) }) ?? true {
                let from = min(begin ?? first.start, first.start)
                gaps.append(Gap(from: from, to: first.start, hidesPeriod: true, beside: [first]))
            }
        }
        for place in story.periods.indices.dropFirst() {
            let (last, next) = (story.periods[place - 1], story.periods[place])
            let hasLeft = wasLeft(last, before: next)
            if hasLeft || hidesUpgrade(last, next) {
                gaps.append(
                    Gap(from: last.start, to: next.start, hidesPeriod: hasLeft, beside: [last, next]))
            }
            guard next.start > last.end + last.tolerance, !isRecovery(last, next, story) else { continue }
            // A customer who was away bought again. Apple renews only what ran until then, or what it collects late.
            let wasAway = next.columns.reason == "PURCHASE" && !last.isUpgraded
            let isExplained = wasAway || wasCollectedLate(last, next, story)
            gaps.append(Gap(from: last.end, to: next.start, hidesPeriod: !isExplained, beside: [last, next]))
        }
        if let gap = gapBehind(story) { gaps.append(gap) }
        // The history that Apple's server gave has everything that came before it.
        gaps.removeAll { gap in
            gap.neighbours.allSatisfy { period in story.syncedAt(period).map { gap.range.to <= $0 } ?? false }
        }
        return gaps + gapsOfMigrations(story)
    }

    /// By how much the time of the first purchase and the begin of its period may differ. The customer may upgrade soon after.
    private static let firstMilliseconds: Int64 = 60_000

    private static func hidesUpgrade(_ last: Period, _ next: Period) -> Bool {
        next.start < last.end - last.tolerance && last.first.signedAt > next.first.signedAt
    }

    private static func wasLeft(_ last: Period, before next: Period) -> Bool {
        next.start < last.end - last.tolerance && last.isUpgraded && last.copy.signedAt < next.announcedAt
    }

    /// The renewal info says when the latest purchase ends. Without it, a notification of the end must name the period.
    private static func gapBehind(_ story: Story) -> Gap? {
        guard let last = story.periods.last else { return nil }
        func gap(from: Int64, to: Int64, hidesPeriod: Bool) -> Gap {
            Gap(from: from, to: to, hidesPeriod: hidesPeriod, beside: [last])
        }
        if last.isUpgraded { return gap(from: last.start, to: last.copy.signedAt, hidesPeriod: true) }
        let limit = last.end + last.tolerance
        if let renewal = story.renewals.last, renewal.columns.renewsAt != nil {
            if story.hidesPeriod(renewal) {
                return gap(from: last.end, to: renewal.signedAt, hidesPeriod: true)
            }
            if renewal.signedAt >= last.end { return nil }
        }
        let later = story.notifications.last { $0.columns.status != nil && $0.signedAt > limit }
        guard let later else { return nil }
        let isNamed = story.notifications.contains {
            ends.contains($0.columns.type ?? "") && last.isNamed($0.columns.transactionID)
        }
        return isNamed ? nil : gap(from: last.end, to: later.signedAt, hidesPeriod: false)
    }

    /// The notifications of an end. Apple sends them about the latest transaction.
    private static let ends: Set<String> = ["EXPIRED", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED"]

    /// A subscription that moves to the Advanced Commerce API gets a new `originalTransactionId`. The periods before belong
    /// to the old one, and the history that Apple gives for the new one lacks them.
    private static func gapsOfMigrations(_ story: Story) -> [Gap] {
        let moved = story.periods.filter { $0.columns.previousOriginalTransactionID != nil }
        if moved.isEmpty { return [] }
        let known = Set(story.periods.compactMap(\.columns.originalTransactionID))
        return moved.filter { period in
            period.columns.previousOriginalTransactionID.map { !known.contains($0) } ?? false
        }.map { Gap(from: .min, to: $0.start, hidesPeriod: true, beside: [$0]) }
    }

    /// True when the store lacks what came before a move to another `originalTransactionId`.
    var lacksMigration: Bool { gaps.contains { $0.from == .min } }

    private static func isRecovery(_ last: Period, _ next: Period, _ story: Story) -> Bool {
        // After a free period only the length of the next one says how long a period is.
        let isPaid = last.columns.price.map { $0 > 0 } ?? true
        let length = isPaid ? min(last.end - last.start, next.end - next.start) : next.end - next.start
        return next.start - last.end < length && wasCollectedLate(last, next, story)
    }

    private static func wasCollectedLate(_ last: Period, _ next: Period, _ story: Story) -> Bool {
        let hasFailed = story.notifications.contains {
            $0.columns.type == "DID_FAIL_TO_RENEW" && last.isNamed($0.columns.transactionID)
        }
        return hasFailed
            && story.notifications.contains {
                $0.columns.subtype == "BILLING_RECOVERY" && next.isNamed($0.columns.transactionID)
            }
    }

    /// A notification between them may still be lost; see ``hasEveryEvent``.
    private static func hasEveryEvent(_ story: Story, _ gaps: [TimeRange], _ announced: Set<String>) -> Bool {
        guard let first = story.periods.first, !story.hasUnusableTransaction, gaps.isEmpty else {
            return false
        }
        let isFromTheStart = story.notifications.contains {
            $0.columns.type == "SUBSCRIBED" && $0.columns.subtype == "INITIAL_BUY"
                && first.isNamed($0.columns.transactionID)
        }
        return isFromTheStart && story.periods.allSatisfy { $0.ids.contains(where: announced.contains) }
    }

    /// Returns the range that `recover` must have read so that no event is missing: from the first purchase to the end of the
    /// last gap, and to the last period without a notification. Nil when no range is enough.
    private static func neededCoverage(_ story: Story, _ gaps: [TimeRange], _ announced: Set<String>)
        -> TimeRange?
    {
        guard let begin = story.periods.first?.columns.originallyPurchasedAt, Period.times.contains(begin),
            !story.hasUnusableTransaction, !gaps.contains(where: { $0.from == .min }),
            story.unknownPurchases.isEmpty
        else { return nil }
        let unannounced = story.periods.filter { !$0.ids.contains(where: announced.contains) }.map {
            $0.start + 1
        }
        return TimeRange(from: begin, to: ([begin + 1] + gaps.map(\.to) + unannounced).max() ?? begin + 1)
    }

    private static func hasEveryRefund(_ story: Story, _ announced: Set<String>) -> Bool {
        guard story.periods.allSatisfy(\.additions.isEmpty),
            story.periods.contains(where: { story.syncedAt($0) != nil })
        else { return false }
        return story.periods.allSatisfy { period in
            let isInHistory = story.syncedAt(period).map { period.start <= $0 } ?? false
            return (period.columns.quantity ?? 1) <= 1
                && (isInHistory || period.ids.contains(where: announced.contains))
        }
    }
}
