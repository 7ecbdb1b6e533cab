internal import Reply
internal import SignedPayloads

struct RecorderCounters {
    enum Outcome: String, CaseIterable {
        case stored
        case alreadyThere = "already_there"
        /// It belongs to a subscriber who was erased, and was dropped.
        case tombstoned
    }

    /// The edges of ``batchSizes`` and of ``commitMilliseconds``. One more bucket is above the last edge.
    static let sizeEdges: [UInt64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    static let commitEdges: [UInt64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

    /// Notifications by type and outcome. Types that Apple has not documented count as `other`, so that the number of
    /// labels is bounded. Like all counts by label, each begins at 0: what Prometheus sees first counts as no increase.
    private(set) var notifications = Dictionary(
        uniqueKeysWithValues: knownTypes.union([otherType]).map { type in
            (type, Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, 0 as UInt64) }))
        }
    )
    private(set) var problems = Dictionary(
        uniqueKeysWithValues: Problem.ofNotifications.map { ($0.code, 0 as UInt64) }
    )
    private(set) var failedParts = Dictionary(
        uniqueKeysWithValues: Refusal.allCases.map { ($0.code, 0 as UInt64) }
    )
    /// Notifications whose commit ended after they were answered with 503.
    var lateCommits: UInt64 = 0
    var notStored: UInt64 = 0
    private(set) var batchSizes = [UInt64](repeating: 0, count: sizeEdges.count + 1)
    private(set) var batchTotal: UInt64 = 0
    private(set) var commits = [UInt64](repeating: 0, count: commitEdges.count + 1)
    private(set) var commitMicroseconds: UInt64 = 0
    var lastMilliseconds: Int64?
    /// How often the wall clock was set by 1.5 seconds or more.
    var clockJumps: UInt64 = 0

    private static let knownTypes = Set(NotificationType.known.map(\.rawValue))
    private static let otherType = "other"

    static func label(_ type: NotificationType) -> String {
        knownTypes.contains(type.rawValue) ? type.rawValue : otherType
    }

    mutating func count(_ outcome: Outcome, type: String) {
        notifications[type, default: [:]][outcome, default: 0] += 1
    }

    mutating func count(_ problem: Problem) {
        problems[problem.code, default: 0] += 1
    }

    mutating func count(failedPart code: String) {
        failedParts[code, default: 0] += 1
    }

    mutating func count(_ batch: StoreMailbox.Finished) {
        let (size, microseconds) = (batch.numbers.count, batch.microseconds)
        batchTotal += UInt64(size)
        batchSizes[Self.bucket(UInt64(size), Self.sizeEdges)] += 1
        commitMicroseconds += microseconds
        commits[Self.bucket((microseconds + 999) / 1000, Self.commitEdges)] += 1
    }

    private static func bucket(_ value: UInt64, _ edges: [UInt64]) -> Int {
        edges.firstIndex { value <= $0 } ?? edges.count
    }

    func total(_ outcome: Outcome) -> UInt64 {
        notifications.values.reduce(0) { $0 + ($1[outcome] ?? 0) }
    }
}
