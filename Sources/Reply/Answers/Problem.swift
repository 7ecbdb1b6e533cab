public import SignedPayloads
public import Vocabulary

/// Why a request gets no retention message, or why a notification is not acknowledged.
public enum Problem: CodedError, Hashable {
    /// The parameter `RETENTION_ENDPOINT` is absent, or names no endpoint of the service.
    case endpointUnknown
    /// The endpoint does not take this method.
    case methodNotAllowed
    /// The body is longer than the endpoint's limit.
    case bodyTooLarge
    /// The content type is not JSON, or the body has a content encoding.
    case mediaTypeUnsupported
    /// The body is shorter than announced.
    case bodyIncomplete
    /// The signed payload was refused.
    case refused(Refusal)
    /// The rules serve no message.
    case noAnswer
    /// The service has no rules file for this app and environment.
    case rulesMissing
    /// The deadline of the request has passed.
    case deadlinePassed
    /// The store did not take the notification. Nobody may know whether it is there.
    case storeUnavailable
    /// Too many requests wait already.
    case overloaded
    /// A fault of the service.
    case internalFault

    /// The stable code, which the client gets in the problem document.
    public var code: String {
        switch self {
        case .endpointUnknown: "endpoint-unknown"
        case .methodNotAllowed: "method-not-allowed"
        case .bodyTooLarge: "body-too-large"
        case .mediaTypeUnsupported: "media-type-unsupported"
        case .bodyIncomplete: "body-incomplete"
        case .refused(let refusal): refusal.code
        case .noAnswer: "no-answer"
        case .rulesMissing: "rules-missing"
        case .deadlinePassed: "deadline-passed"
        case .storeUnavailable: "store-unavailable"
        case .overloaded: "overloaded"
        case .internalFault: "internal-fault"
        }
    }

    /// Every problem, in the order in which the service checks for them.
    public static var allCases: [Problem] {
        [.endpointUnknown, .methodNotAllowed, .bodyTooLarge, .mediaTypeUnsupported, .bodyIncomplete]
            + Refusal.allCases.map(Problem.refused)
            + [.noAnswer, .rulesMissing, .deadlinePassed, .storeUnavailable, .overloaded, .internalFault]
    }

    /// Every problem but those that only a request for a retention message has.
    public static var ofNotifications: [Problem] {
        allCases.filter { $0 != .noAnswer && $0 != .rulesMissing }
    }
}
