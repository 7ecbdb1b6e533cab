import Support
import System
import Testing

/// What a start finds that is not as it should be.
extension DaemonTests {
    @Test("knows its arguments whatever a preloaded library does to the environment")
    func preloadedLibrary() throws {
        let library = try PreloadedLibrary.settingVariable()
        let pool = try PoolProcess()
        // Its loader and its workers have the library too, and so has the binary that takes over.
        try pool.start(environment: [library.environment])
        #expect(try pool.ping() == "pong")
        try pool.send(.user2)
        try pool.wait(for: "message=upgraded")
        try pool.wait(for: "message=\"reload accepted\"")
        let version = try ProgramRun.run(
            ProgramRun.product("retentiond"),
            ["-v"],
            environment: [library.environment]
        )
        #expect(version.status == 0 && version.output.hasPrefix("retentiond/"), "\(version)")
        let unknown = try ProgramRun.run(
            ProgramRun.product("retentiond"),
            ["--config", "", "x"],
            environment: [library.environment]
        )
        #expect(unknown.status == 64 && unknown.errors.contains("--config needs a value"), "\(unknown)")
    }

    @Test("puts nothing of its own in the place of a closed standard descriptor")
    func closedDescriptors() throws {
        let pool = try PoolProcess()
        pool.launcher = ["/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"]
        let decisions = pool.folder.path(of: "decisions")
        try pool.configure(#", "workers": 1, "log": {"level": "debug", "decisions": "\#(decisions)"}"#)
        try pool.start(waiting: false)
        try pool.waitForPing()
        for process in [pool.processID] + (try pool.workers()) {
            let places = try PoolProcess.descriptors(of: process)
            let own: Set = ["0", "1", "2"]
            for (number, place) in places where own.contains(number) {
                let isListener = number == "0" && process != pool.processID && place.hasPrefix("socket:")
                #expect(place == "/dev/null" || isListener, "\(number) of \(process) is \(place)")
            }
            #expect(own.isSubset(of: places.map(\.number)))
        }
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
        let records = String(decoding: try pool.folder.read("decisions"), as: UTF8.self)
        let others = records.split(separator: "\n").filter { !$0.hasPrefix(#"{"mark":"#) }
        #expect(!records.isEmpty && others.isEmpty, "log lines in the decision records: \(others)")
    }

    @Test("takes a HUP in its first moments for a reload after its start")
    func earlyHangup() throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        try pool.start(environment: [library.environment, "SIGNAL_AT_START=\(Signal.hangup.rawValue)"])
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.ping() == "pong")
    }

    @Test(
        "ends as at any time on TERM, INT and QUIT in its first moments",
        arguments: [.terminate, .interrupt, .quit] as [Signal]
    )
    func earlyEnd(signal: Signal) throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        try pool.start(
            environment: [library.environment, "SIGNAL_AT_START=\(signal.rawValue)"],
            waiting: false
        )
        #expect(pool.waitForEnd() == .exited(0))
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.socketPath) }
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.pidPath) }
    }

    @Test("serves one worker under another spawner, which is ended by a HUP in its first moments")
    func earlyHangupAlone() throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        let listener = try pool.listenForAnother()
        try pool.start(
            environment: [library.environment, "SIGNAL_AT_START=\(Signal.hangup.rawValue)"],
            waiting: false
        )
        #expect(pool.waitForEnd() == .exited(0))
        try pool.wait(for: "message=draining why=HUP", "worker")
        _ = consume listener
    }

    @Test("answers as CGI that the deadline has passed when a body does not come")
    func slowBody() throws {
        let pool = try PoolProcess()
        let input = try FileDescriptor.pipe()
        let answer = try FileDescriptor.create(path: pool.folder.path(of: "answer"), permissions: 0o600)
        var child = ChildProcess(
            executable: pool.executable,
            arguments: ["retentiond", "--config", pool.configurationPath, "--allow-root", "--cgi"],
            environment: [
                "REQUEST_METHOD=POST", "CONTENT_TYPE=application/json", "CONTENT_LENGTH=5",
                "RETENTION_ENDPOINT=retention-message",
            ]
        )
        child.descriptors = [(input.reading.number, 0), (answer.number, 1)]
        // Two bytes have come, and the other end stays open.
        try input.writing.write(Array("{}".utf8).span)
        #expect(Processes.wait(for: try child.start()) == .exited(0))
        let text = String(decoding: try pool.folder.read("answer"), as: UTF8.self)
        #expect(text.hasPrefix("Status: 503 ") && text.contains("\"deadline-passed\""), "\(text)")
    }

    @Test("shows itself on the status page when it serves as one worker under another spawner")
    func statusAlone() throws {
        let pool = try PoolProcess()
        let listener = try pool.listenForAnother()
        try pool.start(waiting: false)
        try pool.wait(for: "message=ready", "worker")
        let status = try pool.status("full")
        #expect(status["total processes"] == "1" && status["workers_started"] == "1", "\(status)")
        #expect(status["pid"] == "\(pool.processID)" && status["generation"] == "1", "\(status)")
        #expect(status["idle processes"] == "1", "\(status)")
        _ = consume listener
    }
}

extension PoolProcess {
    /// Hands it a listening socket as descriptor 0, as spawn-fcgi does.
    fileprivate func listenForAnother() throws -> ListeningSocket {
        try folder.makeDirectory("run", permissions: 0o750)
        let listener = try ListeningSocket(unixPath: socketPath, access: .init(mode: 0o600), backlog: 16)
        handed = [(listener.descriptor.number, 0)]
        return listener
    }

    /// Waits until it answers, for a pool that cannot say so.
    fileprivate func waitForPing() throws {
        let end = Clock.monotonicNanoseconds() + 30_000_000_000
        while (try? ping()) != "pong" {
            guard Clock.monotonicNanoseconds() < end else { throw Silence(text: "pong", log: "") }
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 5)
        }
    }

    /// The open descriptors of a process, with what each of them is.
    fileprivate static func descriptors(of process: Int32) throws -> [(number: String, place: String)] {
        let run = try ProgramRun.run("find", ["/proc/\(process)/fd", "-type", "l", "-printf", "%f %l\\n"])
        return run.output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return words.count == 2 ? (words[0], words[1]) : nil
        }
    }
}
