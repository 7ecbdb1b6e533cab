/// The story of one subscriber: what came from Apple, and what it changed.
public struct SubscriberTimeline: Sendable {
    /// Something that came from Apple: a notification with the parts in it, or parts that came by themselves.
    public struct Entry: Sendable {
        /// The payloads, in order.
        public let payloads: [Evidence]
        /// The time at which Apple signed the last of them, milliseconds since 1970.
        public let at: Int64
        /// The facts that changed with it, in the order of ``SubscriberFact``; nil when they were not derived, because the
        /// subscriber has too many payloads after it.
        public let changes: [Change]?
    }

    /// A fact that has another value, or is known or missing, since an entry.
    public struct Change: Sendable {
        /// What the fact was just before.
        public let before: FactStatement
        /// What the fact is with the entry.
        public let after: FactStatement
    }

    /// The entries, the earliest first.
    public let entries: [Entry]
    /// The facts at the time for which the timeline was made.
    public let facts: HistoryFacts

    /// Parts that Apple signed at most this long before the notification belong to it.
    private static let signingMilliseconds: Int64 = 1000

    /// How many payloads may be looked at for the changes of all entries. It grows with the square of the payloads: 0.8 million for
    /// a customer with weekly renewals for ten years, and without a limit 300 million for as many payloads as a subscriber may have.
    public static let usualWork = 2_000_000

    /// Makes the timeline as it is known at `now`, milliseconds since 1970.
    ///
    /// The facts just before an entry are those of its own time without its payloads, so that a change by the mere passing of
    /// time is not put down to the entry.
    ///
    /// - Parameters:
    ///   - payloads: the payloads of the subscriber.
    ///   - now: the time, milliseconds since 1970.
    ///   - work: how many payloads may be looked at for the changes. Earlier entries then have none.
    public init(_ payloads: SubscriberPayloads, now: Int64, work: Int = usualWork) {
        let groups = Self.groups(payloads, now)
        var places: [Evidence: Int] = [:]
        for (place, group) in groups.enumerated() { for evidence in group { places[evidence] = place } }
        func parts<Columns>(_ list: [HistoryPayload<Columns>]) -> [Int?: [HistoryPayload<Columns>]] {
            Dictionary(grouping: list) { places[$0.evidence] }
        }
        let transactions = parts(payloads.transactions)
        let renewals = parts(payloads.renewals)
        let notifications = parts(payloads.notifications)
        let first = Self.firstDerived(groups.map(\.count), work: work)
        var entries: [Entry] = []
        var known = payloads
        (known.transactions, known.renewals, known.notifications) = ([], [], [])
        for (place, group) in groups.enumerated() {
            guard let at = group.last?.signedAt else { continue }
            let before = place < first ? nil : HistoryFacts(known, now: at)
            known.transactions += transactions[place] ?? []
            known.renewals += renewals[place] ?? []
            known.notifications += notifications[place] ?? []
            let changes = before.map { before in
                let after = HistoryFacts(known, now: at)
                return zip(before.statements, after.statements).filter { old, new in
                    old.value != new.value
                }.map { Change(before: $0, after: $1) }
            }
            entries.append(Entry(payloads: group, at: at, changes: changes))
        }
        self.entries = entries
        facts = HistoryFacts(payloads, now: now)
    }

    /// Returns the first entry whose changes are derived. The facts before and after an entry are derived from all payloads until
    /// then.
    private static func firstDerived(_ counts: [Int], work: Int) -> Int {
        var (known, rest, first) = (counts.reduce(0, +), work, counts.count)
        while first > 0, rest >= 2 * known {
            rest -= 2 * known
            first -= 1
            known -= counts[first]
        }
        return first
    }

    /// The payloads that were signed by `now`, in order, each notification with its parts.
    private static func groups(_ payloads: SubscriberPayloads, _ now: Int64) -> [[Evidence]] {
        let all =
            payloads.transactions.map(\.evidence) + payloads.renewals.map(\.evidence)
            + payloads.notifications.map(\.evidence)
        var groups: [[Evidence]] = []
        for evidence in Set(all).filter({ $0.signedAt <= now }).sorted() {
            if let last = groups.last?.last, last.kind != .notification,
                evidence.signedAt - last.signedAt <= signingMilliseconds
            {
                groups[groups.count - 1].append(evidence)
            } else {
                groups.append([evidence])
            }
        }
        return groups
    }
}
