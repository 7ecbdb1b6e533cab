internal import JSON
internal import Rules
public import SignedPayloads
public import System

public enum Answer: Sendable, Hashable {
    case message(SignedOutcome)
    /// The body `{}` with status 200, for services whose setting `noAnswer` is `empty`. Apple does not document what it
    /// means.
    case emptyObject
    case problem(Problem)

    public init(serving outcome: SignedOutcome?, noAnswerIsEmpty: Bool = false) {
        if let outcome {
            self = .message(outcome)
        } else {
            self = noAnswerIsEmpty ? .emptyObject : .problem(.noAnswer)
        }
    }

    public var status: Int {
        switch self {
        case .message, .emptyObject: 200
        case .problem(let problem): problem.status
        }
    }

    public var contentType: String {
        switch self {
        case .message, .emptyObject: "application/json"
        case .problem: ProblemDocument.contentType
        }
    }

    public var body: [UInt8] {
        switch self {
        case .message(let outcome): outcome.json
        case .emptyObject: Array("{}".utf8)
        case .problem(let problem): ProblemDocument.body(of: problem)
        }
    }
}

public enum Problem: CodedError, Hashable {
    case endpointUnknown
    case methodNotAllowed
    case bodyTooLarge
    case mediaTypeUnsupported
    case bodyIncomplete
    case refused(Refusal)
    case noAnswer
    case rulesMissing
    case deadlinePassed
    case storeUnavailable
    case overloaded
    case internalFault

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

    public static var allCases: [Problem] {
        [.endpointUnknown, .methodNotAllowed, .bodyTooLarge, .mediaTypeUnsupported, .bodyIncomplete]
            + Refusal.allCases.map(Problem.refused)
            + [.noAnswer, .rulesMissing, .deadlinePassed, .storeUnavailable, .overloaded, .internalFault]
    }

    public static var ofNotifications: [Problem] {
        allCases.filter { $0 != .noAnswer && $0 != .rulesMissing }
    }
}

extension Problem {
    /// The HTTP status of the answer to a request for a retention message.
    public var status: Int { row.status }

    /// A short sentence for people: the `title` of the problem document (RFC 9457 section 3.1.3).
    public var title: String { row.title }

    /// This file is the one place that decides the status.
    ///
    /// 400: the service cannot read the request. 401: the request is not authentic. 403: it is authentic, but for another
    /// app or environment, too old, or dated in the future. 404, 405, 413 and 415: the endpoint, the method, the size or the
    /// media type is wrong. 500: a fault of the service. 503: the same request may succeed at another time.
    private var row: (status: Int, title: String) {
        switch self {
        case .endpointUnknown: (404, "This location names no endpoint")
        case .methodNotAllowed: (405, "The endpoint does not take this method")
        case .bodyTooLarge: (413, "The request body is too large")
        case .mediaTypeUnsupported:
            (415, "The request body must be application/json without a content encoding")
        case .bodyIncomplete: (400, "The request body is shorter than announced")
        case .refused(let refusal): Self.row(of: refusal)
        case .noAnswer: (503, "The rules serve no message")
        case .rulesMissing: (503, "There are no rules for this app and environment")
        case .deadlinePassed: (503, "The request waited too long")
        case .storeUnavailable: (503, "The store did not take the notification")
        case .overloaded: (503, "Too many requests wait")
        case .internalFault: (500, "The service failed")
        }
    }

    private static func row(of refusal: Refusal) -> (status: Int, title: String) {
        switch refusal {
        case .bodyNotJSON: (400, "The body is not a JSON object")
        case .signedPayloadMissing: (400, "The body has no string signedPayload")
        case .notificationVersion1: (400, "The notification is of version 1, and the service takes version 2")
        case .notThreeParts: (400, "The signed payload does not have three parts")
        case .badBase64URL: (400, "A part of the signed payload is not base64url")
        case .headerNotJSON: (400, "The JWS header is not a JSON object with unique names")
        case .algorithmMissing: (400, "The JWS header has no string alg")
        case .x5cMissing: (400, "The JWS header has no list of strings x5c")
        case .x5cNotBase64: (400, "An entry of x5c is not base64")
        case .criticalHeader: (401, "The JWS header has a crit member")
        case .algorithmNotES256: (401, "The JWS is not signed with ES256")
        case .x5cCount: (401, "x5c does not have three entries")
        case .x5cNotDER: (401, "An entry of x5c is not one DER certificate")
        case .anchorUnknown: (401, "The root certificate is not a configured anchor")
        case .chainBudget: (503, "Too many unknown certificate chains at this time")
        case .chainInvalid: (401, "The certificates do not make a valid chain")
        case .intermediateKey: (401, "The intermediate certificate's key is not acceptable")
        case .leafKey: (401, "The leaf certificate's key is not on P-256")
        case .leafUsage: (401, "The leaf certificate is not for signing data")
        case .leafMarkerMissing: (401, "The leaf certificate lacks Apple's marker")
        case .intermediateMarkerMissing: (401, "The intermediate certificate lacks Apple's marker")
        case .signatureMalformed: (401, "The signature does not have 64 bytes")
        case .signatureInvalid: (401, "The signature is not valid")
        case .payloadNotJSON: (400, "The payload is not a JSON object with unique names")
        case .payloadMemberMissing: (400, "The payload lacks a required member")
        case .payloadMemberMistyped: (400, "A member of the payload has the wrong type")
        case .requestIdentifierNotUUID: (400, "requestIdentifier is not a UUID")
        case .certificateNotYetValid: (401, "A certificate is not valid yet")
        case .certificateExpired: (401, "A certificate has expired")
        case .appUnknown: (403, "The app is not configured")
        case .anchorNotForApp: (401, "The root certificate is not an anchor of this app")
        case .environmentNotConfigured: (403, "The environment is not configured for this app")
        case .appDiffers: (403, "The payload is of another app than expected")
        case .environmentDiffers: (403, "The payload is of another environment than expected")
        case .ownerUnknown: (403, "The notification names no app")
        case .signedDateTooOld: (403, "signedDate is too old")
        case .signedDateAhead: (403, "signedDate is in the future")
        case .opensslFailure: (500, "The cryptographic library failed")
        }
    }

    /// The HTTP status of the answer to a request of this kind.
    ///
    /// Two problems of a notification are 503, so that Apple sends the notification again. `signedDate` is in the future: the
    /// service's clock is slow. The body is incomplete: it was cut on its way here, for which Apple is not to blame.
    public func status(for request: AnsweredRequest) -> Int {
        switch (self, request) {
        case (.refused(.signedDateAhead), .notification), (.bodyIncomplete, .notification): 503
        default: status
        }
    }
}

public enum AnsweredRequest: Sendable, Hashable, CaseIterable {
    case retentionMessage
    case notification
}

/// RFC 9457, with the service's stable `code`. It never contains anything from the request.
public enum ProblemDocument {
    public static let contentType: String = "application/problem+json"

    public static func body(of problem: Problem, for request: AnsweredRequest = .retentionMessage) -> [UInt8]
    {
        // Titles and codes are the service's own and have no character that JSON must escape. A test checks that.
        let status = problem.status(for: request)
        return Array(#"{"status":\#(status),"title":"\#(problem.title)","code":"\#(problem.code)"}"#.utf8)
    }
}
