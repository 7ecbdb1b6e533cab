public import AppStoreServerAPI
internal import Vocabulary

/// The calls of a plan, and how long Apple's rates make them take.
public struct PlanEstimate: Sendable, Hashable {
    /// The number of calls of one operation.
    public struct Calls: Sendable, Hashable {
        /// The operation that is called.
        public let operation: AppStoreServerOperation
        /// The number of calls.
        public let count: Int
        /// The number of calls that Apple allows in an hour.
        public let perHour: Int
    }

    /// The calls in the order of the steps.
    public let calls: [Calls]
    /// The time that passes because of the rates, in milliseconds. The network and Apple's review come on top.
    public let milliseconds: Int64

    /// Estimates the calls of a plan.
    ///
    /// - Parameters:
    ///   - plan: the plan.
    ///   - server: the server.
    ///   - ledger: the calls of the last hour.
    ///   - now: the time, milliseconds since 1970.
    public init(_ plan: CataloguePlan, at server: AppStoreServer, ledger: RateLedger, now: Int64) {
        let planned = plan.calls.map { call in
            PlannedCalls(
                RateKey(bundleId: plan.bundleId, server: server, operation: call.operation),
                count: call.count
            )
        }
        milliseconds = ledger.estimate(planned, at: now).max() ?? 0
        calls = planned.map {
            Calls(operation: $0.key.operation, count: $0.count, perHour: $0.key.callsPerHour)
        }
    }

    /// The calls and the time as a sentence.
    public var text: String {
        guard !calls.isEmpty else { return "no calls" }
        let list = calls.map { "\($0.count) \($0.operation.name)" }.joined(separator: ", ")
        let time =
            milliseconds == 0
            ? "Apple's rates allow them at once"
            : "Apple's rates make them take \(DurationText.of(milliseconds)), besides the network"
        return "\(list); \(time)"
    }
}
