internal import AppStoreServerAPI
internal import JSON

/// An answer of the simulator, with what the web server and the caller must do about it.
package struct SimulatorAnswer: Sendable, Hashable {
    package var status: Int
    /// The JSON text; empty for an answer without body.
    package var body: [UInt8]
    /// The value of `Retry-After`, in milliseconds since 1970; nil for an answer without it.
    package var retryAfterMilliseconds: Int64?
    /// How long the caller waits before it sends the answer.
    package var delayMilliseconds: Int64 = 0
    /// True when the connection to the client must be closed without an answer.
    package var isLost = false
    /// The performance test that the caller must run now; nil when the request started none.
    package var startedTest: StartedPerformanceTest?

    package init(status: Int = 200, body: [UInt8] = []) {
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

package struct StartedPerformanceTest: Sendable, Hashable {
    package let bundleId: String
    package let appAppleId: Int64
    package let requestId: String
    package let target: String
    package let originalTransactionId: String
}
