import Cryptography
import Support
import Synchronization
import Testing

/// retentionctl with a key of its own, and a server on loopback that stands for Apple's.
final class AppleWorld: Sendable {
    typealias Reply = LoopbackServer.Reply
    static let message = "6584bedf-2ed0-4c01-93ed-c0c64a1670cc"
    static let other = "0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59"

    let folder: TemporaryDirectory
    let server: LoopbackServer
    private let log: Mutex<[LoopbackServer.Request]>.Box
    let pem: String

    /// The requests so far.
    var received: [LoopbackServer.Request] { log.all }
    /// Methods and paths of the requests so far.
    var calls: [String] {
        received.map { "\($0.method) \($0.path.replacing("/inApps/v1/messaging", with: ""))" }
    }

    init(_ answer: @escaping @Sendable (LoopbackServer.Request) -> Reply) throws {
        folder = try TemporaryDirectory()
        pem = try SigningKey.generate().pem()
        try folder.write(pem, to: "key.p8", permissions: 0o600)
        let log = Mutex<[LoopbackServer.Request]>.Box()
        self.log = log
        server = try LoopbackServer { request in
            log.add(request)
            return answer(request)
        }
    }

    deinit {
        server.stop()
    }

    /// The options for the server and the credentials.
    var options: [String] {
        [
            "--environment", "Sandbox", "--base-url", server.url(""),
            "--key-file", folder.path(of: "key.p8"), "--key-id", "2X9R4HXF34",
            "--issuer-id", "57246542-96fe-1a63-e053-0824d011072a", "--bundle-id", "com.example.app",
        ]
    }

    /// Runs `retentionctl apple` with the options and those of `more`, which count more, and looks for secrets in all
    /// that it wrote.
    func run(_ arguments: [String], more: [String] = [], input: String = "") throws -> ProgramRun {
        let run = try Tool.run(["apple"] + arguments + options + more, input: Array(input.utf8))
        checkSecrets(run)
        return run
    }

    /// Expects that a run has shown neither a token nor the key.
    func checkSecrets(_ run: ProgramRun) {
        checkSecrets(in: run.output + run.errors)
    }

    /// Expects that a text has neither a token nor the key.
    func checkSecrets(in shown: String) {
        for request in received {
            for part in (request.headers["authorization"] ?? "").split(separator: ".") {
                #expect(!shown.contains(part), "a token is shown")
            }
        }
        for line in pem.split(separator: "\n") { #expect(!shown.contains(line), "the key is shown") }
    }

    /// A JSON answer.
    static func json(_ text: String, status: Int = 200) -> Reply {
        .respond(status: status, body: Array(text.utf8))
    }

    /// An answer of Apple's server that refuses.
    static func refusal(_ code: Int) -> Reply {
        json(#"{"errorCode":\#(code),"errorMessage":"words\u001b[2J"}"#, status: code / 10_000)
    }
}

extension Mutex<[LoopbackServer.Request]> {
    /// Requests that several threads add.
    final class Box: Sendable {
        private let requests = Mutex<[LoopbackServer.Request]>([])

        var all: [LoopbackServer.Request] { requests.withLock { $0 } }

        func add(_ request: LoopbackServer.Request) {
            requests.withLock { $0.append(request) }
        }
    }
}
