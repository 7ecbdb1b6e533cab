internal import AppStoreServerAPI
internal import JSON
internal import System

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

/// How many calls of each kind were answered with which status. Tests of clients read from it whether anything was sent
/// twice, and whether a client was refused for its rate.
package struct CallCounts: Sendable, Hashable {
    private var counts: [String: [String: [String: [Int: Int64]]]] = [:]

    /// Counts a call. The status 0 stands for an answer that was lost.
    mutating func add(_ key: RateLedger.Key, status: Int) {
        counts[key.bundleId, default: [:]][key.environment.rawValue, default: [:]][
            key.operation.rawValue,
            default: [:]
        ][status, default: 0] += 1
    }

    /// The counts as JSON: app, environment, operation, status, number. The status `lost` stands for an answer that was lost.
    var json: JSONNode {
        Self.object(counts) { environments in
            Self.object(environments) { operations in
                Self.object(operations) { statuses in
                    .object(
                        statuses.sorted { $0.key < $1.key }
                            .map { ($0.key == 0 ? "lost" : String($0.key), .integer($0.value)) }
                    )
                }
            }
        }
    }

    private static func object<Value>(_ members: [String: Value], _ node: (Value) -> JSONNode) -> JSONNode {
        .object(members.sorted { $0.key < $1.key }.map { ($0.key, node($0.value)) })
    }
}
