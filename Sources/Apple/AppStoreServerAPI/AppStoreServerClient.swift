internal import Cryptography
internal import HTTPClient
internal import System

package struct AppStoreServerClientConfiguration: Sendable {
    package var server: AppStoreServer
    /// The path of a PEM file with the only authorities that the client trusts; nil for the system's authorities.
    package var authoritiesFile: String?
    package var timeoutMilliseconds = 30_000
    /// How often a call is made at most when its answer is lost or Apple's server fails.
    package var attemptCount = 3
    /// The wait before the second attempt, in milliseconds. Each further wait is twice as long.
    package var retryMilliseconds: Int64 = 1000

    package init(server: AppStoreServer) {
        self.server = server
    }
}

/// Performs the operations of Apple's server; one thread uses it. A token that Apple does not accept after it accepted
/// others is replaced, three times: among good answers come a few such refusals. A call whose answer was lost is
/// repeated only when a second call changes nothing more; after an upload or a delete, the client asks for the list
/// first.
package final class AppStoreServerClient {
    /// How often an operation waits after a 429.
    private static let rateLimitCount = 3
    /// How often an operation has a new token after a 401, once a token was accepted.
    private static let newTokenCount = 3

    let configuration: AppStoreServerClientConfiguration
    private let credentials: AppStoreCredentials
    private let tokens: TokenMaker
    private let timing: ClientTiming
    private let repeating: HTTPClient
    /// libcurl sends a request again by itself when a kept connection turns out to be closed, so this client makes a
    /// new connection for each request.
    private let careful: HTTPClient
    private var isTokenAccepted = false

    /// Does not connect before the first operation.
    package init(
        _ configuration: AppStoreServerClientConfiguration, credentials: AppStoreCredentials,
        timing: ClientTiming = .system()
    ) throws {
        self.configuration = configuration
        self.credentials = credentials
        self.timing = timing
        tokens = try TokenMaker(credentials)
        var settings = HTTPClientConfiguration()
        settings.authoritiesFile = configuration.authoritiesFile
        settings.timeoutMilliseconds = configuration.timeoutMilliseconds
        settings.connectTimeoutMilliseconds = min(10_000, configuration.timeoutMilliseconds)
        settings.responseByteCount = Answers.byteCount
        settings.usesEnvironmentProxies = true
        settings.userAgent = "retentionctl/\(ProductVersion.text)"
        repeating = try HTTPClient(configuration: settings)
        settings.keepsConnections = false
        careful = try HTTPClient(configuration: settings)
    }

    /// Waits when Apple allows no more calls, and repeats the call where that is safe, also when the answer ends too
    /// early.
    func perform<Answer>(_ call: APICall, _ reading: (HTTPResponse) throws(MalformedAnswer) -> Answer)
        throws(AppStoreServerAPIError) -> Answer
    {
        guard !call.operation.isSandboxOnly || configuration.server.environment == .sandbox else {
            throw .invalid("\(call.operation.name) exists in Sandbox only")
        }
        var lostCount = 0
        var limitedCount = 0
        var tokenCount = 0
        while true {
            do throws(AppStoreServerAPIError) {
                let response = try attempt(call)
                return try MalformedAnswer.mapped(to: AppStoreServerAPIError.malformed, try reading(response))
            } catch {
                if case .rateLimited(_, let time) = error, limitedCount < Self.rateLimitCount {
                    wait(call.operation, nil, until: time)
                    limitedCount += 1
                } else if case .unauthorized = error, isTokenAccepted, tokenCount < Self.newTokenCount {
                    pause(call.operation, after: error, number: tokenCount)
                    tokenCount += 1
                } else if call.operation.isRepeatable, error.isTransient,
                    lostCount + 1 < configuration.attemptCount
                {
                    pause(call.operation, after: error, number: lostCount)
                    lostCount += 1
                } else if !call.operation.isRepeatable, call.operation.refusalWhenDone == nil,
                    error.mayHaveBeenDone
                {
                    throw .outcomeUnknown(call.operation, error)
                } else {
                    throw error
                }
            }
        }
    }

    func pause(_ operation: AppStoreServerOperation, after error: AppStoreServerAPIError, number: Int) {
        let milliseconds = configuration.retryMilliseconds << Int64(min(number, 6))
        wait(operation, error.code, until: timing.now() + milliseconds)
    }

    private func wait(_ operation: AppStoreServerOperation, _ code: String?, until: Int64) {
        let milliseconds = max(0, until - timing.now())
        timing.waiting(
            ClientTiming.Wait(
                operation: operation, code: code, untilMilliseconds: until, milliseconds: milliseconds))
        timing.sleep(milliseconds)
    }

    private func attempt(_ call: APICall) throws(AppStoreServerAPIError) -> HTTPResponse {
        let now = timing.now()
        let token = try CryptographyError.mapped(
            to: AppStoreServerAPIError.signing, try tokens.token(nowMilliseconds: now))
        var request = HTTPRequest(
            method: call.operation.method, url: configuration.server.baseURL + call.path,
            headers: [
                ("Authorization", "Bearer \(String(decoding: token, as: UTF8.self))"),
                ("Accept", "application/json"),
            ], body: call.body)
        // An empty field is not sent. Without it, libcurl calls an empty body a form.
        if call.body != nil { request.headers.append(("Content-Type", call.contentType ?? "")) }
        let client = call.operation.isRepeatable ? repeating : careful
        let response = try HTTPClientError.mapped(
            to: { error -> AppStoreServerAPIError in
                switch error {
                case .closedEarly: .malformed(.truncated)
                case .responseTooLarge: .malformed(.tooLarge)
                default: .transport(error)
                }
            },
            try client.perform(request)
        )
        do throws(AppStoreServerAPIError) {
            let answer = try Answers.check(
                response, to: call.operation, token: token, nowMilliseconds: timing.now())
            isTokenAccepted = true
            return answer
        } catch {
            // Apple's server looks at the token before it looks at anything else.
            if error.appleCode != nil { isTokenAccepted = true }
            throw error
        }
    }
}

package struct ClientTiming {
    /// Why and until when a client waits.
    package struct Wait: Sendable, Hashable {
        package let operation: AppStoreServerOperation
        /// The code of the error after which the call is repeated; nil when Apple allows no more calls now.
        package let code: String?
        package let untilMilliseconds: Int64
        package let milliseconds: Int64
    }

    package var now: () -> Int64
    package var sleep: (Int64) -> Void
    package var waiting: (Wait) -> Void

    package init(
        now: @escaping () -> Int64,
        sleep: @escaping (Int64) -> Void,
        waiting: @escaping (Wait) -> Void = { _ in }
    ) {
        self.now = now
        self.sleep = sleep
        self.waiting = waiting
    }

    package static func system(waiting: @escaping (Wait) -> Void = { _ in }) -> ClientTiming {
        ClientTiming(now: Clock.wallMilliseconds, sleep: Clock.sleep, waiting: waiting)
    }
}
