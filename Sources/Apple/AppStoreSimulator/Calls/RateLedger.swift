internal import AppStoreServerAPI
internal import Vocabulary

/// The calls of the last hour, for each app, environment and operation.
///
/// Apple states the rates per second and enforces them per hour, and does not say whether its hour is fixed or rolling. The
/// hour here is rolling: a client that keeps within it keeps within any fixed hour too.
/// Source: Apple, Identifying rate limits.
struct RateLedger {
    /// The app, environment and operation whose budget a call uses.
    struct Key: Hashable {
        let bundleId: String
        let environment: Environment
        let operation: AppStoreServerOperation
    }

    static let hourMilliseconds: Int64 = 3_600_000

    /// The times of the calls in one hour, oldest first; those before `first` no longer count.
    private struct Calls {
        var times: [Int64] = []
        var first = 0
    }

    private var calls: [Key: Calls] = [:]

    /// The number of calls that Apple allows in an hour. Sandbox has a tenth of Production.
    static func budget(_ key: Key) -> Int {
        let perSecond =
            switch key.operation {
            case .setDefault: 10
            case .notificationHistory, .subscriptionStatuses, .transactionHistory, .transactionInfo: 50
            default: 1
            }
        return perSecond * 3600 / (key.environment == .sandbox ? 10 : 1)
    }

    /// Counts a call at `time` and returns nil, or returns the time from which on the next call is possible. Times are
    /// milliseconds of the ledger's own clock.
    mutating func take(_ key: Key, at time: Int64) -> Int64? {
        var list = calls.removeValue(forKey: key) ?? Calls()
        defer { calls[key] = list }
        while list.first < list.times.count, list.times[list.first] + Self.hourMilliseconds <= time {
            list.first += 1
        }
        if list.first > list.times.count / 2 {
            list.times.removeFirst(list.first)
            list.first = 0
        }
        if list.times.count - list.first >= Self.budget(key) {
            return list.times[list.first] + Self.hourMilliseconds
        }
        list.times.append(time)
        return nil
    }
}
