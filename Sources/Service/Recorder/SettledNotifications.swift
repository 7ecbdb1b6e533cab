internal import NotificationStore

/// The notifications whose commits have ended, before their requests are answered.
///
/// A commit ends for many notifications at once. If all were answered in one turn, nginx would have to pass on all these answers
/// before anything else, and a retention message would wait behind them. So each turn answers a part.
struct SettledNotifications {
    /// How long a turn waits at most while a request can be answered, in milliseconds.
    static let turnMilliseconds: Int32 = 1

    /// The most requests that a turn leaves for the next ones: they take the room of new ones.
    private static let leftCount = 128

    private var entries: [(number: UInt64, outcome: StoreOutcome)] = []

    /// True when no request waits to be answered.
    var isEmpty: Bool { entries.isEmpty }

    /// Adds the notifications of a batch.
    mutating func add(_ batch: StoreMailbox.Finished) {
        entries += zip(batch.numbers, batch.outcomes).map { (number: $0, outcome: $1) }
    }

    /// Removes the notifications whose requests this turn answers. Without `all`, these are a sixteenth, and at least one.
    mutating func take(all: Bool) -> [(number: UInt64, outcome: StoreOutcome)] {
        let count = all ? entries.count : max(1, entries.count / 16, entries.count - Self.leftCount)
        let taken = Array(entries.prefix(count))
        entries.removeFirst(taken.count)
        return taken
    }
}
