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
    /// The HTTP status of the answer to a request for a retention message. This file is the one place that decides it.
    ///
    /// 400: the service cannot read the request. 401: the request is not authentic. 403: it is authentic, but for another
    /// app or environment, too old, or dated in the future. 404, 405, 413 and 415: the endpoint, the method, the size or the
    /// media type is wrong. 500: a fault of the service. 503: the same request may succeed at another time.
    public var status: Int {
        switch self {
        case .endpointUnknown: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge: 413
        case .mediaTypeUnsupported: 415
        case .bodyIncomplete: 400
        case .refused(let refusal): Self.status(of: refusal)
        case .noAnswer, .rulesMissing, .deadlinePassed, .storeUnavailable, .overloaded: 503
        case .internalFault: 500
        }
    }

    private static func status(of refusal: Refusal) -> Int {
        switch refusal {
        case .bodyNotJSON, .signedPayloadMissing, .notificationVersion1, .notThreeParts, .badBase64URL,
            .headerNotJSON, .algorithmMissing, .x5cMissing, .x5cNotBase64, .payloadNotJSON,
            .payloadMemberMissing, .payloadMemberMistyped, .requestIdentifierNotUUID:
            400
        case .criticalHeader, .algorithmNotES256, .x5cCount, .x5cNotDER, .anchorUnknown, .chainInvalid,
            .intermediateKey, .leafKey, .leafUsage, .leafMarkerMissing, .intermediateMarkerMissing,
            .signatureMalformed, .signatureInvalid, .certificateNotYetValid, .certificateExpired,
            .anchorNotForApp:
            401
        case .appUnknown, .environmentNotConfigured, .appDiffers, .environmentDiffers, .ownerUnknown,
            .signedDateTooOld, .signedDateAhead:
            403
        case .chainBudget: 503
        case .opensslFailure: 500
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

    /// A short sentence for people: the `title` of the problem document (RFC 9457 section 3.1.3).
    public var title: String {
        switch self {
        case .endpointUnknown: "This location names no endpoint"
        case .methodNotAllowed: "The endpoint does not take this method"
        case .bodyTooLarge: "The request body is too large"
        case .mediaTypeUnsupported: "The request body must be application/json without a content encoding"
        case .bodyIncomplete: "The request body is shorter than announced"
        case .refused(let refusal): Self.title(of: refusal)
        case .noAnswer: "The rules serve no message"
        case .rulesMissing: "There are no rules for this app and environment"
        case .deadlinePassed: "The request waited too long"
        case .storeUnavailable: "The store did not take the notification"
        case .overloaded: "Too many requests wait"
        case .internalFault: "The service failed"
        }
    }

    private static func title(of refusal: Refusal) -> String {
        switch refusal {
        case .bodyNotJSON: "The body is not a JSON object"
        case .signedPayloadMissing: "The body has no string signedPayload"
        case .notificationVersion1: "The notification is of version 1, and the service takes version 2"
        case .notThreeParts: "The signed payload does not have three parts"
        case .badBase64URL: "A part of the signed payload is not base64url"
        case .headerNotJSON: "The JWS header is not a JSON object with unique names"
        case .algorithmMissing: "The JWS header has no string alg"
        case .x5cMissing: "The JWS header has no list of strings x5c"
        case .x5cNotBase64: "An entry of x5c is not base64"
        case .criticalHeader: "The JWS header has a crit member"
        case .algorithmNotES256: "The JWS is not signed with ES256"
        case .x5cCount: "x5c does not have three entries"
        case .x5cNotDER: "An entry of x5c is not one DER certificate"
        case .anchorUnknown: "The root certificate is not a configured anchor"
        case .chainBudget: "Too many unknown certificate chains at this time"
        case .chainInvalid: "The certificates do not make a valid chain"
        case .intermediateKey: "The intermediate certificate's key is not acceptable"
        case .leafKey: "The leaf certificate's key is not on P-256"
        case .leafUsage: "The leaf certificate is not for signing data"
        case .leafMarkerMissing: "The leaf certificate lacks Apple's marker"
        case .intermediateMarkerMissing: "The intermediate certificate lacks Apple's marker"
        case .signatureMalformed: "The signature does not have 64 bytes"
        case .signatureInvalid: "The signature is not valid"
        case .payloadNotJSON: "The payload is not a JSON object with unique names"
        case .payloadMemberMissing: "The payload lacks a required member"
        case .payloadMemberMistyped: "A member of the payload has the wrong type"
        case .requestIdentifierNotUUID: "requestIdentifier is not a UUID"
        case .certificateNotYetValid: "A certificate is not valid yet"
        case .certificateExpired: "A certificate has expired"
        case .appUnknown: "The app is not configured"
        case .anchorNotForApp: "The root certificate is not an anchor of this app"
        case .environmentNotConfigured: "The environment is not configured for this app"
        case .appDiffers: "The payload is of another app than expected"
        case .environmentDiffers: "The payload is of another environment than expected"
        case .ownerUnknown: "The notification names no app"
        case .signedDateTooOld: "signedDate is too old"
        case .signedDateAhead: "signedDate is in the future"
        case .opensslFailure: "The cryptographic library failed"
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
