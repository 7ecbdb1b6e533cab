import AppStoreServerAPI
import Cryptography
import JSON
import Support
import Synchronization
import System
import Testing

/// A server on loopback that answers what a test says, and a client of it with a clock of the test's own.
final class ClientWorld {
    typealias Reply = LoopbackServer.Reply
    typealias Request = LoopbackServer.Request

    /// When the tests play: 2026-11-21T00:00:00Z.
    static let start: Int64 = 1_795_219_200_000
    static let identifier = UUID("5D1F3B1E-0c1d-4c5e-8b1a-2f6d5e4c3b2a") ?? UUID(high: 0, low: 0)

    private let server: LoopbackServer
    private let requests = Recorder()
    let key: SigningKey
    let client: AppStoreServerClient
    let clock = TestClock(ClientWorld.start)

    /// The requests so far, in order.
    var received: [Request] { requests.all }
    /// Methods and paths of the requests so far, without the part that all have.
    var calls: [String] {
        received.map { "\($0.method) \($0.path.replacing("/inApps/v1/messaging", with: ""))" }
    }

    init(
        environment: Environment = .sandbox,
        _ change: (inout AppStoreServerClientConfiguration) -> Void = { _ in },
        answer: @escaping @Sendable (_ number: Int, Request) -> Reply
    ) throws {
        let requests = requests
        let server = try LoopbackServer { request in answer(requests.add(request), request) }
        self.server = server
        key = try SigningKey.generate()
        var configuration = AppStoreServerClientConfiguration(
            server: try AppStoreServer(environment: environment, baseURL: server.url(""))
        )
        configuration.timeoutMilliseconds = 20_000
        change(&configuration)
        let clock = clock
        client = try AppStoreServerClient(
            configuration,
            credentials: AppStoreCredentials(
                key: key, keyId: "2X9R4HXF34", issuerId: "57246542-96fe-1a63-e053-0824d011072a",
                bundleId: "com.example.app"),
            timing: ClientTiming(
                now: { clock.now },
                sleep: { clock.now += $0 },
                waiting: { clock.waits.append($0) }
            )
        )
    }

    deinit {
        server.stop()
    }

    /// The code of the error with which `body` fails; nil when it succeeds.
    func code(_ body: (AppStoreServerClient) throws -> Void) -> String? {
        do {
            try body(client)
            return nil
        } catch {
            return (error as? AppStoreServerAPIError)?.code ?? "\(error)"
        }
    }

    /// A JSON answer.
    static func json(_ text: String, status: Int = 200, headers: [String] = []) -> Reply {
        .respond(
            status: status, headers: ["Content-Type: application/json"] + headers, body: Array(text.utf8))
    }

    /// An answer of Apple's server that refuses.
    static func refusal(_ code: Int64, headers: [String] = []) -> Reply {
        json(#"{"errorCode":\#(code),"errorMessage":"words"}"#, status: Int(code / 10_000), headers: headers)
    }

    /// The list of messages or images with the test's identifier in it, or without.
    static func list(of request: Request, has: Bool) -> Reply {
        let kind = request.path.hasSuffix("/image/list") ? "image" : "message"
        let entry = #"{"\#(kind)Identifier":"\#(identifier)","\#(kind)State":"APPROVED"}"#
        return json(#"{"\#(kind)Identifiers":[\#(has ? entry : "")]}"#)
    }
}

/// A clock that only waits move.
final class TestClock {
    var now: Int64
    var waits: [ClientTiming.Wait] = []

    init(_ now: Int64) {
        self.now = now
    }
}

/// Requests in the order in which they came.
final class Recorder: Sendable {
    private let requests = Mutex<[LoopbackServer.Request]>([])

    var all: [LoopbackServer.Request] { requests.withLock { $0 } }

    /// Keeps a request and returns its number, from 0.
    func add(_ request: LoopbackServer.Request) -> Int {
        requests.withLock {
            $0.append(request)
            return $0.count - 1
        }
    }
}

/// An operation, as something that a client can do.
struct OperationCall: Sendable, CustomTestStringConvertible {
    let operation: AppStoreServerOperation
    let request: String
    var contentType: String?
    var body = ""
    /// An answer that the operation takes.
    var answer = ""
    let run: @Sendable (AppStoreServerClient) throws -> Void
    var testDescription: String { operation.rawValue }

    private static let id = ClientWorld.identifier
    static let json = "application/json"
    private static let text = #"{"body":"b","header":"Ä \"h\""}"#
    /// All 20.
    static let all = messaging + recovery

    /// The 14 of the Retention Messaging API.
    private static let messaging: [OperationCall] = [
        OperationCall(
            operation: .uploadImage, request: "PUT /image/\(id)?imageSize=BULLET_POINT",
            contentType: "image/png", body: "\u{89}PNG\u{0}bytes"
        ) { _ = try $0.uploadImage(Array("\u{89}PNG\u{0}bytes".utf8), as: id, size: .bulletPoint) },
        OperationCall(operation: .deleteImage, request: "DELETE /image/\(id)") { _ = try $0.deleteImage(id) },
        OperationCall(operation: .listImages, request: "GET /image/list", answer: #"{"imageIdentifiers":[]}"#)
        {
            _ = try $0.listImages()
        },
        OperationCall(operation: .uploadMessage, request: "PUT /message/\(id)", contentType: json, body: text)
        {
            _ = try $0.uploadMessage(UploadMessageRequestBody(header: "Ä \"h\"", body: "b"), as: id)
        },
        OperationCall(operation: .deleteMessage, request: "DELETE /message/\(id)") {
            _ = try $0.deleteMessage(id)
        },
        OperationCall(
            operation: .listMessages, request: "GET /message/list", answer: #"{"messageIdentifiers":[]}"#
        ) { _ = try $0.listMessages() },
        OperationCall(
            operation: .setDefault, request: "PUT /default/pro%2F%C3%A4%20%3Fa%3Db%23.%25/en-US",
            contentType: json, body: #"{"messageIdentifier":"\#(id)"}"#
        ) { try $0.setDefaultMessage(id, productId: "pro/ä ?a=b#.%", locale: "en-US") },
        OperationCall(
            operation: .getDefault, request: "GET /default/com.example.a_b-c~d/zh-Hans",
            answer: #"{"messageIdentifier":"\#(id)"}"#
        ) {
            let found = try $0.defaultMessage(productId: "com.example.a_b-c~d", locale: "zh-Hans")
            #expect(found == id)
        },
        OperationCall(operation: .deleteDefault, request: "DELETE /default/p/..%2Fde") {
            _ = try $0.perform(.deleteDefault, [("productId", "p"), ("locale", "../de")], body: nil)
        },
        OperationCall(
            operation: .setURL,
            request: "PUT /realtime/url",
            contentType: json,
            body: #"{"realtimeURL":"https://example.com/r?a=b"}"#
        ) { try $0.setRealtimeURL("https://example.com/r?a=b") },
        OperationCall(
            operation: .getURL,
            request: "GET /realtime/url",
            answer: #"{"realtimeURL":"https://example.com/r"}"#
        ) {
            let url = try $0.realtimeURL()
            #expect(url == "https://example.com/r")
        },
        OperationCall(operation: .deleteURL, request: "DELETE /realtime/url") {
            _ = try $0.perform(.deleteURL, [], body: nil)
        },
        OperationCall(
            operation: .startTest, request: "POST /performanceTest", contentType: json,
            body: #"{"originalTransactionId":"2000000001"}"#, answer: #"{"requestId":"5D1F-x"}"#
        ) {
            let body = Array(#"{"originalTransactionId":"2000000001"}"#.utf8)
            let document = try $0.perform(.startTest, [], body: body).document
            #expect(document?.member("requestId")?.string == "5D1F-x")
        },
        OperationCall(
            operation: .getTestResult, request: "GET /performanceTest/result/5D1F-x",
            answer: #"{"result":"PASS","new":[1]}"#
        ) {
            let document = try $0.perform(.getTestResult, [("requestId", "5D1F-x")], body: nil).document
            #expect(document?.member("result")?.string == "PASS")
        },
    ]

    static func of(_ operation: AppStoreServerOperation) -> OperationCall {
        all.first { $0.operation == operation } ?? all[0]
    }
}
