import AppStoreSimulator
import CertificateAuthority
import HTTPLoad
import JSON
import Support
import Synchronization
import System
import Testing

/// A pool of `retentiond` behind a real nginx, in a folder of its own, for one test.
final class Tester: Sendable {
    let options: TesterOptions
    let folder: TemporaryDirectory
    let tlsPort: UInt16
    let plainPort: UInt16
    let poolPort: UInt16
    let forge: ZooForge
    /// The socket that the daemons inherit; nil when each makes its own.
    private let socket: HeldSocket?
    private let processes = Mutex<(nginx: RunningProcess?, daemon: RunningProcess?)>((nil, nil))

    /// Starts everything, runs `body` and stops everything, also when `body` throws. When something throws, it prints
    /// what the processes wrote.
    static func run<Value>(_ options: TesterOptions = TesterOptions(), _ body: (Tester) throws -> Value)
        throws -> Value
    {
        let tester = try Tester(options)
        defer { tester.stopEverything() }
        do {
            if options.startsDaemon { try tester.startDaemon() }
            if options.startsNginx { try tester.startNginx() }
            return try body(tester)
        } catch {
            print(
                "--- daemon ---\n\(tester.daemonLog.suffix(6000))\n--- nginx ---\n\(tester.nginxLog.suffix(3000))"
            )
            throw error
        }
    }

    private init(_ options: TesterOptions) throws {
        self.options = options
        forge = try ZooForge(now: Clock.wallMilliseconds())
        let folder = try TemporaryDirectory()
        self.folder = folder
        try folder.makeDirectory("socket")
        socket = options.listen == .systemd ? try HeldSocket(path: folder.path(of: Self.heldSocket)) : nil
        let ports = try LoopbackPort.free(3)
        (tlsPort, plainPort, poolPort) = (ports[0], ports[1], ports[2])
        try writeFolder()
        try NginxFolder.write(
            options, in: folder, pool: poolAddress, tlsPort: tlsPort, plainPort: plainPort)
    }

    // MARK: - Places

    /// The pool's address, as it is spelled in nginx's configuration and in the daemon's.
    var poolAddress: String {
        switch options.listen {
        case .unix: "unix:\(folder.path(of: "run"))/retentiond.sock"
        case .systemd: "unix:\(folder.path(of: Self.heldSocket))"
        case .internet: "127.0.0.1:\(poolPort)"
        }
    }
    private static let heldSocket = "socket/retentiond.sock"
    var configurationPath: String { folder.path(of: "retentiond.json") }
    var rulesPath: String { folder.path(of: "data/app.rules.json") }

    // MARK: - Processes

    var daemon: RunningProcess {
        get throws {
            guard let daemon = processes.withLock({ $0.daemon }) else { throw Complaint("no daemon") }
            return daemon
        }
    }
    var nginx: RunningProcess {
        get throws {
            guard let nginx = processes.withLock({ $0.nginx }) else { throw Complaint("no nginx") }
            return nginx
        }
    }
    var daemonLog: String { processes.withLock { $0.daemon }?.log ?? "" }
    var nginxLog: String {
        let own = processes.withLock { $0.nginx }?.log ?? ""
        let errors = (try? folder.read("nginx/logs/error.log")) ?? []
        return own + String(decoding: errors, as: UTF8.self)
    }

    /// The workers that run now.
    var workers: [Int32] {
        get throws { ProcessTree.children(of: try daemon.processID, with: "--worker") }
    }

    /// Starts the daemon and waits until it says that it serves.
    func startDaemon(arguments: [String] = [], environment: [String] = [], waits: Bool = true) throws {
        let path = try Programs.daemon()
        let process = try RunningProcess(
            [path, "--allow-root", "--config", configurationPath] + arguments,
            logPath: folder.path(of: "daemon.log"), environment: environment, socket: socket)
        processes.withLock { $0.daemon = process }
        guard waits else { return }
        guard process.waitForLog("message=ready files=", seconds: 30) else {
            throw Complaint("the daemon is not ready: \(process.log)")
        }
    }

    func stopDaemon() throws {
        try daemon.send(.quit)
        guard try daemon.waitForExit() == .exited(0) else { throw Complaint("no clean end: \(daemonLog)") }
    }

    /// Ends the daemon and starts it again, as `systemctl restart` does.
    func restartDaemon() throws {
        try stopDaemon()
        try startDaemon()
    }

    /// Sends HUP and waits until the reload is accepted, or refused with this code.
    func reload(refusedWith code: String? = nil) throws {
        let verdict = code == nil ? "reload accepted" : "reload refused"
        let before = try daemon.logCount(verdict)
        try daemon.send(.hangup)
        guard try daemon.waitForLog(verdict, count: before + 1), daemonLog.contains(code ?? verdict) else {
            throw Complaint("no \(verdict), \(code ?? ""): \(daemonLog.suffix(2000))")
        }
    }

    /// Waits until other workers have taken the place of these.
    func awaitOthers(than former: [Int32]) throws {
        let isReplaced = Patience.wait(seconds: 60) {
            let now = (try? workers) ?? []
            return now.count == former.count && Set(now).isDisjoint(with: former)
        }
        guard isReplaced else { throw Complaint("the workers stay: \(daemonLog.suffix(2000))") }
    }

    /// The exit status of `retentiond --reload`, and what it writes.
    func reloadCommand() throws -> ProgramRun {
        try Programs.run(Programs.daemon(), ["--config", configurationPath, "--reload"])
    }

    /// Starts nginx and waits until it answers.
    func startNginx() throws {
        let prefix = folder.path(of: "nginx")
        let process = try RunningProcess(
            [Programs.nginx, "-p", prefix, "-c", prefix + "/nginx.conf"],
            logPath: folder.path(of: "nginx.log"))
        processes.withLock { $0.nginx = process }
        let answers = Patience.wait(seconds: 60) {
            PlainAnswer.exchange(RequestText.get("/"), port: plainPort) != nil || process.hasEnded
        }
        guard answers, !process.hasEnded else { throw Complaint("nginx does not start: \(nginxLog)") }
    }

    private func stopEverything() {
        let (nginx, daemon) = processes.withLock { $0 }
        for process in [nginx, daemon].compactMap({ $0 }) {
            try? process.send(.quit)
            if process.waitForExit(seconds: 8) == nil { try? process.send(.kill) }
        }
        LogAudit.check(folder)
        // The workers of a killed supervisor end by themselves. The folder may be removed before they end.
        if ProcessEnvironment.value(of: "RETENTION_KEEP") == nil { return }
        print("kept: \(folder.path)")
        folder.keep()
    }
}

extension Tester {
    /// Sends a GET to the port without TLS.
    func get(_ path: String) -> PlainAnswer? {
        PlainAnswer.exchange(RequestText.get(path), port: plainPort)
    }

    /// Sends a POST with this body to the port without TLS.
    func post(_ body: [UInt8], to path: String = TestTraffic.path) -> PlainAnswer? {
        PlainAnswer.exchange(RequestText.post(path, body), port: plainPort)
    }

    /// Sends a valid request and returns the body of the answer, or nil when the status is not 200.
    func ask() throws -> String? {
        let answer = post(try forge.body(forge.payload))
        return answer?.status == 200 ? answer?.body : nil
    }

    /// A closed loop of valid requests over kept connections without TLS.
    func load(connections: Int) throws -> LoadPlan {
        LoadPlan(port: plainPort, connections: connections, requests: try TestTraffic.valid(forge))
    }

    /// Runs `body` while a load of valid requests goes on: as many a second as `rate` says, or as many as are answered. The load
    /// starts before `body` and ends after it.
    ///
    /// - Returns: the outcomes of all requests of the load.
    func underLoad(connections: Int = 8, rate: Double = 0, _ body: (LoadClient) throws -> Void) throws
        -> LoadReport
    {
        let client = LoadClient(try load(connections: connections).with { $0.ratePerSecond = rate })
        let running = try client.start()
        defer {
            client.stop()
            _ = running.join()
        }
        try body(client)
        client.stop()
        return try #require(running.join())
    }

    /// Waits until the old workers are gone. Returns true when the remaining workers serve these rules.
    func hasSwitched(to rules: TestRules) throws -> Bool {
        guard Patience.wait(seconds: 60, { (try? workers.count) == options.workers }) else { return false }
        return try ask() == rules.answer
    }

    /// Sends so many valid requests over eight connections, and expects that all are answered with a message.
    func send(_ count: Int, connections: Int = 8) throws {
        let plan = try load(connections: connections).with { $0.requestLimit = count }
        let report = LoadClient(plan).run()
        #expect(report.failures == 0 && report.count(status: 200) == count, "\(report)")
    }

    /// An open loop of bad requests, each with a different chain.
    func flood(_ template: AttackTemplate, perSecond rate: Double) -> LoadPlan {
        LoadPlan(port: plainPort, connections: 64, requests: [template.request]).with {
            $0.patch = template.patch
            $0.ratePerSecond = rate
        }
    }

    /// A field of the status page.
    func status(_ name: String) throws -> Int64? {
        let text = Array((get("/retention-status?json")?.body ?? "").utf8)
        let limits = JSONLimits(byteCount: 1 << 20, depth: 8)
        return try JSONDocument(parsing: text.span, limits: limits).root.member(named: name)?.int64
    }
}

extension Tester {
    /// Writes the files that a pool needs to start: configuration, anchors, rules.
    private func writeFolder() throws {
        try folder.makeDirectory("data")
        try folder.makeDirectory("state", permissions: 0o700)
        try folder.makeDirectory("run", permissions: 0o750)
        if Credentials.current.userID == 0, let group = Accounts.groupID(named: "www-data") {
            try Directory.give(path: folder.path(of: "run"), toUser: 0, group: group)
        }
        try folder.write(forge.trusted.chain.root.pem, to: "anchor.pem")
        try folder.write(forge.strict.chain.root.pem, to: "strict.pem")
        try writeConfiguration()
        if options.startsDaemon { try TestRules.old.push(to: self) }
    }

    /// Writes `retentiond.json` with the options and these changes.
    func writeConfiguration(changes: [(name: String, json: String)] = []) throws {
        func path(_ name: String) -> String { "\"\(folder.path(of: name))\"" }
        let apps = """
            [{"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app", "environments": ["Production"]},
             {"appAppleId": \(TestPayload.strictAppAppleId), "bundleId": "com.example.strict",
              "environments": ["Production"], "anchors": [\(path("strict.pem"))]}]
            """
        var object = TestObject([
            ("listen", options.listen == .systemd ? "\"systemd\"" : "\"\(poolAddress)\""),
            ("workers", "\(options.workers)"), ("dataDirectory", path("data")),
            ("stateDirectory", path("state")),
            ("pidFile", path("run/retentiond.pid")), ("anchors", "[\(path("anchor.pem"))]"), ("apps", apps),
            // Bodies are signed before the load begins, so some are old when they are sent.
            ("maxSignedAgeSeconds", "3600"),
        ])
        if options.deadlines == .patient { object = object.setting("deadlineMilliseconds", "10000") }
        if Credentials.current.userID != 0 {
            // Only root can give the socket to another group. Without root, nginx runs as the same user anyway.
            object = object.setting("listenGroup", "\"\(Credentials.current.groupID)\"")
        }
        for change in options.configuration + changes {
            object = object.setting(change.name, change.json)
        }
        try folder.write(object.text, to: "retentiond.json")
    }
}

/// How a ``Tester`` differs from the shipped configuration.
struct TesterOptions: Sendable {
    enum Listen: Sendable {
        case unix
        case internet
        /// The test holds a unix socket, as systemd does, and every daemon inherits it.
        case systemd
    }

    enum Deadlines: Sendable {
        /// As shipped: nginx gives up after 650 ms, the pool after 600.
        case shipped
        /// Ten seconds in the pool and in nginx. Then a busy machine does not change an answer, but a request that the
        /// pool forgets still fails.
        case patient
    }

    /// The number of nginx's own workers.
    var nginxWorkers = 2
    /// The size of nginx's cache of connections to the pool. With nil, nginx opens a new connection for each request.
    var keepalive: Int? = 64
    /// Where the pool listens.
    var listen = Listen.unix
    /// The number of the pool's workers.
    var workers = 2
    /// Members (name and JSON) that are added to `retentiond.json` or replace the tester's own.
    var configuration: [(name: String, json: String)] = []
    /// Further changes of nginx's files; each old text must be there.
    var nginxChanges: [(file: String, old: String, new: String)] = []
    /// True when `Tester.run` starts the daemon. With false, a test can start it itself.
    var startsDaemon = true
    /// True when `Tester.run` starts nginx.
    var startsNginx = true
    /// A long run has the machine for itself and uses the shipped deadlines. The gate checks answers and counts, but
    /// not how soon the answers come.
    var deadlines = Programs.runsLong ? Deadlines.shipped : .patient

    /// Returns a copy of the options with a change.
    func with(_ change: (inout TesterOptions) -> Void) -> TesterOptions {
        var copy = self
        change(&copy)
        return copy
    }
}
