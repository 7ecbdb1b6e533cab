import NotificationStore
import SubscriberHistory

/// What of a random subscriber's life has arrived by a time, and when.
struct Arrival {
    /// The time.
    let now: Int64
    /// When Apple signed the latest payload; nil when nothing has arrived.
    let seenAt: Int64?
    /// When Apple signed the first and the last copy of a transaction, by the begin of its period.
    private var copies: [Int64: (first: Int64, last: Int64)] = [:]
    /// The begins of the periods about which there is a notification.
    private var noted: Set<Int64> = []
    private let lostTimes: Set<Int64>

    init(_ world: World, _ now: Int64) {
        let payloads = world.life.payloads
        self.now = now
        lostTimes = world.lostTimes.filter { $0 <= now }
        var begins: [String: Int64] = [:]
        for payload in payloads.transactions where payload.signedAt <= now {
            guard let begin = payload.columns.purchasedAt else { continue }
            begins[payload.columns.transactionID ?? ""] = begin
            let known = copies[begin] ?? (payload.signedAt, payload.signedAt)
            copies[begin] = (min(known.first, payload.signedAt), max(known.last, payload.signedAt))
        }
        for notification in payloads.notifications where notification.signedAt <= now {
            if let begin = begins[notification.columns.transactionID ?? ""] { noted.insert(begin) }
        }
        seenAt = payloads.renewals.map(\.signedAt).filter { $0 <= now }.max()
    }

    /// Returns true when what happened at a time arrived with its notification.
    func has(_ time: Int64) -> Bool { time <= now && !lostTimes.contains(time) }

    /// Returns true when something that happened after a time got lost.
    func lacks(after time: Int64) -> Bool { lostTimes.contains { $0 > time } }

    /// Returns true when a copy of a purchase has arrived.
    func knows(_ purchase: Truth.Purchase) -> Bool { copies[purchase.start] != nil }

    /// Returns true when a notification about a purchase has arrived.
    func hasNotification(of purchase: Truth.Purchase) -> Bool { noted.contains(purchase.start) }

    /// When Apple signed the first copy of a purchase that has arrived.
    func first(_ purchase: Truth.Purchase) -> Int64 { copies[purchase.start]?.first ?? .max }

    /// When Apple signed the last copy of a purchase that has arrived.
    func last(_ purchase: Truth.Purchase) -> Int64 { copies[purchase.start]?.last ?? .min }
}
