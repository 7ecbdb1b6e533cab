import Support
import System
import Testing

@Suite("The daemon", .serialized)
struct DaemonTests {
    @Test("starts, serves, and removes its socket and its pid file at the end")
    func life() throws {
        let pool = try PoolProcess().start()
        #expect(try pool.ping() == "pong")
        #expect(try pool.workers().count == 2)
        #expect(try PidFile.read(path: pool.folder.path(of: "pid"))?.processID == pool.processID)
        try pool.send(.quit)
        try pool.wait(for: "message=draining signal=quit")
        try pool.wait(for: "message=stopped")
        #expect(pool.waitForEnd() == .exited(0))
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.socketPath) }
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.folder.path(of: "pid")) }
    }

    @Test("replaces a killed worker at once")
    func killedWorker() throws {
        let pool = try PoolProcess().start()
        let victim = try #require(try pool.workers().first)
        try Processes.send(.kill, to: victim)
        let line = try pool.wait(for: "message=\"worker lost\"")
        #expect(try PoolProcess.number("worker.pid", in: line) == victim)
        #expect(line.contains("exit=\"signal 9\""))
        try pool.wait(for: "message=ready", "worker")
        let now = try pool.workers()
        #expect(now.count == 2 && !now.contains(victim))
        #expect(try pool.ping() == "pong")
    }

    @Test("reloads with the right verdict")
    func reload() throws {
        let pool = try PoolProcess().start()
        let before = try pool.workers()
        try pool.push(PoolProcess.rules(revision: "r11"), as: "one.rules.json")
        let accepted = try pool.reload()
        #expect(accepted.status == 0, "\(accepted.errors)")
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.verdict().contains(#""result": "loaded""#))

        try pool.push([1, 2, 3], as: "one.rules.json")
        let refused = try pool.reload()
        #expect(refused.status == 1)
        #expect(refused.errors.contains("json.syntax"))
        try pool.wait(for: "message=\"reload refused\"")
        #expect(try pool.verdict().contains(#""result": "refused""#))
        #expect(try pool.ping() == "pong")
        #expect(try !pool.workers().contains { before.contains($0) })
    }

    @Test("refuses to reload a setting that needs a restart")
    func needsRestart() throws {
        let pool = try PoolProcess().start()
        try pool.configure(#", "workers": 2, "listenMode": "0600""#)
        let run = try pool.reload()
        #expect(run.status == 1 && run.errors.contains("needs-restart"))
        try pool.configure(#", "workers": 3"#)
        #expect(try pool.reload().status == 0)
        #expect(try pool.workers().count >= 3)
    }

    @Test("reports no verdict when no supervisor runs")
    func noSupervisor() throws {
        let pool = try PoolProcess()
        let run = try pool.reload()
        #expect(run.status == 2 && run.errors.contains("no supervisor"))
    }

    @Test("does not take a socket on which a process accepts, and leaves no pid file")
    func socketInUse() throws {
        let pool = try PoolProcess().start()
        let text = String(decoding: try pool.folder.read("retentiond.json"), as: UTF8.self)
        let other = try TemporaryDirectory()
        let changed = text.split(separator: "\n").map {
            $0.contains("pidFile") ? #" "pidFile": "\#(other.path)/pid","# : String($0)
        }.map { $0.replacing("\(pool.folder.path)/state", with: other.path(of: "state")) }
        try other.write(changed.joined(separator: "\n"), to: "other.json")
        let second = try ProgramRun.run(
            pool.executable, ["--allow-root", "--config", other.path(of: "other.json")])
        #expect(second.status == 74 && second.errors.contains("already in use"))
        #expect(throws: SystemCallError.self) { try FileStatus(path: other.path(of: "pid")) }
        #expect(try pool.ping() == "pong")
    }

    @Test("serves at a start what it served before, then loads what is pushed, and logs when that is bad")
    func startsAtOnce() throws {
        let pool = try PoolProcess().start()
        try pool.send(.terminate)
        #expect(pool.waitForEnd() == .exited(0))
        try pool.push([9], as: "one.rules.json")
        try pool.start(waiting: false)
        let line = try pool.wait(for: "message=ready")
        #expect(line.contains("source=unchanged"))
        try pool.wait(for: "message=\"reload refused\"")
        #expect(try pool.ping() == "pong")
    }

    @Test(
        "logs its version, its address, its configuration and that there are no rules when it starts"
    )
    func startLog() throws {
        let pool = try PoolProcess(#", "workers": 1"#)
        try Directory.removeFile(path: pool.folder.path(of: "data/one.rules.json"))
        try pool.start(waiting: false)
        let line = try pool.wait(for: "message=started")
        #expect(
            line.contains("version=\(ProductVersion.text)") && line.contains("listen=unix:\(pool.socketPath)")
        )
        #expect(line.contains("configuration=\(pool.configurationPath)"))
        let warning = try pool.wait(for: "message=\"load warning\" code=no-rules")
        #expect(warning.contains("every answer is 503"))
        try pool.wait(for: "message=ready")
    }
}

@Suite("The daemon's command line")
struct DaemonCommandTests {
    @Test(
        "ends with the documented exit status",
        arguments: [
            (["-v"], Int32(0), "retentiond/"), (["--help"], 0, "usage:"),
            (["--nonsense"], 64, "unknown argument"),
            (["--config"], 64, "needs a value"), (["-t", "-T"], 64, "cannot be combined"),
            (["-t", "--allow-root", "--config", "/nowhere.json"], 78, "configuration-unreadable"),
            (["--allow-root", "--config", "/nowhere.json"], 78, "configuration-unreadable"),
            (["--reload", "--config", "/nowhere.json"], 2, "configuration-unreadable"),
            (["--served", "--config", "/nowhere.json"], 2, "configuration-unreadable"),
            (["--served", "--served-rules"], 64, "cannot be combined"),
        ]
    )
    func status(words: [String], status: Int32, text: String) throws {
        let run = try ProgramRun.run(ProgramRun.product("retentiond"), words)
        #expect(run.status == status)
        #expect((run.output + run.errors).contains(text))
    }

    @Test("prints the file and the code of every error, the code once")
    func codes() throws {
        let pool = try PoolProcess(#", "one": 1, "two": 2"#)
        for words in [["-t"], ["-T"], ["--reload"], ["--served"]] {
            let lines = try pool.run(words).errors.split(separator: "\n").filter {
                $0.contains("unknown key")
            }
            #expect(lines.count == 2)
            for line in lines {
                #expect(line.contains("\(pool.configurationPath):"), "\(line)")
                #expect(line.ranges(of: "configuration.unknown-key").count == 1, "\(line)")
                #expect(line.hasSuffix("(configuration.unknown-key)"), "\(line)")
            }
        }
    }

    @Test("prints the effective configuration")
    func effective() throws {
        let pool = try PoolProcess()
        let run = try ProgramRun.run(pool.executable, ["-T", "--config", pool.configurationPath])
        #expect(run.status == 0 && run.output.contains(#""drainMilliseconds": 5000"#))
    }
}
