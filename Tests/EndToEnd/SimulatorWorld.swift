import AppStoreTraffic
import Cryptography
import HTTPClient
import JSON
import Support
import System
import Vocabulary

/// `retentionctl appstore serve` behind a real nginx with the shipped configuration, in a folder of its own, and the tool
/// as its client.
final class SimulatorWorld: Sendable {
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    static let keyId = "2X9R4HXF34"

    let folder: TemporaryDirectory
    /// The private key in PEM.
    let key: String
    /// The clock of the simulator and of the tool; nil for the real one.
    private let clock: SharedClock?
    private let ports: (production: UInt16, sandbox: UInt16)
    private let tool: String
    private let simulator: RunningProcess
    private let nginx: RunningProcess

    /// Starts the simulator and nginx. All apps have passed a performance test. `options` are further options of
    /// `appstore serve`. With a shared clock, hours pass as fast as the calls are made.
    init(apps: [String], options: [String] = [], clock: SharedClock? = nil) throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        self.clock = clock
        let tool = try Programs.tool()
        self.tool = tool
        let key = try SigningKey.generate().pem()
        self.key = key
        try folder.write(key, to: "key.p8", permissions: 0o600)
        let authority = folder.path(of: "authority")
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
        try folder.write(Self.state(apps), to: "state.json")
        let ports = try LoopbackPort.free(3)
        self.ports = (ports[0], ports[1])
        try SimulatorNginx.write(in: folder, authority: authority, ports: ports)
        let isRoot = Credentials.current.userID == 0
        let arguments = [
            tool, "appstore", "serve", "--listen", "unix:" + folder.path(of: "socket"), "--log",
            "--issuer-id", Self.issuerId, "--key", "\(Self.keyId)=\(folder.path(of: "key.p8"))",
            "--authority", authority, "--state", folder.path(of: "state.json"),
        ]
        let named = apps.enumerated().flatMap { ["--app", "\($1)=\($0 + 1)"] }
        simulator = try RunningProcess(
            arguments + named + (isRoot ? ["--listen-group", "www-data"] : []) + options,
            logPath: folder.path(of: "simulator.log"), environment: clock?.environment ?? [])
        let prefix = folder.path(of: "nginx")
        nginx = try RunningProcess(
            [Programs.nginx, "-p", prefix, "-c", prefix + "/nginx.conf"],
            logPath: folder.path(of: "nginx.log"))
        guard simulator.waitForLog("ready: ") else {
            throw Complaint("the simulator does not start: \(simulator.log)")
        }
        guard Patience.wait(seconds: 60, { (try? state()) != nil || nginx.hasEnded }), !nginx.hasEnded else {
            throw Complaint("nginx does not start: \(nginx.log)")
        }
    }

    deinit {
        for process in [nginx, simulator] {
            try? process.send(.quit)
            if process.waitForExit(seconds: 8) == nil { try? process.send(.kill) }
        }
        LogAudit.check(folder)
    }

    /// The base URL of an environment.
    func url(_ environment: Environment) -> String {
        "https://127.0.0.1:\(environment == .production ? ports.production : ports.sandbox)"
    }

    /// The options of a command that asks the simulator.
    func options(_ environment: Environment) -> [String] {
        [
            "--environment", environment.rawValue, "--base-url", url(environment),
            "--cacert", folder.path(of: "authority/tls-authority.pem"),
            "--key-file", folder.path(of: "key.p8"), "--key-id", Self.keyId, "--issuer-id", Self.issuerId,
        ]
    }

    /// The options of a command with a catalogue, whose journal is in `state`.
    func options(_ environment: Environment, state: String) -> [String] {
        options(environment) + ["--state", folder.path(of: state)]
    }

    /// Runs the tool to its end.
    func run(_ arguments: [String], environment more: [String] = []) throws -> ProgramRun {
        try Programs.run(
            tool, arguments,
            environment: more + (clock?.clientEnvironment ?? []) + ["PATH=/usr/bin:/bin", "LANG=C"])
    }

    /// What the simulator has and has counted.
    func state() throws -> JSONValue {
        let response = try client().perform(
            HTTPRequest(method: "GET", url: url(.sandbox) + "/appstore-simulator/state")
        )
        guard response.status == 200 else { throw Complaint("status \(response.status) of the state") }
        let limits = JSONLimits(byteCount: Self.stateByteCount, depth: 16)
        return try JSONDocument(parsing: response.body.span, limits: limits).root
    }

    /// Approves everything that is pending in an app.
    func approveAll(_ bundleId: String, _ environment: Environment) throws {
        try administer("review", #"{"decision":"approve","bundleId":"\#(bundleId)"}"#, environment)
    }

    /// Posts a body to one of the paths of the simulator's user.
    func administer(_ name: String, _ body: String, _ environment: Environment) throws {
        let response = try client().perform(
            .postJSON(Array(body.utf8), to: url(environment) + "/appstore-simulator/" + name)
        )
        guard response.status == 200 else { throw Complaint("status \(response.status) of \(name)") }
    }

    /// The files among what the simulator, nginx and the tool have written in which a token or the key is.
    func filesWithSecrets(state: String) throws -> [String] {
        let folder = try FileDescriptor.openDirectory(path: folder.path(of: state))
        let kept = try Directory.names(in: folder, limitCount: 1000).map { "\(state)/\($0)" }
        let lines = key.split(separator: "\n")
        return try (kept + ["simulator.log", "nginx.log", "nginx/logs/error.log", "state.json"]).filter {
            name in
            let text = String(decoding: try self.folder.read(name), as: UTF8.self)
            // The header and the claims of every token begin with these characters.
            return text.contains("eyJ") || lines.contains { text.contains($0) }
        }
    }

    private static let stateByteCount = 64 << 20

    private func client() throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = folder.path(of: "authority/tls-authority.pem")
        configuration.responseByteCount = Self.stateByteCount
        return try HTTPClient(configuration: configuration)
    }

    /// The text of a state in which nothing is uploaded, and each app has passed a performance test.
    private static func state(_ apps: [String]) -> String {
        let empty =
            #"{"uploadCount":0,"realtimeURL":null,"images":[],"messages":[],"defaults":[],"deletedImages":[],"#
            + #""deletedMessages":[]}"#
        let list = apps.map {
            #""\#($0)":{"hasPassedTest":true,"Production":\#(empty),"Sandbox":\#(empty),"tests":[]}"#
        }
        return #"{"format":1,"apps":{\#(list.joined(separator: ","))}}"#
    }
}

/// A folder for an nginx in front of the simulator: the repository's nginx files with other ports and paths.
private enum SimulatorNginx {
    private static let files =
        NginxFolder.files + [
            "appstore-simulator.conf", "appstore-simulator-server.conf", "appstore-simulator-fastcgi_params",
        ]

    static func write(in folder: TemporaryDirectory, authority: String, ports: [UInt16]) throws {
        let changes = [
            // One worker handles the requests in the order in which they come, also those of a client that was killed.
            ("nginx.conf", "worker_processes  2;", "worker_processes  1;"),
            ("nginx.conf", "#include appstore-simulator.conf;", "include appstore-simulator.conf;"),
            ("nginx.conf", "127.0.0.1:8443", "127.0.0.1:\(ports[2])"),
            ("appstore-simulator.conf", "127.0.0.1:8444", "127.0.0.1:\(ports[0])"),
            ("appstore-simulator.conf", "127.0.0.1:8445", "127.0.0.1:\(ports[1])"),
            ("appstore-simulator.conf", "/run/appstore/simulator.sock", folder.path(of: "socket")),
        ]
        for name in ["nginx", "nginx/logs", "nginx/tmp"] { try folder.makeDirectory(name) }
        for name in files {
            let bytes = try SourceFile.read("\(SourceFile.root)/nginx/\(name)")
            var text = String(decoding: bytes, as: UTF8.self)
            for (_, old, new) in changes.filter({ $0.0 == name }) {
                guard text.contains(old) else { throw Complaint("\(name) has no \(old)") }
                text.replace(old, with: new)
            }
            try folder.write(text, to: "nginx/\(name)")
        }
        for (file, name) in [(TestAuthority.File.server, "server.pem"), (.serverKey, "server.key")] {
            let bytes = try SourceFile.read(TestAuthority.path(file, authority))
            try folder.write(bytes, to: "nginx/\(name)", permissions: 0o600)
        }
    }
}
