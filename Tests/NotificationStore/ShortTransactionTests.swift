import SQL
import Support
import Testing

@testable import NotificationStore

@Suite("A short transaction", .timeLimit(.minutes(5)))
struct ShortTransactionTests {
    private final class Clock { var time: Int64 = 0 }

    @Test(
        "has so many rows that others need not wait for long",
        arguments: [
            // Milliseconds that each transaction takes, and the transactions for 200 rows: 64, 128 and 8; 64, 64, 64 and 8; and 64,
            // 32, 16, 8, 4, 2 and then one each.
            (Int64(9), 3), (10, 4), (25, 4), (26, 80),
        ]
    )
    func polite(milliseconds: Int64, count: Int) throws {
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { _ in }
        let place = try TestStore(.sqlite)
        let store = try place.open(timing: timing)
        var (left, steps) = (200, 0)
        try store.inShortTransactions { (limit, _) throws(SQLError) in
            let changed = min(limit, left)
            left -= changed
            if changed > 0 { steps += 1 }
            clock.time += milliseconds
            return changed
        }
        #expect(left == 0 && steps == count, "\(steps)")
        withExtendedLifetime(place) {}
    }
}
