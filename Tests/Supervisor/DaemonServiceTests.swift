import Support
import System
import Testing

/// The daemon under a service manager.
extension DaemonTests {
    @Test("tells systemd when it serves, reloads and stops")
    func notification() throws {
        let pool = try PoolProcess()
        let manager = try NotifySocket(path: pool.folder.path(of: "notify"))
        try pool.start(environment: ["NOTIFY_SOCKET=\(manager.path)"])
        let ready = try #require(try manager.wait(for: "READY=1"))
        #expect(ready.contains("MAINPID=\(pool.processID)"))
        #expect(ready.contains("STATUS=serving generation 1"))
        try pool.push(PoolProcess.rules(revision: "r11"), as: "one.rules.json")
        let before = Clock.monotonicNanoseconds() / 1000
        try pool.send(.hangup)
        let reloading = try #require(try manager.wait(for: "RELOADING=1"))
        // Without MONOTONIC_USEC, "systemctl reload" of a Type=notify-reload unit waits for ever.
        let since = try #require(reloading.first { $0.hasPrefix("MONOTONIC_USEC=") }?.dropFirst(15))
        let after = Clock.monotonicNanoseconds() / 1000
        #expect((before...after).contains(try #require(UInt64(since))))
        #expect(try manager.wait(for: "READY=1")?.contains("STATUS=serving generation 2") == true)
        try pool.push([7], as: "one.rules.json")
        try pool.send(.hangup)
        let refused = try #require(try manager.wait(for: "READY=1"))
        #expect(refused.contains { $0.hasPrefix("STATUS=serving generation 2; reload refused: json.syntax") })
        try pool.send(.quit)
        #expect(try manager.wait(for: "STOPPING=1") != nil)
        #expect(pool.waitForEnd() == .exited(0))
    }

    @Test("counts started and crashed workers and reloads; shows the last verdict")
    func counters() throws {
        let pool = try PoolProcess().start()
        var status = try Self.status(of: pool, whenLastReloadIs: "loaded")
        #expect(status["workers_started"] == "2" && status["workers_crashed"] == "0")
        #expect(status["reloads_loaded"] == "0" && status["reloads_refused"] == "0")
        #expect(status["last reload"] == "loaded" && status["total processes"] == "2")
        try Processes.send(.kill, to: try #require(try pool.workers().first))
        try pool.wait(for: "message=\"worker lost\"")
        try pool.wait(for: "message=ready", "worker")
        try pool.push(PoolProcess.rules(revision: "r11"), as: "one.rules.json")
        #expect(try pool.reload().status == 0)
        try pool.push([1], as: "one.rules.json")
        #expect(try pool.reload().status == 1)
        // The verdict is published before the reload is counted and logged.
        try pool.wait(for: "message=\"reload refused\"")
        status = try pool.status()
        #expect(status["workers_crashed"] == "1" && status["workers_started"] == "5", "\(status)")
        #expect(status["reloads_loaded"] == "1" && status["reloads_refused"] == "1")
        #expect(
            status["last reload"] == "refused" && status["last reload code"]?.hasPrefix("json.") == true
        )
        #expect(status["loaded since"].flatMap { Int64($0) } ?? 0 > 0)
    }

    /// Returns the status of the pool once it has a verdict. The verdict is published after the log line of a start or reload.
    private static func status(of pool: PoolProcess, whenLastReloadIs verdict: String) throws -> [String:
        String]
    {
        let end = Clock.monotonicNanoseconds() + 60_000_000_000
        var status = try pool.status()
        while status["last reload"] != verdict, Clock.monotonicNanoseconds() < end {
            status = try pool.status()
        }
        return status
    }

    @Test("serves on the socket of LISTEN_FDS, and does not remove it")
    func activation() throws {
        let pool = try PoolProcess()
        let socket = try Self.systemdSocket(pool, count: 1)
        pool.listen = "systemd"
        try pool.configure()
        try pool.start()
        #expect(try pool.ping() == "pong")
        #expect(try pool.reload().status == 0)
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        #expect(try FileStatus(path: pool.socketPath).kind == .socket, "the socket stays for the next start")
        _ = consume socket
    }

    @Test("does not start without LISTEN_FDS when it should listen there")
    func nothingInherited() throws {
        let pool = try PoolProcess()
        pool.listen = "systemd"
        try pool.configure()
        let run = try pool.run([])
        #expect(run.status == 78 && run.errors.contains("supervisor.nothing-inherited"))
    }

    /// Makes the pool start as systemd starts it. LISTEN_PID must be the process id of the daemon, so a shell sets it
    /// and then becomes the daemon.
    private static func systemdSocket(_ pool: PoolProcess, count: Int, path: String? = nil) throws
        -> ListeningSocket
    {
        if path == nil { try pool.folder.makeDirectory("run", permissions: 0o750) }
        let access = ListeningSocket.Access(mode: 0o660)
        let socket = try ListeningSocket(unixPath: path ?? pool.socketPath, access: access, backlog: 16)
        let script = "LISTEN_PID=$$ LISTEN_FDS=\(count); export LISTEN_PID LISTEN_FDS; exec \"$@\""
        pool.launcher = ["/bin/sh", "-c", script, "sh"]
        pool.handed = (0..<count).map {
            (socket.descriptor.number, ListeningSocket.firstSystemdDescriptor + Int32($0))
        }
        return socket
    }
}
