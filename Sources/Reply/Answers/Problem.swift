public import SignedPayloads
public import Vocabulary

/// Why a request gets no retention message.
public enum Problem: CodedError, Hashable {
    /// `RETENTION_ENDPOINT` is absent or names nothing that is served.
    case endpointUnknown
    /// The method is not the endpoint's.
    case methodNotAllowed
    /// The body is longer than the limit.
    case bodyTooLarge
    /// A content type that is not JSON, or any content encoding.
    case mediaTypeUnsupported
    /// Fewer bytes came than were announced.
    case bodyIncomplete
    /// The signed payload was refused.
    case refused(Refusal)
    /// The rules decided for no message.
    case noAnswer
    /// No rules file serves this app and environment.
    case rulesMissing
    /// The deadline had passed before the work began.
    case deadlinePassed
    /// A fault of ours.
    case internalFault

    /// The stable code.
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
        case .internalFault: "internal-fault"
        }
    }

    /// Every problem there is, in the order of the request's way.
    public static var allCases: [Problem] {
        [.endpointUnknown, .methodNotAllowed, .bodyTooLarge, .mediaTypeUnsupported, .bodyIncomplete]
            + Refusal.allCases.map(Problem.refused)
            + [.noAnswer, .rulesMissing, .deadlinePassed, .internalFault]
    }
}
