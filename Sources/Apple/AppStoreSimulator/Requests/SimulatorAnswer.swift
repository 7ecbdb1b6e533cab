internal import AppStoreServerAPI
internal import JSON

/// An answer of the simulator, with what the web server and the caller must do about it.
public struct SimulatorAnswer: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The JSON text; empty for an answer without body.
    public var body: [UInt8]
    /// The value of `Retry-After`, in milliseconds since 1970; nil for an answer without it.
    public var retryAfterMilliseconds: Int64?
    /// How long the caller waits before it sends the answer.
    public var delayMilliseconds: Int64 = 0
    /// True when the connection to the client must be closed without an answer.
    public var isLost = false
    /// The performance test that the caller must run now; nil when the request started none.
    public var startedTest: StartedPerformanceTest?

    init(status: Int = 200, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

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
        let document = JSONNode.object([
            ("errorCode", .integer(errorCode)), ("errorMessage", .string(message)),
        ])
        self.init(status: Int(errorCode / 10_000), body: document.serialized())
    }
}

public struct StartedPerformanceTest: Sendable, Hashable {
    /// The app whose endpoint is tested.
    public let bundleId: String
    /// Apple's number of the app.
    public let appAppleId: Int64
    /// The identifier of the test.
    public let requestId: String
    /// The URL to call.
    public let target: String
    /// The transaction that the requests name.
    public let originalTransactionId: String
}
