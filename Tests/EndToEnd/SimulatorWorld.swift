import AppStoreSimulator
import Cryptography
import HTTPClient
import JSON
import Support
import System

/// `appstore-simulator serve` behind a real nginx with the shipped configuration, in a folder of its own, and the tool
/// as its client.
final class SimulatorWorld: Sendable {
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    static let keyId = "2X9R4HXF34"

    let folder: TemporaryDirectory
    private let ports: (production: UInt16, sandbox: UInt16)
    private let tool: String
    private let simulator: RunningProcess
    private let nginx: RunningProcess

    /// Starts the simulator and nginx. All apps have passed a performance test.
    init(apps: [String]) throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        let tool = try Programs.tool()
        self.tool = tool
        let key = try SigningKey.generate().pem()
        try folder.write(key, to: "key.p8", permissions: 0o600)
        let authority = folder.path(of: "authority")
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
        try folder.write(Self.state(apps), to: "state.json")
        let ports = try LoopbackPort.free(3)
        self.ports = (ports[0], ports[1])
        try NginxFolder.write(in: folder, authority: authority, ports: ports)
        let isRoot = Credentials.current.userID == 0
        let arguments = [
            try Programs.simulator(), "serve", "--listen", "unix:" + folder.path(of: "socket"), "--log",
            "--issuer-id", Self.issuerId, "--key", "\(Self.keyId)=\(folder.path(of: "key.p8"))",
            "--authority", authority, "--state", folder.path(of: "state.json"),
        ]
        let named = apps.enumerated().flatMap { ["--app", "\($1)=\($0 + 1)"] }
        simulator = try RunningProcess(
            arguments + named + (isRoot ? ["--listen-group", "www-data"] : []),
            logPath: folder.path(of: "simulator.log"))
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

    /// The options of a command with a catalogue, whose state is in `state`.
    func options(_ environment: Environment, state: String) -> [String] {
        options(environment) + ["--state", folder.path(of: state)]
    }

    /// Runs the tool to its end.
    func run(_ arguments: [String], environment more: [String] = []) throws -> ProgramRun {
        try Programs.run(
            tool, arguments, environment: more + ["PATH=/usr/bin:/bin", "LANG=C"])
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
            #""uploadCount":0,"images":{},"messages":{},"defaults":{},"deletedImages":[],"deletedMessages":[],"#
            + #""notices":{"notifications":[],"subscribers":[],"changeCount":0,"usedNonces":[]}"#
        let list = apps.map {
            #""\#($0)":{"hasPassedTest":true,"Production":{"approvesAtOnce":false,\#(empty)},"#
                + #""Sandbox":{"approvesAtOnce":true,\#(empty)},"tests":[]}"#
        }
        return #"{"format":3,"apps":{\#(list.joined(separator: ","))}}"#
    }
}

extension NginxFolder {
    /// Writes `nginx/` below `folder` for an nginx in front of the simulator.
    fileprivate static func write(in folder: TemporaryDirectory, authority: String, ports: [UInt16]) throws {
        let simulator = [
            "appstore-simulator.conf", "appstore-simulator-server.conf", "appstore-simulator-fastcgi_params",
        ]
        let changes = [
            // One worker handles the requests in the order in which they come, also those of a client that was killed.
            ("nginx.conf", "worker_processes  2;", "worker_processes  1;"),
            ("nginx.conf", "#include appstore-simulator.conf;", "include appstore-simulator.conf;"),
            ("nginx.conf", "127.0.0.1:8443", "127.0.0.1:\(ports[2])"),
            ("appstore-simulator.conf", "127.0.0.1:8444", "127.0.0.1:\(ports[0])"),
            ("appstore-simulator.conf", "127.0.0.1:8445", "127.0.0.1:\(ports[1])"),
            ("appstore-simulator.conf", "/run/appstore/simulator.sock", folder.path(of: "socket")),
        ]
        try write(files + simulator, changes.map { (file: $0.0, old: $0.1, new: $0.2) }, in: folder)
        for (file, name) in [(TestAuthority.File.server, "server.pem"), (.serverKey, "server.key")] {
            let bytes = try SourceFile.read(TestAuthority.path(file, authority))
            try folder.write(bytes, to: "nginx/\(name)", permissions: 0o600)
        }
    }
}
