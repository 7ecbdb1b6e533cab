import Support
import System
import Testing
import Vocabulary

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
        try pool.configure(#", "workers": 2, "backlog": 77"#)
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

    @Test("refuses the reload when its loader is killed")
    func killedLoader() throws {
        let pool = try PoolProcess().start()
        // With many files the loader works long enough to be killed. When it was faster, the test tries again.
        try pool.configure(#", "workers": 1"#, apps: 1...200)
        for app in Int64(2)...200 { try pool.push(PoolProcess.rules(app: app), as: "app\(app).rules.json") }
        for attempt in 1...50 {
            try pool.send(.hangup)
            var line = ""
            for _ in 0..<10_000 {
                let loader = try PoolProcess.children(of: pool.processID).first { $0.role == "--load" }
                if let loader {
                    try Processes.send(.kill, to: loader.processID)
                    break
                }
            }
            line = try pool.wait(for: "message=\"reload ")
            if line.contains("code=load-crashed") { break }
            #expect(attempt < 50, "the loader was never killed in time: \(line)")
        }
        #expect(try pool.ping() == "pong")
        #expect(try pool.verdict().contains("load-crashed"))
    }

    @Test("leaves no worker behind when its supervisor is killed")
    func supervisorKilled() throws {
        let pool = try PoolProcess().start()
        let workers = try pool.workers()
        try pool.send(.kill)
        _ = pool.waitForEnd()
        let end = Clock.monotonicNanoseconds() + 20_000_000_000
        while workers.contains(where: Processes.exists), Clock.monotonicNanoseconds() < end {
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 10)
        }
        #expect(!workers.contains(where: Processes.exists))
        // Nobody listens on the socket that is left. A new supervisor starts in its place.
        #expect(try FileStatus(path: pool.socketPath).kind == .socket)
        try pool.start()
        #expect(try pool.ping() == "pong")
    }

    @Test("refuses to start a second time")
    func twice() throws {
        let pool = try PoolProcess().start()
        let second = try pool.run([])
        #expect(second.status == 1)
        #expect(second.errors.contains("supervisor.already-running"))
        #expect(try pool.ping() == "pong")
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

    @Test("serves the last good generation when the pushed files are bad and the settings are others")
    func lastGood() throws {
        let pool = try PoolProcess().start()
        try pool.send(.terminate)
        #expect(pool.waitForEnd() == .exited(0))
        try pool.push([9], as: "one.rules.json")
        try pool.configure(#", "workers": 1"#)
        try pool.start(waiting: false)
        try pool.wait(for: "message=\"serving the last good generation\"")
        let line = try pool.wait(for: "message=ready")
        #expect(line.contains("source=last-good"))
        #expect(try pool.ping() == "pong")
    }

    @Test("does not start without a good generation")
    func nothingGood() throws {
        let pool = try PoolProcess()
        try pool.push([9], as: "one.rules.json")
        try pool.start(waiting: false)
        let line = try pool.wait(for: "message=\"start refused\"")
        #expect(
            line.contains("code=json.syntax") && line.contains("there is no last good generation")
        )
        #expect(pool.waitForEnd() == .exited(78))
        #expect(!pool.lines.contains { $0.contains("serving the last good generation") })
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

    @Test("prints its version and the versions of what it was built with")
    func build() throws {
        let run = try ProgramRun.run(ProgramRun.product("retentiond"), ["-V"])
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n").map(String.init)
        let names = lines.dropFirst().compactMap { $0.split(separator: ":").first.map(String.init) }
        #expect(lines.first == "retentiond/\(ProductVersion.text)")
        #expect(names == ["compiler", "openssl", "jansson", "libfcgi", "configuration"])
        #expect(lines.contains { $0.hasPrefix("openssl: OpenSSL 3.") }, "\(lines)")
        // Each of these lines has a version number.
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.contains { $0.isNumber } }, "\(lines)")
    }

    @Test("checks the configuration and the data files, as nginx -t does")
    func test() throws {
        let pool = try PoolProcess()
        let good = try pool.run(["-t"])
        #expect(good.status == 0)
        #expect(good.errors.contains("syntax is ok") && good.errors.contains("test is successful"))
        #expect(good.errors.contains("one.rules.json: rules for app 1 in Production, revision r10"))
        try pool.push(PoolProcess.rules(app: 9), as: "nine.rules.json")
        let bad = try pool.run(["-t"])
        #expect(bad.status == 78 && bad.errors.contains("app-not-configured"))
        #expect(bad.errors.contains("test failed"))
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
