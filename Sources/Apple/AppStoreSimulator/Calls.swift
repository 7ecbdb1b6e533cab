package import AppStoreServerAPI
internal import System

/// The calls of the last hour, for each app, environment and operation.
///
/// Apple states the rates per second and enforces them per hour, and does not say whether its hour is fixed or rolling. The
/// hour here is rolling: a client that keeps within it keeps within any fixed hour too.
/// Source: Apple, Identifying rate limits.
struct RateLedger {
    struct Key: Hashable {
        let bundleId: String
        let environment: Environment
        let operation: AppStoreServerOperation
    }

    private var calls: [Key: [Int64]] = [:]

    /// Counts a call, or returns the time from which on the next one is possible. Times are of the ledger's own clock.
    mutating func take(_ key: Key, at time: Int64) -> Int64? {
        var list = calls.removeValue(forKey: key) ?? []
        defer { calls[key] = list }
        list.removeFirst(list.prefix { $0 + RateLimits.hourMilliseconds <= time }.count)
        guard list.count < RateLimits.callsPerHour(of: key.operation, in: key.environment) else {
            return list[0] + RateLimits.hourMilliseconds
        }
        list.append(time)
        return nil
    }
}

/// How many calls were answered with which status, or lost. Tests of clients read from it whether anything was sent twice.
struct CallCounts: Encodable {
    private var counts: [String: [String: [String: [String: Int]]]] = [:]

    mutating func add(_ key: RateLedger.Key, status: String) {
        counts[key.bundleId, default: [:]][key.environment.rawValue, default: [:]][
            key.operation.rawValue, default: [:]
        ][status, default: 0] += 1
    }

    func encode(to encoder: any Encoder) throws { try counts.encode(to: encoder) }
}

package struct SimulatorFault: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case internalError = "internal-error"
        case retryableError = "retryable-error"
        case lateError = "late-error"
        /// The answer is 429, with `Retry-After` in the near future. The work is not done.
        case rateLimit = "rate-limit"
        case lostRequest = "lost-request"
        /// The connection is closed without an answer, and the work is done.
        case lostAnswer = "lost-answer"
        /// The answer has only the first half of its body. An answer without body is left as it is.
        case truncatedBody = "truncated-body"
        case slowAnswer = "slow-answer"

        var preventsWork: Bool {
            switch self {
            case .internalError, .retryableError, .rateLimit, .lostRequest: true
            case .lateError, .lostAnswer, .truncatedBody, .slowAnswer: false
            }
        }
    }

    package var kind: Kind
    package var percent: Int
    package var operation: AppStoreServerOperation?
    /// How much later a ``Kind/slowAnswer`` comes, and how far the time of ``Kind/rateLimit`` lies ahead.
    package var milliseconds: Int64

    package init(
        _ kind: Kind, percent: Int, operation: AppStoreServerOperation? = nil, milliseconds: Int64 = 2000
    ) {
        self.kind = kind
        self.percent = percent
        self.operation = operation
        self.milliseconds = milliseconds
    }
}

extension SimulatorFault {
    /// Draws for each fault, so that the use of `random` does not depend on their order.
    static func draw(
        _ faults: [SimulatorFault], operation: AppStoreServerOperation,
        using random: inout some RandomNumberGenerator
    ) -> [SimulatorFault] {
        faults.filter { fault in
            guard fault.operation == nil || fault.operation == operation else { return false }
            return Int.random(in: 0..<100, using: &random) < fault.percent
        }
    }

    func answer(at now: Int64) -> SimulatorAnswer {
        switch kind {
        case .retryableError: return .apple(.internalErrorRetryable)
        case .rateLimit:
            var answer = SimulatorAnswer.apple(.rateLimitExceeded)
            answer.retryAfterMilliseconds = now + milliseconds
            return answer
        case .lostRequest:
            var answer = SimulatorAnswer()
            answer.isLost = true
            return answer
        default: return .apple(.internalError)
        }
    }

    func change(_ answer: inout SimulatorAnswer) {
        switch kind {
        case .lateError:
            let test = answer.startedTest
            answer = .apple(.internalError)
            answer.startedTest = test
        case .lostAnswer: answer.isLost = true
        case .truncatedBody: answer.body = Array(answer.body.prefix(answer.body.count / 2))
        case .slowAnswer: answer.delayMilliseconds += milliseconds
        default: break
        }
    }
}
