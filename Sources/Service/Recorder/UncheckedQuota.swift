/// How many notifications that name no app may still be stored on the present day (UTC).
struct UncheckedQuota {
    private static let dayMilliseconds: Int64 = 86_400_000
    private var day: Int64 = 0
    private var count: Int64 = 0

    /// Returns true when one more may be stored.
    mutating func hasRoom(limit: Int64, nowMilliseconds: Int64) -> Bool {
        let today = nowMilliseconds / Self.dayMilliseconds
        if today != day {
            day = today
            count = 0
        }
        return count < limit
    }

    /// Counts one.
    mutating func take() { count += 1 }
}
