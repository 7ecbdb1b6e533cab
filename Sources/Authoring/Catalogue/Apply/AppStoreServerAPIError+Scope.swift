internal import AppStoreServerAPI

/// How far an error of one call reaches: which other calls it prevents.
enum FailureScope {
    /// Apple refuses this call for its content. Other calls may succeed.
    case call
    /// Apple takes no more of this kind.
    case kind
    /// Apple has not approved something that the call names. The same call may succeed later.
    case approval
    /// Other calls would fail as well, or the outcome of this call is not known. The run ends.
    case run
}

extension AppStoreServerAPIError {
    /// How far the error reaches.
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
            .outcomeUnknown, .signing:
            return .run
        }
    }
}
