internal import AppStoreServerAPI
internal import Foundation
internal import JSON
package import System

package struct SimulatorRequest: Sendable {
    package var environment: Environment
    package var method: String
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

struct RequestTarget {
    /// Each is decoded by itself, so that an encoded slash does not separate segments.
    let segments: [String]
    private let parameters: [URLQueryItem]

    init?(_ text: String) {
        guard text.hasPrefix("/"), let target = URLComponents(string: text) else { return nil }
        let parts = target.percentEncodedPath.dropFirst().split(
            separator: "/", omittingEmptySubsequences: false)
        segments = parts.compactMap { $0.removingPercentEncoding }
        parameters = target.queryItems ?? []
        guard segments.count == parts.count else { return nil }
    }

    func values(of name: String) -> [String] {
        parameters.filter { $0.name == name }.map { $0.value ?? "" }
    }
}

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

/// The answer to a request. An operation throws the answer with which it refuses one.
package struct SimulatorAnswer: Error, Hashable {
    package var status: Int
    package var body: [UInt8]
    package var retryAfterMilliseconds: Int64?
    package var delayMilliseconds: Int64 = 0
    package var isLost = false
    package var startedTest: StartedPerformanceTest?

    package init(status: Int = 200, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    init(json value: some Encodable) {
        self.init(body: AppleJSON.encode(value))
    }

    init(_ document: JSONNode) {
        self.init(body: document.serialized())
    }

    private init(errorCode: Int64, message: String) {
        let body = JSONNode.object([("errorCode", .integer(errorCode)), ("errorMessage", .string(message))])
        self.init(status: Int(errorCode / 10_000), body: body.serialized())
    }
}

extension SimulatorAnswer {
    /// The token is missing or wrong. Apple promises no body for this answer.
    static let unauthorized = SimulatorAnswer(status: 401)
    /// Apple's server has no such operation; or the account has no access, for which Apple documents a 404 without body.
    static let notFound = SimulatorAnswer(status: 404)
    /// For what no page of Apple's names a code. Apple's libraries know this one as GeneralBadRequest.
    static let badRequest = SimulatorAnswer(errorCode: 4_000_000, message: "Bad request.")

    static func apple(_ code: AppStoreServerAPIErrorCode) -> SimulatorAnswer {
        SimulatorAnswer(
            errorCode: code.rawValue, message: code.meaning.isEmpty ? "Invalid request." : code.meaning)
    }

    /// Why the simulator does not do what its user asks on one of its own paths.
    init(refused status: Int, _ name: String, _ message: String) {
        self.init(status: status, body: AppleJSON.encode(["error": name, "message": message]))
    }

    static let malformed = SimulatorAnswer(refused: 400, "malformed", "the simulator does not take this")
    static let notSigned = SimulatorAnswer(refused: 500, "not-signed", "the notification cannot be signed")
}

package struct StartedPerformanceTest: Sendable, Hashable {
    package let bundleId: String
    package let appAppleId: Int64
    package let requestId: String
    package let target: String
    package let originalTransactionId: String
}
