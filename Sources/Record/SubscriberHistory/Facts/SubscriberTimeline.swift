/// The story of one subscriber: what came from Apple, and what it changed.
public struct SubscriberTimeline: Sendable {
    /// Something that came from Apple: a notification with the parts in it, or parts that came by themselves.
    public struct Entry: Sendable {
        /// The payloads, in order.
        public let payloads: [Evidence]
        /// The time at which Apple signed the last of them, milliseconds since 1970.
        public let at: Int64
        /// The facts that changed with it, in the order of ``SubscriberFact``.
        public let changes: [Change]
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

    /// Makes the timeline as it is known at `now`, milliseconds since 1970.
    ///
    /// The facts just before an entry are those of its own time without its payloads, so that a change by the mere passing of
    /// time is not put down to the entry.
    public init(_ payloads: SubscriberPayloads, now: Int64) {
        var entries: [Entry] = []
        var known = payloads
        (known.transactions, known.renewals, known.notifications) = ([], [], [])
        for group in Self.groups(payloads, now) {
            guard let at = group.last?.signedAt else { continue }
            let before = HistoryFacts(known, now: at)
            let names = Set(group)
            known.transactions += payloads.transactions.filter { names.contains($0.evidence) }
            known.renewals += payloads.renewals.filter { names.contains($0.evidence) }
            known.notifications += payloads.notifications.filter { names.contains($0.evidence) }
            let after = HistoryFacts(known, now: at)
            let changes = zip(before.statements, after.statements).filter { old, new in
                old.value != new.value
            }.map { Change(before: $0, after: $1) }
            entries.append(Entry(payloads: group, at: at, changes: changes))
        }
        self.entries = entries
        facts = HistoryFacts(payloads, now: now)
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
