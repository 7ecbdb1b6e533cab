internal import AppStoreServerAPI
internal import JSON
internal import Vocabulary

/// How many calls of each kind were answered with which status. Tests of clients read from it whether anything was sent
/// twice, and whether a client was refused for its rate.
public struct CallCounts: Sendable, Hashable {
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
