import Support
import System
import Testing

/// Starts under unusual conditions.
extension DaemonTests {
    @Test("knows its arguments also when a preloaded library changes the environment")
    func preloadedLibrary() throws {
        let library = try PreloadedLibrary.settingVariable()
        let pool = try PoolProcess()
        // The loader and the workers load the library too.
        try pool.start(environment: [library.environment])
        #expect(try pool.ping() == "pong")
        let version = try ProgramRun.run(
            ProgramRun.product("retentiond"), ["-v"], environment: [library.environment])
        #expect(version.status == 0 && version.output.hasPrefix("retentiond/"), "\(version)")
        let unknown = try ProgramRun.run(
            ProgramRun.product("retentiond"), ["--config", "", "x"], environment: [library.environment])
        #expect(unknown.status == 64 && unknown.errors.contains("--config needs a value"), "\(unknown)")
    }

    @Test("starts one worker for each processor core that it may use, when \"workers\" is 0")
    func affinity() throws {
        let pool = try PoolProcess(#", "workers": 0"#)
        pool.launcher = ["/usr/bin/taskset", "-c", "0"]
        try pool.start()
        #expect(try pool.workers().count == 1)
        let check = try pool.run(["-t"])
        let line = "workers: 1 if started from here, from the affinity of this process"
        #expect(check.errors.contains(line), "\(check.errors)")
    }

    @Test("opens only /dev/null in the place of closed standard descriptors")
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
        let others = records.split(separator: "\n").filter {
            !$0.hasPrefix(#"{"rules":"#) && !$0.hasPrefix(#"{"end":"#)
        }
        #expect(!records.isEmpty && others.isEmpty, "log lines in the decision records: \(others)")
    }

    @Test("reloads after its start when a HUP comes in its first moments")
    func earlyHangup() throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        try pool.start(environment: [library.environment, "SIGNAL_AT_START=\(Signal.hangup.rawValue)"])
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.ping() == "pong")
    }

    @Test(
        "ends as usual when TERM, INT or QUIT comes in its first moments",
        arguments: [.terminate, .interrupt, .quit] as [Signal]
    )
    func earlyEnd(signal: Signal) throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        try pool.start(
            environment: [library.environment, "SIGNAL_AT_START=\(signal.rawValue)"], waiting: false)
        #expect(pool.waitForEnd() == .exited(0))
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.socketPath) }
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.pidPath) }
    }

    @Test("ends on a HUP in its first moments when another spawner has started it as one worker")
    func earlyHangupAlone() throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        let listener = try pool.listenForAnother()
        try pool.start(
            environment: [library.environment, "SIGNAL_AT_START=\(Signal.hangup.rawValue)"], waiting: false)
        #expect(pool.waitForEnd() == .exited(0))
        try pool.wait(for: "message=draining why=HUP", "worker")
        _ = consume listener
    }

    @Test("answers as CGI that the deadline has passed when the rest of a body does not come")
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
        // Two of five bytes have come, and the other end of the pipe stays open.
        try input.writing.write(Array("{}".utf8).span)
        #expect(Processes.wait(for: try child.start()) == .exited(0))
        let text = String(decoding: try pool.folder.read("answer"), as: UTF8.self)
        #expect(text.hasPrefix("Status: 503 ") && text.contains("\"deadline-passed\""), "\(text)")
    }

    @Test("has one worker on the status page when another spawner has started it as that worker")
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
    /// Makes a listening socket that the pool is handed as descriptor 0, as spawn-fcgi does.
    fileprivate func listenForAnother() throws -> ListeningSocket {
        try folder.makeDirectory("run", permissions: 0o750)
        let listener = try ListeningSocket(unixPath: socketPath, access: .init(mode: 0o600), backlog: 16)
        handed = [(listener.descriptor.number, 0)]
        return listener
    }

    /// Waits until the pool answers. For a pool whose standard error is closed, so that it cannot log.
    fileprivate func waitForPing() throws {
        let end = Clock.monotonicNanoseconds() + 30_000_000_000
        while (try? ping()) != "pong" {
            guard Clock.monotonicNanoseconds() < end else { throw Silence(text: "pong", log: "") }
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 5)
        }
    }

    /// The open descriptors of a process, and what each of them refers to.
    fileprivate static func descriptors(of process: Int32) throws -> [(number: String, place: String)] {
        let run = try ProgramRun.run("find", ["/proc/\(process)/fd", "-type", "l", "-printf", "%f %l\\n"])
        return run.output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return words.count == 2 ? (words[0], words[1]) : nil
        }
    }
}
