internal import AppStoreServerAPI
internal import JSON
package import System

package struct SimulatorRequest: Sendable {
    /// The environment, which follows from the host: production or sandbox.
    package var environment: Environment
    package var method: String
    /// The path and the query, exactly as in the request line.
    package var target: String
    package var contentType: String?
    package var authorization: String?
    /// The body; nil when it is longer than the simulator takes.
    package var body: [UInt8]?

    package init(
        environment: Environment, method: String, target: String, contentType: String? = nil,
        authorization: String? = nil, body: [UInt8]? = []
    ) {
        self.environment = environment
        self.method = method
        self.target = target
        self.contentType = contentType
        self.authorization = authorization
        self.body = body
    }

    /// Returns true when the media type is `type`, with or without parameters.
    func hasMediaType(_ type: String) -> Bool {
        guard let name = contentType?.split(separator: ";", omittingEmptySubsequences: false).first else {
            return false
        }
        return name.filter { $0 != " " }.lowercased() == type
    }

    var root: JSONValue? {
        let limits = JSONLimits(byteCount: SimulatorLimits.jsonByteCount, depth: SimulatorLimits.jsonDepth)
        guard hasMediaType("application/json"), let body,
            let root = try? JSONDocument(parsing: body.span, limits: limits).root, root.kind == .object
        else { return nil }
        return root
    }

    /// Reads a JSON body; nil for any other. Members that Apple does not document are ignored.
    func decoded<Body: Decodable>(_ type: Body.Type) -> Body? {
        guard root != nil, let body else { return nil }
        return try? AppleJSON.decode(type, body)
    }
}

/// The path and the query of a request line (RFC 3986, sections 2.1, 3.3 and 3.4), decoded.
struct RequestTarget {
    /// The segments of the path, each decoded by itself, so that an encoded slash does not separate segments.
    let segments: [String]
    let parameters: [(name: String, value: String)]

    /// Reads a target. Returns nil when it does not begin with a slash, or has an escape that is incomplete or not UTF-8.
    init?(_ text: String) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = halves.first, path.hasPrefix("/") else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = Self.decoded(part) else { return nil }
            segments.append(segment)
        }
        var parameters: [(String, String)] = []
        for pair in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : "")
            else { return nil }
            parameters.append((name, value))
        }
        self.segments = segments
        self.parameters = parameters
    }

    func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var left = text.utf8[...]
        while let byte = left.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = left.popFirst().flatMap(HexadecimalDigits.value),
                let low = left.popFirst().flatMap(HexadecimalDigits.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// An operation with the parameters in the path of the request. The texts are decoded and not checked.
struct Route {
    let operation: AppStoreServerOperation
    let parameters: [String]

    /// Finds the operation of a method and a path. Returns nil when Apple's server has none, or has it in Sandbox alone.
    init?(method: String, segments: [String], environment: Environment) {
        for operation in AppStoreServerOperation.allCases where operation.method == method {
            let pairs = zip(operation.path.split(separator: "/"), segments)
            guard operation.path.split(separator: "/").count == segments.count,
                pairs.allSatisfy({ $0.hasPrefix("{") || $0 == $1 }),
                environment == .sandbox || !operation.isSandboxOnly
            else { continue }
            self.operation = operation
            parameters = pairs.filter { $0.0.hasPrefix("{") }.map(\.1)
            return
        }
        return nil
    }
}

package struct SimulatorAnswer: Sendable, Hashable {
    package var status: Int
    package var body: [UInt8]
    /// The value of `Retry-After`, in milliseconds since 1970; nil for an answer without it.
    package var retryAfterMilliseconds: Int64?
    package var delayMilliseconds: Int64 = 0
    /// True when the connection to the client must be closed without an answer.
    package var isLost = false
    /// The performance test that the caller must run now; nil when the request started none.
    package var startedTest: StartedPerformanceTest?

    package init(status: Int = 200, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    init(json value: some Encodable) {
        self.init(body: AppleJSON.encode(value))
    }

    /// The members may come from several places, so they have no type of their own.
    init(_ document: JSONNode) {
        self.init(body: document.serialized())
    }

    init(_ problem: SimulatorProblem) {
        switch problem {
        case .unauthorized: self.init(status: 401)
        case .noAccess, .noOperation: self.init(status: 404)
        case .badRequest: self.init(errorCode: 4_000_000, message: "Bad request.")
        case .apple(let code): self.init(errorCode: code.rawValue, message: code.appleMessage)
        }
    }

    private init(errorCode: Int64, message: String) {
        struct Body: Encodable {
            let errorCode: Int64
            let errorMessage: String
        }
        let body = AppleJSON.encode(Body(errorCode: errorCode, errorMessage: message))
        self.init(status: Int(errorCode / 10_000), body: body)
    }
}

package struct StartedPerformanceTest: Sendable, Hashable {
    package let bundleId: String
    package let appAppleId: Int64
    package let requestId: String
    package let target: String
    package let originalTransactionId: String
}

enum SimulatorProblem: Error, Hashable {
    /// The token is missing or wrong. Apple promises no body for this answer.
    case unauthorized
    /// The account has no access to the API. Apple documents a 404 without body for three operations.
    case noAccess
    /// Apple's server has no operation with this path and method.
    case noOperation
    /// The request is malformed in a way for which the page of the operation names no code. Apple's libraries know the number
    /// 4000000, GeneralBadRequest.
    case badRequest
    /// The request gets one of the API's codes.
    case apple(AppStoreServerAPIErrorCode)
}

extension AppStoreServerAPIErrorCode {
    /// The text of `errorMessage`. It is Apple's where a page or a library shows it.
    var appleMessage: String {
        switch self {
        case .invalidTransactionId: "Invalid transaction id."
        case .appTransactionIdNotSupported:
            "Invalid request. App transactions aren't supported by this endpoint."
        case .invalidImage: "Invalid request. The image is invalid."
        case .invalidLocale: "Invalid request. Locale is invalid."
        case .familySharedTransaction:
            "Invalid request. Family Sharing transactions aren't supported by this endpoint."
        case .notOriginalTransactionId:
            "Invalid request. The transaction ID provided is not an original transaction ID."
        case .performanceTestRuns: "Invalid request. Existing performance test run."
        case .invalidRealtimeURL: "Invalid request. The url is invalid."
        case .invalidImageSize: "Invalid request. The image's size is invalid."
        case .tooManyBulletPoints: "Invalid request. The number of bullet points is too many."
        case .rateLimitExceeded: "Rate limit exceeded."
        case .internalError: "An unknown error occurred."
        case .internalErrorRetryable: "An unknown error occurred. Please try again."
        default: meaning.isEmpty ? "Invalid request." : meaning
        }
    }
}

/// Why the simulator does not do what its user asks on one of its own paths: `{"error":…, "message":…}`.
struct SimulatorRefusal: Error {
    let status: Int
    let name: String
    let message: String

    init(_ status: Int, _ name: String, _ message: String) {
        self.status = status
        self.name = name
        self.message = message
    }

    /// The request has not the members that it needs.
    static let malformed = SimulatorRefusal(400, "malformed", "the simulator does not take this")
    static let notSigned = SimulatorRefusal(500, "not-signed", "the notification cannot be signed")

    var answer: SimulatorAnswer {
        SimulatorAnswer(status: status, body: AppleJSON.encode(["error": name, "message": message]))
    }
}
