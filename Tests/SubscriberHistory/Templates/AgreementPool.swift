import AppStoreTraffic
import CertificateAuthority
import Cryptography
import Support
import System
import Testing

/// The daemon with the rules of a template and facts, and `retentionctl` beside it.
final class AgreementPool {
    private let folder: TemporaryDirectory
    private let tool: String
    private let forge: ZooForge
    private let processID: Int32
    private let client: FastCGIClient
    private var hasEnded = false

    /// Starts the daemon, as an operator does, and waits until it serves.
    init(in folder: TemporaryDirectory, rules: [UInt8], facts: [UInt8]) throws {
        self.folder = folder
        tool = try ProgramRun.product("retentionctl")
        forge = try ZooForge(now: Clock.wallMilliseconds())
        try folder.makeDirectory("data")
        try folder.makeDirectory("state", permissions: 0o700)
        try folder.write(rules, to: "data/app.rules.json")
        try folder.write(facts, to: "data/app.facts")
        try folder.write(forge.trusted.chain.root.pem, to: "anchor.pem")
        try folder.write(try SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        let socket = folder.path(of: "pool.sock")
        try folder.write(
            """
            {"listen": "unix:\(socket)", "listenGroup": "\(Credentials.current.groupID)", "workers": 1,
             "dataDirectory": "\(folder.path(of: "data"))", "stateDirectory": "\(folder.path(of: "state"))",
             "pidFile": "\(folder.path(of: "pool.pid"))", "anchors": ["\(folder.path(of: "anchor.pem"))"],
             "maxSignedAgeSeconds": 3600, "deadlineMilliseconds": 10000,
             "apps": [{"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app",
               "environments": ["Production"], "signingKeyId": "KEY",
               "signingKeys": [{"keyId": "KEY", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
                 "file": "\(folder.path(of: "key.p8"))"}]}]}
            """,
            to: "retentiond.json"
        )
        let log = try FileDescriptor.create(path: folder.path(of: "log"), permissions: 0o600)
        var child = ChildProcess(
            executable: try ProgramRun.product("retentiond"),
            arguments: ["retentiond", "--allow-root", "--config", folder.path(of: "retentiond.json")],
            environment: ["PATH=/usr/bin:/bin"])
        child.descriptors = [(log.number, 2)]
        let processID = try child.start()
        self.processID = processID
        func logged() -> String {
            (try? folder.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let isReady = Patience.wait(seconds: 60) { logged().contains("message=ready") }
        do {
            try #require(isReady, "\(logged())")
            client = try FastCGIClient(unixPath: socket)
        } catch {
            try? Processes.send(.kill, to: processID)
            _ = Processes.wait(for: processID)
            throw error
        }
    }

    deinit {
        guard !hasEnded else { return }
        try? Processes.send(.kill, to: processID)
        _ = Processes.wait(for: processID)
    }

    /// Returns the answer to a request of a subscriber.
    func answer(_ key: UInt64, product: String) throws -> String {
        let payload = TestPayload.request(signedDate: Clock.wallMilliseconds())
            .setting("originalTransactionId", "\"\(key)\"").setting("productId", "\"\(product)\"")
        let parameters = [("CONTENT_TYPE", "application/json"), ("RETENTION_ENDPOINT", "retention-message")]
        try client.send(FastCGIRecords.request(parameters, body: try forge.body(payload)))
        let reply = try client.readReply(timeoutMilliseconds: 60_000)
        return "\(reply.status) \(String(decoding: reply.body, as: UTF8.self))"
    }

    /// Returns the answer as `retentionctl explain` prints it, in its last line.
    func explanation(_ key: UInt64, product: String, at now: Int64) throws -> String {
        let run = try ProgramRun.run(
            tool,
            [
                "explain", folder.path(of: "data/app.rules.json"), "--product", product, "--transaction",
                "\(key)",
                "--facts", folder.path(of: "data/app.facts"), "--at", "\(now)",
            ]
        )
        return run.output.split(separator: "\n").last.map(String.init) ?? run.errors
    }

    /// Stops the daemon, and returns how it ended.
    func stop() -> ChildExit? {
        try? Processes.send(.quit, to: processID)
        hasEnded = true
        return Processes.wait(for: processID)
    }
}
