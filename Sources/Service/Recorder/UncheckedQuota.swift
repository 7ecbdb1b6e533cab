/// How many notifications that name no app may still be stored on the present day (UTC). The count begins with what the
/// store has of that day, so a recorder that starts again and again stores no more than one that runs.
struct UncheckedQuota {
    private static let dayMilliseconds: Int64 = 86_400_000
    private var day: Int64 = .min
    private var count: Int64 = 0
    /// False until the store has said how many it has of the day on which the recorder was started.
    private(set) var isKnown = false

    /// The beginning of the day of a time.
    static func dayStart(ofMilliseconds time: Int64) -> Int64 { time / dayMilliseconds * dayMilliseconds }

    /// Returns true when one more may be stored; always false while the store has not said what it has.
    mutating func hasRoom(limit: Int64, nowMilliseconds: Int64) -> Bool {
        let today = nowMilliseconds / Self.dayMilliseconds
        if today != day {
            day = today
            count = 0
        }
        return isKnown && count < limit
    }

    /// Counts one.
    mutating func take() { count += 1 }

    /// Takes what the store has since `dayStart`. Only the first such number counts; afterwards this process counts itself.
    mutating func begin(_ stored: StoredUnchecked) {
        guard !isKnown else { return }
        isKnown = true
        day = stored.dayStart / Self.dayMilliseconds
        count = Int64(stored.count)
    }
}

/// How many notifications that name no app the store has of one day.
struct StoredUnchecked: Sendable, Hashable {
    /// The beginning of the day, milliseconds since 1970.
    let dayStart: Int64
    let count: Int
}
