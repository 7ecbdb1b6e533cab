internal import AppStoreServerAPI

/// What an error of one call says about the calls after it.
enum FailureScope {
    /// The call is refused for what it asks. Other calls are not concerned.
    case call
    /// Apple takes no more of this kind.
    case kind
    /// What the call needs is not approved. A later call may succeed.
    case approval
    /// Other calls would fail as well, or the outcome is not known. The run ends.
    case run
}

extension AppStoreServerAPIError {
    /// What the error says about the calls after it.
    var scope: FailureScope {
        switch self {
        case .refused(let refusal):
            switch refusal.knownCode {
            case .tooManyImages, .tooManyMessages: return .kind
            case .messageNotApproved, .imageNotApproved: return .approval
            case .rateLimitExceeded, .internalError, .internalErrorRetryable: return .run
            default:
                // A refusal without an error object comes from something other than Apple's service.
                let isClientError = (400..<500).contains(refusal.status) && refusal.status != 429
                return isClientError && refusal.errorCode != nil ? .call : .run
            }
        case .invalid: return .call
        case .unauthorized, .noAccess, .rateLimited, .budgetExhausted, .transport, .malformed,
            .outcomeUnknown,
            .signing,
            .rateState:
            return .run
        }
    }
}
