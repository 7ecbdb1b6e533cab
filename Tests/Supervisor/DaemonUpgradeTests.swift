import Support
import System
import Testing

extension DaemonTests {
    @Test("becomes a new binary and keeps its process id")
    func upgrade() throws {
        let pool = try PoolProcess().start()
        let before = try pool.workers()
        try pool.send(.user2)
        try pool.wait(for: "message=upgrading")
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.ping() == "pong")
        #expect(try PidFile.read(path: pool.folder.path(of: "pid"))?.processID == pool.processID)
        #expect(try pool.reload().status == 0)
        #expect(try !pool.workers().contains { before.contains($0) })
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
    }

    @Test("goes on when the new binary fails its check")
    func upgradeRefused() throws {
        let (pool, path) = try Self.replaceable()
        try AtomicFile.write(Array("#!/bin/false\n".utf8).span, to: path, permissions: 0o755)
        try Self.expectRefusal(pool, "upgrade-check-failed")
        // The old binary still runs, also for new workers.
        let original = try ProgramRun.product("retentiond")
        #expect(try ProgramRun.run(original, ["--config", pool.configurationPath, "--reload"]).status == 0)
    }

    @Test("goes on when the new binary does not understand the hand-over")
    func unreadable() throws {
        let (pool, path) = try Self.replaceable()
        try Self.install(#"RETENTIOND_UPGRADE="2;$RETENTIOND_UPGRADE"; export RETENTIOND_UPGRADE"#, at: path)
        try Self.expectRefusal(pool, "upgrade-check-failed")
        #expect(pool.lines.contains { $0.contains("supervisor.upgrade-unreadable") })
    }

    @Test(
        "goes on when a new binary cannot start with the edited configuration",
        arguments: [
            (#", "workers": 2, "backlog": 77"#, "needs-restart"), (#", "nonsense": 1"#, "unknown-key"),
        ]
    )
    func edited(settings: String, code: String) throws {
        let pool = try PoolProcess().start()
        try pool.configure(settings)
        try Self.expectRefusal(pool, "upgrade-check-failed")
        #expect(pool.lines.contains { $0.contains(code) })
        try pool.configure()
        #expect(try pool.reload().status == 0)
    }

    @Test("upgrades with the serving generation when the pushed files are refused, and warns")
    func badPush() throws {
        let pool = try PoolProcess().start()
        let before = try pool.workers()
        try pool.push([1], as: "one.rules")
        try pool.send(.user2)
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload refused\" code=data-file.truncated")
        #expect(
            pool.lines.contains {
                $0.contains("warning: the pushed files are refused, and the loaded ones serve on")
            }
        )
        #expect(try pool.ping() == "pong")
        #expect(try pool.workers() == before)
        // The new binary can also start workers of the old generation.
        try Processes.send(.kill, to: before[0])
        try pool.wait(for: "message=ready", "worker")
        try pool.push(PoolProcess.rules(generation: 11), as: "one.rules")
        #expect(try pool.reload().status == 0)
    }

    @Test(
        "keeps the serving generation when the configuration breaks between the check and the upgrade"
    )
    func brokenConfiguration() throws {
        let (pool, path) = try Self.replaceable()
        let before = try pool.workers()
        let spoil = "echo '{' > \(pool.configurationPath)"
        try Self.install("case \"$*\" in *--handed-over*) ;; *) \(spoil) ;; esac", at: path)
        try pool.send(.user2)
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload refused\" code=json.syntax")
        #expect(try pool.ping() == "pong")
        #expect(try pool.workers() == before)
        // The verdict still names the files of the serving generation.
        #expect(try pool.verdict().contains("one.rules"))
        try pool.configure()
        pool.executable = try ProgramRun.product("retentiond")
        #expect(try pool.reload().status == 0)
        #expect(try pool.ping() == "pong")
    }

    @Test("becomes the old binary again, unchanged, when the new binary cannot take over")
    func givenBack() throws {
        let (pool, path) = try Self.replaceable()
        let before = try pool.workers()
        var descriptors: [Int] = []
        let damage = #"RETENTIOND_UPGRADE="2;$RETENTIOND_UPGRADE"; export RETENTIOND_UPGRADE"#
        try Self.install("case \"$*\" in *--handed-over*) ;; *) \(damage) ;; esac", at: path)
        for _ in 1...3 {
            try pool.send(.user2)
            try pool.wait(for: "message=upgrading")
            let line = try pool.wait(for: "message=\"upgrade refused\" code=upgrade-given-back")
            #expect(line.contains("supervisor.upgrade-unreadable"))
            #expect(try pool.ping() == "pong")
            #expect(try pool.workers() == before)
            descriptors.append(try Self.descriptorCount(pool))
        }
        #expect(Set(descriptors).count == 1, "\(descriptors)")
        #expect(try PidFile.read(path: pool.folder.path(of: "pid"))?.processID == pool.processID)
        // The supervisor notices a worker that dies, and replaces it.
        try Processes.send(.kill, to: before[0])
        try pool.wait(for: "message=\"worker lost\"")
        try pool.wait(for: "message=ready", "worker")
        // The next upgrade looks for the new binary at the same path.
        let original = try ProgramRun.product("retentiond")
        #expect(try ProgramRun.run("cp", ["--remove-destination", original, path]).status == 0)
        try pool.send(.user2)
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload accepted\"")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
    }

    /// A running pool whose binary a test can replace, and the path of that binary.
    static func replaceable(
        _ prepare: (PoolProcess) throws -> Void = { _ in }
    ) throws -> (pool: PoolProcess, path: String) {
        let pool = try PoolProcess()
        try prepare(pool)
        let path = pool.folder.path(of: "retentiond")
        #expect(try ProgramRun.run("cp", [ProgramRun.product("retentiond"), path]).status == 0)
        pool.executable = path
        return (try pool.start(), path)
    }

    /// Installs a new binary at `path`: a shell script that runs these lines and then the real binary.
    static func install(_ lines: String, at path: String) throws {
        let original = try ProgramRun.product("retentiond")
        let script = "#!/bin/sh\n\(lines)\nexec \(original) \"$@\"\n"
        try AtomicFile.write(Array(script.utf8).span, to: path, permissions: 0o755)
    }

    @Test("neither uses nor removes another file at the path of its socket after an upgrade")
    func otherSocket() throws {
        let pool = try PoolProcess(#", "workers": 1"#).start()
        try Directory.rename(pool.socketPath, to: pool.folder.path(of: "run/hidden.sock"))
        try pool.folder.write([1], to: "run/retentiond.sock")
        try pool.wait(for: "code=socket-gone")
        try pool.send(.user2)
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.status(at: pool.folder.path(of: "run/hidden.sock"))["socket"] == "gone")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        #expect(try pool.folder.read("run/retentiond.sock") == [1])
    }

    private static func expectRefusal(_ pool: PoolProcess, _ code: String) throws {
        let before = try pool.workers()
        try pool.send(.user2)
        try pool.wait(for: "message=\"upgrade refused\" code=\(code)")
        #expect(try pool.ping() == "pong")
        #expect(try pool.workers() == before)
    }

    private static func descriptorCount(_ pool: PoolProcess) throws -> Int {
        let folder = try FileDescriptor.openDirectory(path: "/proc/\(pool.processID)/fd")
        return try Directory.names(in: folder, limitCount: 10_000).count
    }
}
