import Support
import Synchronization
import System

/// A program that a test has started, with its standard error and output in a file.
///
/// Tests send signals only to this process and to its children. The process is killed and collected when the test
/// releases this object, whatever happened before.
final class RunningProcess: Sendable {
    let processID: Int32
    let logPath: String
    private let exit = Mutex<ChildExit?>(nil)

    /// Starts the program `arguments[0]`, with a socket as from systemd when there is one.
    init(
        _ arguments: [String], logPath: String, environment: [String] = [],
        descriptors: [(from: Int32, to: Int32)] = [], socket: HeldSocket? = nil
    ) throws {
        self.logPath = logPath
        // The tester searches only the log of the last process with this name.
        if let former = try? SourceFile.read(logPath) {
            LogAudit.check(String(decoding: former, as: UTF8.self), of: arguments[0])
        }
        try Directory.removeFile(path: logPath)
        let log = try FileDescriptor.create(path: logPath, permissions: 0o644)
        let words = (socket == nil ? [] : HeldSocket.activation) + arguments
        var child = ChildProcess(
            executable: words[0], arguments: words,
            environment: environment + ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SWIFT_BACKTRACE=enable=no"])
        child.descriptors = [(log.number, 1), (log.number, 2)] + descriptors
        if let socket { child.descriptors.append((socket.number, ListeningSocket.firstSystemdDescriptor)) }
        processID = try child.start()
    }

    deinit {
        if !hasEnded {
            try? Processes.send(.kill, to: processID)
            _ = Processes.wait(for: processID)
        }
    }

    /// True when the process has ended. It is collected then.
    var hasEnded: Bool { collect() != nil }

    /// Returns how the process ended, or nil while it runs.
    func collect() -> ChildExit? {
        exit.withLock { stored in
            if stored == nil { stored = Processes.reap(processID) }
            return stored
        }
    }

    func send(_ signal: Signal) throws {
        guard !hasEnded else { return }
        try Processes.send(signal, to: processID)
    }

    /// Waits until the process ends, at most `seconds`. Returns nil when it still runs.
    func waitForExit(seconds: Double = 60) -> ChildExit? {
        _ = Patience.wait(seconds: seconds) { hasEnded }
        return collect()
    }

    /// What the process has written so far.
    var log: String {
        guard let bytes = try? SourceFile.read(logPath) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns how often the process has written `text`.
    func logCount(_ text: String) -> Int { log.ranges(of: text).count }

    /// Waits until the process has written `text` `count` times. Returns false when it has not, because it has ended or
    /// `seconds` have passed.
    func waitForLog(_ text: String, count: Int = 1, seconds: Double = 60) -> Bool {
        Patience.wait(seconds: seconds) { logCount(text) >= count || hasEnded } && logCount(text) >= count
    }
}

/// A listening unix socket that a test holds and its processes inherit, as systemd does it for units.
final class HeldSocket: Sendable {
    private let socket: ListeningSocket

    init(path: String) throws {
        socket = try ListeningSocket(unixPath: path, access: .init(mode: 0o666), backlog: 4096)
    }

    var number: Int32 { socket.descriptor.number }

    /// LISTEN_PID must be the number of the program's process, so a shell sets it and then becomes the program.
    static let activation = [
        "/bin/sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1; export LISTEN_PID LISTEN_FDS; exec \"$@\"", "sh",
    ]
}

/// What the kernel says about a process that a test has started, and about its children.
enum ProcessTree {
    /// The children, in the order in which they were started.
    static func children(of processID: Int32) -> [Int32] {
        let text = read("/proc/\(processID)/task/\(processID)/children") ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    /// The children whose command line has this argument, such as `--worker`.
    static func children(of processID: Int32, with argument: String) -> [Int32] {
        children(of: processID).filter { child in
            let line = read("/proc/\(child)/cmdline") ?? ""
            return line.split(separator: "\0").contains { $0 == argument }
        }
    }

    /// How many descriptors a process has open; 0 when it is gone.
    static func descriptorCount(of processID: Int32) -> Int {
        guard let directory = try? FileDescriptor.openDirectory(path: "/proc/\(processID)/fd") else {
            return 0
        }
        return (try? Directory.names(in: directory, limitCount: 100_000).count) ?? 0
    }

    /// Memory that no other process shares, in KiB.
    static func privateKilobytes(of processID: Int32) -> Int {
        let text = read("/proc/\(processID)/smaps_rollup") ?? ""
        return ["Private_Clean:", "Private_Dirty:"].reduce(0) { sum, name in
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return sum + (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        }
    }

    /// Processor time of a process with one thread, in microseconds.
    static func processorMicroseconds(of processID: Int32) -> Int {
        let text = read("/proc/\(processID)/schedstat") ?? ""
        return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) / 1000
    }

    /// Returns true when a process with this id exists and is not a zombie (ended, but not yet collected by its
    /// parent).
    static func isAlive(_ processID: Int32) -> Bool {
        guard let text = read("/proc/\(processID)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return !text[end...].hasPrefix(") Z")
    }

    /// Returns true when the process was stopped by SIGSTOP: it runs no instruction until SIGCONT.
    static func isStopped(_ processID: Int32) -> Bool {
        guard let text = read("/proc/\(processID)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return text[end...].hasPrefix(") T")
    }

    private static func read(_ path: String) -> String? {
        guard let bytes = try? SourceFile.read(path) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Where the programs under test are.
enum Programs {
    static let nginx = "/usr/sbin/nginx"

    /// The path of the daemon: `RETENTIOND`, else the release build, else the debug build.
    static func daemon() throws -> String { try path(of: "retentiond") }

    /// The path of the tool: `RETENTIONCTL`, else the release build, else the debug build.
    static func tool() throws -> String { try path(of: "retentionctl") }

    /// The path of the simulator: `APPSTORE_SIMULATOR`, else the release build, else the debug build.
    static func simulator() throws -> String { try path(of: "appstore-simulator") }

    /// The path of the recorder: `RETENTIOND_RECORDER`, else the release build, else the debug build.
    static func recorder() throws -> String { try path(of: "retentiond-recorder") }

    /// Runs a program to its end, and searches its standard error for secrets.
    static func run(
        _ executable: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String] = ["PATH=/usr/bin:/bin", "LANG=C"]
    ) throws -> ProgramRun {
        let run = try ProgramRun.run(executable, arguments, input: input, environment: environment)
        LogAudit.check(run.errors, of: executable)
        return run
    }

    private static func path(of program: String) throws -> String {
        let variable = program.uppercased().replacing("-", with: "_")
        if let path = ProcessEnvironment.value(of: variable) { return path }
        for kind in ["release", "debug"] {
            let path = SourceFile.root + "/.build/\(kind)/\(program)"
            if (try? FileStatus(path: path)) != nil { return path }
        }
        throw Complaint("there is no \(program); run swift build --product \(program)")
    }

    /// True when the fault tests run long: they kill a worker in each of 30 seconds instead of 6, damage the rules file
    /// 400 times instead of 80 and the facts file 200 times instead of 40, wait up to 75 seconds for a stopped loader
    /// to be ended, and use the shipped deadlines. They kill `catalogue apply` at every point instead of 8 of each kind,
    /// and apply a catalogue of 2,000 messages instead of 380. They kill the recorder 300 times instead of 6, and a
    /// recovery after an outage 30 times instead of 10.
    static var runsLong: Bool { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" }
}
