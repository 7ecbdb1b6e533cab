import DataFileWriting
import DataFiles
import JSON
import Support
import System
import Testing
import Vocabulary

@Suite("The daemon's decision log", .serialized)
struct DaemonMarksTests {
    /// The marks of a file. The text has the kind of the mark and a number: the generation of the rules, or else the
    /// number of records.
    private static func marks(_ pool: PoolProcess, _ name: String) throws -> [(text: String, root: JSONValue)]
    {
        try pool.folder.read(name).split(separator: UInt8(ascii: "\n")).map { line in
            let limits = JSONLimits(byteCount: 4096, depth: 8)
            let root = try JSONDocument(parsing: Array(line).span, limits: limits).root
            let number = root.member("generation") ?? root.member("sequence")
            return ("\(root.member("mark")?.string ?? "record") \(number?.int64 ?? -1)", root)
        }
    }

    private static func rules(generation: Int64) -> [UInt8] {
        var model = RulesModel(appAppleId: 1, bundleId: "com.example", environment: .production)
        model.metadata = [.init(key: "revision", value: "r\(generation)")]
        model.holdout = .init(split: .init(salt: "h", basisPoints: 500))
        model.defaultOutcome = .nothing
        let stamp = DataFileStamp(
            generation: generation,
            builtAtMilliseconds: 1_700_000_000_000,
            writerVersion: "test"
        )
        return RulesFileWriter.write(model, stamp: stamp)
    }

    @Test("has marks: its beginning and end, with the key, and the rules after each load")
    func marks() throws {
        let pool = try PoolProcess()
        try pool.configure(#", "workers": 1, "log": {"decisions": "\#(pool.folder.path)/d"}"#)
        try pool.push(Self.rules(generation: 10), as: "one.rules")
        try pool.start()
        try pool.push(Self.rules(generation: 11), as: "one.rules")
        #expect(try pool.reload().status == 0)
        let path = pool.folder.path(of: "d")
        try Directory.rename(path, to: pool.folder.path(of: "d.1"))
        try pool.send(.user1)
        try pool.wait(for: "message=\"logs reopened\"")
        try pool.send(.user2)
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload accepted\"")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        let old = try Self.marks(pool, "d.1")
        #expect(old.map(\.text) == ["open 0", "rules 10", "rules 11", "close 0"])
        // A worker of the previous generation may still run when the log is reopened. Then the log names its rules too.
        let new = try Self.marks(pool, "d").filter { $0.text != "rules 10" }
        #expect(new.map(\.text) == ["open 0", "rules 11", "rules 11", "close 0"])
        // The instance and the key are the same everywhere, also after the upgrade.
        for member in ["instance", "identifierKey"] {
            let names = (old + new).compactMap { $0.root.member(named: member)?.string }
            #expect(names.count == 4 && Set(names).count == 1, "\(names)")
            #expect(names[0].utf8.count == 16)
        }
        let rules = try #require(old.last { $0.text == "rules 11" }).root
        #expect(rules.member("app")?.int64 == 1 && rules.member("environment")?.string == "Production")
        #expect(rules.member("revision")?.string == "r11" && rules.member("digest")?.string?.count == 64)
        let experiment = rules.member("experiments")?.element(at: 0)
        #expect(experiment?.member("kind")?.string == "holdout")
        #expect(experiment?.member("salt")?.string == "h")
    }

    /// A pool whose binary a test can replace, with one rules file and one worker.
    private static func replaceable() throws -> (pool: PoolProcess, path: String) {
        try DaemonTests.replaceable { pool in
            try pool.configure(#", "workers": 1, "log": {"decisions": "\#(pool.folder.path)/d"}"#)
            try pool.push(Self.rules(generation: 10), as: "one.rules")
        }
    }

    /// Rotates the log and ends the pool.
    ///
    /// - Returns: the marks of the new file.
    private static func rotate(_ pool: PoolProcess) throws -> [String] {
        try Directory.rename(pool.folder.path(of: "d"), to: pool.folder.path(of: "d.1"))
        try pool.send(.user1)
        try pool.wait(for: "message=\"logs reopened\"")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        return try marks(pool, "d").map(\.text)
    }

    @Test("names the serving rules also after an upgrade that the new binary gave back")
    func givenBack() throws {
        let (pool, path) = try Self.replaceable()
        let damage = #"RETENTIOND_UPGRADE="2;$RETENTIOND_UPGRADE"; export RETENTIOND_UPGRADE"#
        try DaemonTests.install("case \"$*\" in *--handed-over*) ;; *) \(damage) ;; esac", at: path)
        // The marks survive a second hand-over too.
        for _ in 1...2 {
            try pool.send(.user2)
            try pool.wait(for: "code=upgrade-given-back")
        }
        let new = try Self.rotate(pool)
        #expect(new == ["open 0", "rules 10", "close 0"])
        let old = try Self.marks(pool, "d.1").map(\.text)
        #expect(old == ["open 0", "rules 10", "close 0"])
    }

    @Test("names the serving rules also after an upgrade whose reload is refused")
    func upgradeWithoutReload() throws {
        let (pool, _) = try Self.replaceable()
        try pool.push([1], as: "one.rules")
        try pool.send(.user2)
        try pool.wait(for: "message=\"reload refused\"")
        let new = try Self.rotate(pool)
        #expect(new == ["open 0", "rules 10", "close 0"])
    }

    @Test("has one instance for each binary when the new one has other counters")
    func otherCounters() throws {
        let (pool, path) = try Self.replaceable()
        // The first word tells a binary which counters the memory has.
        let damage = """
            n=${RETENTIOND_UPGRADE#*counters=}; printf '\\1\\1\\1\\1\\1\\1\\1\\1' 1<>/proc/self/fd/${n%%;*}
            """
        try DaemonTests.install("case \"$*\" in *--handed-over*) ;; *) \(damage) ;; esac", at: path)
        try pool.push([1], as: "one.rules")
        try pool.send(.user2)
        try pool.wait(for: "message=\"reload refused\"")
        // The worker of the old binary goes on serving.
        try Directory.rename(pool.folder.path(of: "d"), to: pool.folder.path(of: "d.1"))
        try pool.send(.user1)
        try pool.wait(for: "message=\"logs reopened\"")
        try pool.push(Self.rules(generation: 11), as: "one.rules")
        pool.executable = try ProgramRun.product("retentiond")
        #expect(try pool.reload().status == 0)
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        let marks = try Self.marks(pool, "d.1") + Self.marks(pool, "d")
        let instances = marks.map { $0.root.member(named: "instance")?.string ?? "-" }
        let first = instances[0]
        let other = try #require(instances.last)
        #expect(first != other)
        let names = [first: "first", other: "other", "-": ""]
        #expect(
            zip(marks, instances).map { "\($0.text) \(names[$1] ?? "?")" } == [
                "open 0 first", "rules 10 ", "open 0 other", "rules 10 ", "close 0 other", "close 0 first",
                "open 0 first", "open 0 other", "rules 10 ", "rules 11 ", "close 0 first", "close 0 other",
            ]
        )
    }

    @Test("whose marks cannot be written leads to one line in the pool's log, and the pool goes on")
    func unmarked() throws {
        let pool = try PoolProcess()
        try pool.configure(#", "workers": 1, "log": {"decisions": "/dev/full"}"#)
        try pool.start()
        #expect(try pool.ping() == "pong")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        try pool.wait(for: "message=stopped")
        let lines = pool.lines.filter { $0.contains("code=decision-log-unmarked") }
        #expect(lines.count == 1 && lines[0].contains("path=/dev/full"), "\(lines)")
    }

    @Test(
        "on a disk that hangs does not keep the supervisor from its work, and has all marks when the disk answers",
        arguments: PreloadedLibrary.DiskCall.allCases
    )
    func hangs(call: PreloadedLibrary.DiskCall) throws {
        let pool = try PoolProcess()
        let path = pool.folder.path(of: "marked.ndjson")
        let library = try PreloadedLibrary.hanging(
            call,
            ofProcess: "retentiond",
            to: "/marked.ndjson",
            until: pool.folder.path(of: "answers")
        )
        try pool.configure(#", "workers": 1, "log": {"decisions": "\#(path)"}"#)
        try pool.push(Self.rules(generation: 10), as: "one.rules")
        try pool.start(environment: [library.environment])
        let first = try #require(try PoolProcess.children(of: pool.processID).first { $0.role == "--worker" })
        try Processes.send(.kill, to: first.processID)
        try pool.wait(for: "message=ready", "worker")
        #expect(try pool.ping() == "pong")
        try pool.push(Self.rules(generation: 11), as: "one.rules")
        #expect(try pool.reload().status == 0)
        // As long as the former worker is there, its generation has marks too.
        let isAlone = Patience.wait(seconds: 60) {
            (try? PoolProcess.children(of: pool.processID))?.count { $0.role == "--worker" } == 1
        }
        #expect(isAlone)
        try pool.send(.user1)
        let line = try pool.wait(for: "message=\"logs not reopened\"")
        #expect(line.contains("code=decisions-unwritable") && line.contains("has not answered in time"))
        #expect(pool.lines.count { $0.contains("code=decision-log-unmarked") } == 1)
        // The companions write no marks, so the file has none.
        #expect(((try? Self.marks(pool, "marked.ndjson")) ?? []).isEmpty)
        try pool.folder.write("", to: "answers")
        try pool.wait(for: "message=\"logs reopened\"")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        let marks = try Self.marks(pool, "marked.ndjson").map(\.text)
        #expect(
            marks == ["open 0", "rules 10", "rules 11", "close 0", "open 0", "rules 11"]
                + ["close 0", "open 0", "rules 11", "close 0"]
        )
    }

    @Test("on a disk that hangs is waited for at the end of the pool, so that its last mark is written")
    func slowEnd() throws {
        let pool = try PoolProcess()
        let (path, answers) = (pool.folder.path(of: "marked.ndjson"), pool.folder.path(of: "answers"))
        let library = try PreloadedLibrary.hanging(
            .write,
            ofProcess: "retentiond",
            to: "/marked.ndjson",
            until: answers
        )
        try pool.folder.write("", to: "answers")
        try pool.configure(#", "workers": 1, "log": {"decisions": "\#(path)"}"#)
        try pool.start(environment: [library.environment])
        try Directory.removeFile(path: answers)
        try pool.send(.quit)
        // The supervisor has waited for a second with the mark, and waits again before it ends.
        try pool.wait(for: "code=decision-log-unmarked")
        try pool.folder.write("", to: "answers")
        #expect(pool.waitForEnd() == .exited(0))
        let marks = try Self.marks(pool, "marked.ndjson").map(\.text)
        #expect(marks == ["open 0", "rules 10", "close 0"])
    }

    @Test("that cannot be reopened is logged as an error, stays in use, and is reopened later")
    func notReopened() throws {
        let pool = try PoolProcess()
        try pool.folder.makeDirectory("logs")
        let path = pool.folder.path(of: "logs/d")
        try pool.configure(#", "workers": 1, "log": {"decisions": "\#(path)"}"#)
        try pool.push(Self.rules(generation: 10), as: "one.rules")
        try pool.start()
        try Directory.rename(path, to: "\(path).1")
        try pool.folder.makeDirectory("logs/d")
        try pool.send(.user1)
        let line = try pool.wait(for: "message=\"logs not reopened\"")
        #expect(line.contains(" error ") && line.contains("code=decisions-unwritable path=\(path)"))
        let worker = try pool.wait(for: "message=\"decision log not reopened\"", "records")
        #expect(worker.contains(" error ") && worker.contains("code=decisions-unwritable"))
        #expect(!pool.lines.contains { $0.contains("logs reopened") })
        let beginning = ["open 0", "rules 10"]
        #expect(try Self.marks(pool, "logs/d.1").map(\.text) == beginning + ["close 0"] + beginning)
        // The supervisor reopens the log without another signal.
        try Directory.removeEmpty(path: path)
        try pool.wait(for: "message=\"logs reopened\"")
        let old = try Self.marks(pool, "logs/d.1").map(\.text)
        #expect(old == beginning + ["close 0"] + beginning + ["close 0"])
        #expect(try Self.marks(pool, "logs/d").map(\.text) == beginning)
    }
}
