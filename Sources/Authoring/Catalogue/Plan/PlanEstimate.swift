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
    init(_ plan: CataloguePlan) {
        let environment = plan.environment
        calls = plan.calls.map {
            Calls(
                operation: $0.operation, count: $0.count,
                perHour: RateLimits.callsPerHour(of: $0.operation, in: environment))
        }
        milliseconds = plan.calls.reduce(0) {
            $0 + RateLimits.waitMilliseconds(for: $1.count, of: $1.operation, in: environment)
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

extension CataloguePlan {
    /// The calls of the plan, and how long Apple's rates make them take when no other program uses them up.
    public var estimate: PlanEstimate { PlanEstimate(self) }
}
