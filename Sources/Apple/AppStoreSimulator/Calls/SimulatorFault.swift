package import AppStoreServerAPI

/// A fault that the simulator makes in some of its answers.
package struct SimulatorFault: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The answer is 500 with the code 5000000. The work is not done.
        case internalError = "internal-error"
        /// The answer is 500 with the code 5000001. The work is not done.
        case retryableError = "retryable-error"
        /// The answer is 500 with the code 5000000, and the work is done.
        case lateError = "late-error"
        /// The answer is 429, with `Retry-After` in the near future. The work is not done.
        case rateLimit = "rate-limit"
        /// The connection is closed without an answer. The work is not done.
        case lostRequest = "lost-request"
        /// The connection is closed without an answer, and the work is done.
        case lostAnswer = "lost-answer"
        /// The answer has only the first half of its body. An answer without body is left as it is.
        case truncatedBody = "truncated-body"
        /// The answer comes late.
        case slowAnswer = "slow-answer"

        var preventsWork: Bool {
            switch self {
            case .internalError, .retryableError, .rateLimit, .lostRequest: true
            case .lateError, .lostAnswer, .truncatedBody, .slowAnswer: false
            }
        }
    }

    package var kind: Kind
    /// The share of answers with this fault, in percent.
    package var percent: Int
    /// The operation whose answers have the fault; nil for all operations.
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
    /// Draws, for each fault of an operation, whether it happens. Draws even when an earlier fault happens, so that the use of
    /// `random` does not depend on the order of the faults.
    static func draw(
        _ faults: [SimulatorFault], operation: AppStoreServerOperation,
        using random: inout some RandomNumberGenerator
    ) -> [SimulatorFault] {
        faults.filter { fault in
            guard fault.operation == nil || fault.operation == operation else { return false }
            return Int.random(in: 0..<100, using: &random) < fault.percent
        }
    }

    /// The answer of a fault that prevents the work.
    func answer(at now: Int64) -> SimulatorAnswer {
        switch kind {
        case .retryableError: return SimulatorAnswer(.apple(.internalErrorRetryable))
        case .rateLimit:
            var answer = SimulatorAnswer(.apple(.rateLimitExceeded))
            answer.retryAfterMilliseconds = now + milliseconds
            return answer
        case .lostRequest:
            var answer = SimulatorAnswer()
            answer.isLost = true
            return answer
        default: return SimulatorAnswer(.apple(.internalError))
        }
    }

    /// Changes the answer of work that is done.
    func change(_ answer: inout SimulatorAnswer) {
        switch kind {
        case .lateError:
            let test = answer.startedTest
            answer = SimulatorAnswer(.apple(.internalError))
            answer.startedTest = test
        case .lostAnswer: answer.isLost = true
        case .truncatedBody: answer.body = Array(answer.body.prefix(answer.body.count / 2))
        case .slowAnswer: answer.delayMilliseconds += milliseconds
        default: break
        }
    }
}
