import Facts
import Support
import System
import Testing

/// Wrong files and directories in `stateDirectory` and around it.
@Suite("The daemon's state", .serialized)
struct StateDirectoryTests {
    /// Something wrong under the name of one of the daemon's files.
    struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (String) throws -> Void

        static func text(_ text: String) -> Broken {
            Broken(testDescription: text.count > 60 ? "\(text.count) characters" : "\"\(text)\"") { path in
                try AtomicFile.write(Array(text.utf8).span, to: path)
            }
        }

        static func program(_ name: String, _ words: String...) -> Broken {
            Broken(testDescription: name) { path in
                let run = try ProgramRun.run(words[0], words.dropFirst() + [path])
                #expect(run.status == 0, "\(run.errors)")
            }
        }

        static let kinds: [Broken] = [
            .program("a directory", "/bin/mkdir"), .program("a FIFO", "/usr/bin/mkfifo"),
            .program("a link to nothing", "/bin/ln", "-s", "/nowhere/at/all"),
            Broken(testDescription: "a socket") { path in
                let access = ListeningSocket.Access(mode: 0o600)
                _ = try ListeningSocket(unixPath: path, access: access, backlog: 1)
            },
            .text(""), .text("\0\0\0\0"), .text("{"), .text(String(repeating: "[", count: 100_000)),
        ]
    }

    /// The wrong files of one test, with their names.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let files: [(name: String, broken: Broken)]

        init(_ files: [(name: String, broken: Broken)]) {
            self.files = files
            testDescription = files.map { "\($0.name): \($0.broken.testDescription)" }.joined(separator: ", ")
        }
    }

    /// Each row puts one thing under a name in `stateDirectory`.
    static let rows: [Row] =
        Broken.kinds.map { kind in
            Row(["chains", "supervisor.lock", "current", ".current"].map { ($0, kind) })
        }
        + Broken.kinds.indices.map { index in
            Row([
                ("generations/7", Broken.kinds[index]),
                ("generations/.new-8", Broken.kinds[(index + 1) % Broken.kinds.count]),
            ])
        }

    @Test("does not keep a start or a reload from working when it is broken", arguments: rows)
    func broken(row: Row) throws {
        let pool = try PoolProcess(#", "workers": 1"#)
        try pool.folder.makeDirectory("state", permissions: 0o750)
        if row.files.contains(where: { $0.name.contains("/") }) {
            try pool.folder.makeDirectory("state/generations", permissions: 0o700)
        }
        for (name, broken) in row.files { try broken.make(pool.folder.path(of: "state/\(name)")) }
        try pool.start()
        for generation in Int64(11)...12 {
            try pool.push(PoolProcess.rules(revision: "r\(generation)"), as: "one.rules.json")
            let run = try pool.reload()
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try pool.ping() == "pong")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        // The next start works too.
        try pool.start()
        #expect(try pool.ping() == "pong")
    }

    private static let canMount = (try? ProgramRun.run("/usr/bin/unshare", ["-m", "/bin/true"]).status) == 0

    @Test(
        "refuses loads while its disk is full, goes on serving, and loads again",
        .enabled(if: canMount))
    func fullDisk() throws {
        let pool = try PoolProcess(#", "workers": 1"#)
        let state = pool.folder.path(of: "state")
        try pool.folder.makeDirectory("state", permissions: 0o750)
        let mount = "mount -t tmpfs -o size=256k tmpfs \(state)"
        pool.launcher = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", "\(mount) && exec \"$@\"", "sh"]
        try pool.start()
        var builder = FactsBuilder(columns: [.init(name: "n", kind: .integer)])
        for key in UInt64(1)...40_000 {
            builder.set(Int64(key) << 30, column: 0)
            builder.commit(key: key, line: Int(key))
        }
        var facts = MemoryOutput()
        let stamp = DataFileStamp(
            builtAtMilliseconds: 1_700_000_000_000, writerVersion: "test")
        try builder.write(
            FactsFileIdentity(appAppleId: 1, environment: .production, stamp: stamp), to: &facts)
        try pool.push(facts.bytes, as: "one.facts")
        try pool.send(.hangup)
        let full = try pool.wait(for: "message=\"reload refused\"")
        #expect(full.contains("code=copy-not-made") && full.contains("No space left"), "\(full)")
        #expect(try pool.ping() == "pong")
        try Directory.removeFile(path: pool.folder.path(of: "data/one.facts"))
        try pool.send(.hangup)
        try pool.wait(for: "message=\"reload accepted\"")
    }

    @Test("makes a load when a worker is to be replaced and somebody has removed its generation")
    func removedGeneration() throws {
        let pool = try PoolProcess(#", "workers": 2"#).start()
        let before = try pool.workers()
        #expect(try ProgramRun.run("/bin/rm", ["-r", pool.folder.path(of: "state/generations")]).status == 0)
        #expect(try pool.ping() == "pong", "what is mapped stays")
        try Processes.send(.kill, to: #require(before.first))
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(Patience.wait(seconds: 30) { (try? pool.workers().count) == 2 })
        #expect(try Set(pool.workers()).isDisjoint(with: before))
        #expect(try pool.ping() == "pong")
    }

    @Test("belongs to one pool: a second pool does not start with it")
    func shared() throws {
        let pool = try PoolProcess(#", "workers": 1"#).start()
        let text = String(decoding: try pool.folder.read("retentiond.json"), as: UTF8.self)
        let other = try TemporaryDirectory()
        try other.write(
            text.replacing("unix:\(pool.folder.path)", with: "unix:\(other.path)")
                .replacing(pool.pidPath, with: other.path(of: "pid")),
            to: "other.json"
        )
        let second = try ProgramRun.run(
            pool.executable, ["--allow-root", "--config", other.path(of: "other.json")])
        #expect(second.status == 1 && second.errors.contains("supervisor.state-in-use"), "\(second.errors)")
        #expect(throws: SystemCallError.self) { try FileStatus(path: other.path(of: "pid")) }
        #expect(throws: SystemCallError.self) { try FileStatus(path: other.path(of: "run/retentiond.sock")) }
        #expect(try pool.reload().status == 0)
    }
}

extension DaemonTests {
    @Test(
        "sends no signal when the pid file names no process, or a process that is not a supervisor",
        arguments: [
            ("0\n", "supervisor.pid-file-invalid"), ("-1\n", "supervisor.pid-file-invalid"),
            ("-5\n", "supervisor.pid-file-invalid"), ("x", "supervisor.pid-file-invalid"),
            ("SLEEPER\n", "supervisor.pid-file-foreign"), ("1\n", "supervisor.pid-file-foreign"),
            ("2147483647\n", "no supervisor"),
        ]
    )
    func pidFile(text: String, code: String) throws {
        let pool = try PoolProcess()
        let sleep = ChildProcess(executable: "/bin/sleep", arguments: ["sleep", "1000"], environment: [])
        let sleeper = try sleep.start()
        try pool.folder.write(text.replacing("SLEEPER", with: "\(sleeper)"), to: "pid")
        let run = try pool.reload()
        #expect(run.status == 2 && run.errors.contains(code), "\(run.status) \(run.errors)")
        #expect(Processes.reap(sleeper) == nil, "the process is alive")
        try Processes.send(.kill, to: sleeper)
        _ = Processes.wait(for: sleeper)
    }

    @Test("sends no signal to a worker that has the process id of the pid file")
    func foreignPool() throws {
        let pool = try PoolProcess().start()
        try pool.send(.kill)
        _ = pool.waitForEnd()
        let other = try PoolProcess(#", "workers": 1"#).start()
        // The killed pool has left its lock.
        let worker = try #require(try other.workers().first)
        try pool.folder.write(Array("\(worker)\n".utf8), to: "pid")
        let run = try pool.reload()
        #expect(run.status == 2 && run.errors.contains("supervisor.pid-file-foreign"), "\(run.errors)")
        #expect(try other.workers() == [worker])
        #expect(try other.reload().status == 0)
        #expect(try other.verdict().contains(#""sequence": 2"#))
    }
}

extension DaemonTests {
    @Test("notices that its socket is gone, and that it is back")
    func placesGone() throws {
        let pool = try PoolProcess(#", "workers": 1"#).start()
        #expect(try pool.status()["socket"] == "there")
        let hidden = pool.folder.path(of: "run/hidden.sock")
        try Directory.rename(pool.socketPath, to: hidden)
        let gone = try pool.wait(for: "message=\"the socket is gone\"")
        #expect(gone.contains(" error ") && gone.contains("code=socket-gone") && gone.contains("restart"))
        #expect(try pool.status(at: hidden)["socket"] == "gone")
        try Directory.rename(hidden, to: pool.socketPath)
        try pool.wait(for: "message=\"the socket has its name again\"")
        #expect(try pool.status()["socket"] == "there")
    }
}
