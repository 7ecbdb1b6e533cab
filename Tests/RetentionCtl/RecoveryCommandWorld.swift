import AppStoreSimulator
import JSON
import Support
import System
import Testing

/// The simulator in a process of its own behind a server on loopback, which hands each request on as nginx does, and
/// retentionctl as its client.
final class RecoveryCommandWorld {
    let simulator: SimulatorProcess
    let server: LoopbackServer
    let environment: String
    let store: String
    private let folder: TemporaryDirectory

    init(
        _ environment: String = "Production",
        status: @escaping @Sendable (_ path: String, Int) -> Int = { $1 },
        change: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        let folder = try SimulatorProcess.makeFolder()
        self.folder = folder
        self.environment = environment
        store = "sqlite:" + folder.path(of: "store.db")
        let authority = folder.path(of: "authority")
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
        simulator = try SimulatorProcess(["--authority", authority], in: folder)
        let socket = folder.path(of: "socket")
        server = try LoopbackServer { request in
            let parameters = [
                ("REQUEST_METHOD", request.method), ("REQUEST_URI", request.path),
                ("CONTENT_TYPE", request.headers["content-type"] ?? ""),
                ("CONTENT_LENGTH", String(request.body.count)),
                ("HTTP_AUTHORIZATION", request.headers["authorization"] ?? ""),
                ("APPSTORE_ENVIRONMENT", environment),
            ]
            guard let client = try? FastCGIClient(unixPath: socket),
                (try? client.send(FastCGIRecords.request(parameters, body: request.body))) != nil,
                let reply = try? client.readReply()
            else { return .close }
            return .respond(status: status(request.path, reply.status), body: change(reply.body))
        }
        // Nobody listens there: the simulator makes notifications and reports that it cannot deliver them.
        try send(["--to", "https://127.0.0.1:1/notifications"])
    }

    deinit { server.stop() }

    /// The options for Apple's server and the credentials.
    var apple: [String] {
        [
            "--environment", environment, "--base-url", server.url(""),
            "--key-file", folder.path(of: "key.pem"), "--key-id", "KEY", "--issuer-id", "issuer",
            "--bundle-id", "com.example.app",
        ]
    }

    /// The options that trust the simulator.
    var trust: [String] {
        ["--anchors", folder.path(of: "authority/root.pem"), "--app", "1"]
    }

    /// Runs `appstore-simulator notify`. Sending ends with 1, because nobody takes the notifications.
    func send(_ words: [String]) throws {
        let run = try Tool.simulate(["notify"] + words + ["--url", server.url("/")])
        try #require(run.status == (words.first == "--to" ? 0 : 1), "\(run.errors)")
    }

    /// Runs a command of `retentionctl notifications`, or of another group, and looks for the key in all that the program
    /// wrote.
    func run(_ command: String, _ words: [String], of group: String = "notifications") throws -> ProgramRun {
        let run = try Tool.run([group, command] + apple + words)
        for line in String(decoding: try folder.read("key.pem"), as: UTF8.self).split(separator: "\n") {
            #expect(!(run.output + run.errors).contains(line))
        }
        return run
    }

    /// Runs `recover --json` and returns the report.
    func recover(_ words: [String] = []) throws -> JSONDocument {
        let run = try run("recover", ["--json", "--store", store] + trust + words)
        #expect(run.status == 0, "\(run.errors)")
        return try Tool.document(run)
    }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try folder.write(text, to: name)
        return folder.path(of: name)
    }
}
