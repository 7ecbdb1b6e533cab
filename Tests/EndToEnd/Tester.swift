import HTTPLoad
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
        try TesterFolder.write(self)
        _ = try NginxFolder.write(
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

    /// Ends the daemon and starts it again, as `systemctl restart` does.
    func restartDaemon() throws {
        try daemon.send(.quit)
        guard try daemon.waitForExit() == .exited(0) else { throw Complaint("no clean end: \(daemonLog)") }
        try startDaemon()
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
