import Facts
import JSON
import Rules
import Support
import System
import Testing

/// A real pool in a folder of its own, started as an operator starts it, and the lines that it logs.
final class PoolProcess {
    let folder: TemporaryDirectory
    var executable: String
    /// The words before the program on the command line, for tests in which another program starts the daemon.
    var launcher: [String] = []
    /// Descriptors that the starting process hands over.
    var handed: [(from: Int32, to: Int32)] = []
    private(set) var processID: Int32 = 0
    private(set) var lines: [String] = []
    private var consumed = 0
    private let reading: FileDescriptor
    private let writing: FileDescriptor
    private var rest: [UInt8] = []

    /// The value of `listen`, when it is not the socket at ``socketPath``.
    var listen: String?
    /// The value of `listenGroup`, when it is not the group of this process.
    var group: String?
    /// True when the pool may run as root. Most tests allow that, because root may run the tests.
    var allowsRoot = true
    lazy var pidPath = folder.path(of: "pid")

    var configurationPath: String { folder.path(of: "retentiond.json") }
    var socketPath: String { folder.path(of: "run/retentiond.sock") }

    /// Writes the configuration and pushes one rules file. Nothing runs yet.
    init(_ extra: String = #", "workers": 2"#, executable: String? = nil) throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("data")
        self.executable = try executable ?? ProgramRun.product("retentiond")
        let pipe = try FileDescriptor.pipe()
        reading = try FileDescriptor.duplicate(of: pipe.reading.number)
        writing = try FileDescriptor.duplicate(of: pipe.writing.number)
        try reading.setNonBlocking(true)
        try configure(extra)
        try push(Self.rules(), as: "one.rules.json")
    }

    /// Runs a copy of the program in the pool's folder: the user that the pool becomes may not reach the folder where
    /// the program was built.
    func copyProgram() throws {
        let copy = folder.path(of: "retentiond")
        let program = try SourceFile.read(executable)
        try AtomicFile.write(program.span, to: copy, permissions: 0o755)
        executable = copy
    }

    deinit {
        guard processID > 0 else { return }
        try? Processes.send(.kill, to: processID)
        _ = Processes.wait(for: processID)
    }

    func configure(_ extra: String = #", "workers": 2"#, isStateNamed: Bool = true) throws {
        let state = isStateNamed ? #""stateDirectory": "\#(folder.path)/state","# : ""
        try folder.write(
            """
            {"listen": "\(listen ?? "unix:\(socketPath)")", "listenGroup": "\(group ?? Self.ownGroup)",
             "dataDirectory": "\(folder.path)/data", \(state)
             "pidFile": "\(pidPath)",
             "apps": [{"appAppleId": 1, "bundleId": "com.example", "environments": ["Production"]}]\(extra)}
            """,
            to: "retentiond.json"
        )
    }

    private static var ownGroup: String { String(Credentials.current.groupID) }

    static func rules(revision: String = "r10", app: Int64 = 1) -> [UInt8] {
        var model = RulesModel(appAppleId: app, bundleId: "com.example", environment: .production)
        model.metadata = [.init(key: "revision", value: revision)]
        model.defaultOutcome = .nothing
        return model.pushed
    }

    /// Puts a file into the data directory as rsync does: writes it under another name, then renames it.
    func push(_ bytes: [UInt8], as name: String) throws {
        try AtomicFile.write(bytes.span, to: folder.path(of: "data/\(name)"))
    }

    /// Starts the pool and waits until it serves. A test of a start that fails passes `waiting: false`.
    @discardableResult
    func start(environment: [String] = [], waiting: Bool = true) throws -> PoolProcess {
        var child = ChildProcess(
            executable: launcher.first ?? executable,
            arguments: (launcher.isEmpty ? ["retentiond"] : launcher + [executable])
                + words,
            environment: ["PATH=/usr/bin:/bin"] + environment
        )
        // A daemon that outlives a test must not hold the standard output of the tests open.
        child.descriptors = [(writing.number, 1), (writing.number, 2)] + handed
        processID = try child.start()
        if waiting { try wait(for: "message=ready", "supervisor") }
        return self
    }

    func send(_ signal: Signal) throws { try Processes.send(signal, to: processID) }

    /// Waits for the next log line of `component` that contains `text`. Throws after some seconds.
    @discardableResult
    func wait(for text: String, _ component: String = "supervisor", seconds: UInt64 = 30) throws -> String {
        let end = Clock.monotonicNanoseconds() + seconds * 1_000_000_000
        while true {
            while consumed < lines.count {
                consumed += 1
                let line = lines[consumed - 1]
                if line.contains(text), line.contains(" \(component) ") { return line }
            }
            let isLate = Clock.monotonicNanoseconds() >= end
            if !isLate { _ = try Readiness.wait(for: [reading.number], timeoutMilliseconds: 500) }
            let known = lines.count
            var block = [UInt8](repeating: 0, count: 65_536)
            while let count = try? reading.read(into: &block), count > 0 {
                rest += block[..<count]
            }
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            if isLate, lines.count == known {
                throw Silence(text: text, log: lines.suffix(30).joined(separator: "\n"))
            }
        }
    }

    struct Silence: Error { let text: String, log: String }

    /// Waits until the pool has ended by itself. Nil when that takes minutes.
    func waitForEnd() -> ChildExit? {
        let handle = ProcessHandle(processID)
        guard Patience.wait(seconds: 180, { handle?.isAlive != true }) else { return nil }
        let exit = Processes.wait(for: processID)
        processID = 0
        return exit
    }

    /// The number in the field `key` of a log line, such as a process id.
    static func number(_ key: String, in line: String) throws -> Int32 {
        let field = try #require(line.split(separator: " ").first { $0.hasPrefix("\(key)=") })
        return try #require(Int32(field.dropFirst(key.utf8.count + 1)))
    }

    /// The living children of a process, with the second word of their command line.
    static func children(of parent: Int32) throws -> [(processID: Int32, role: String)] {
        let proc = try FileDescriptor.openDirectory(path: "/proc")
        return try Directory.names(in: proc, limitCount: 100_000).compactMap { name in
            guard let number = Int32(name), let status = try? Self.text("/proc/\(name)/stat"),
                let line = try? Self.text("/proc/\(name)/cmdline")
            else { return nil }
            let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 1, Int32(fields[1]) == parent, fields[0] != "Z" else { return nil }
            let words = line.split(separator: "\0")
            return (number, words.count > 1 ? String(words[1]) : "")
        }
    }

    func workers() throws -> [Int32] {
        try Self.children(of: processID).filter { $0.role == "--worker" }.map(\.processID)
    }

    private static func text(_ path: String) throws -> String {
        String(
            decoding: try FileDescriptor.openForReading(path: path).readAll(limitBytes: 65_536), as: UTF8.self
        )
    }

    /// Sends one `ping` over a new connection and returns the body of the answer.
    func ping() throws -> String { try Self.ping(socketPath) }

    /// The fields of the status page by their names, those of the pool and those of its first worker. `path` is the
    /// path of the socket when it was moved.
    func status(at path: String? = nil) throws -> [String: String] {
        let page = try Self.get("status", path ?? socketPath, query: "json")
        let limits = JSONLimits(byteCount: 1 << 20, depth: 64)
        let root = try JSONDocument(parsing: Array(page.utf8).span, limits: limits).root
        let fields = root.members + (root.member("processes")?.elements.first?.members ?? [])
        let pairs = fields.compactMap { name, value in
            (value.string ?? value.int64.map { "\($0)" }).map { (name, $0) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    static func ping(_ socketPath: String) throws -> String { try get("ping", socketPath) }

    private static func get(_ endpoint: String, _ socketPath: String, query: String = "") throws -> String {
        let client = try FastCGIClient(unixPath: socketPath)
        let parameters = [
            ("REQUEST_METHOD", "GET"), ("RETENTION_ENDPOINT", endpoint), ("QUERY_STRING", query),
        ]
        try client.send(FastCGIRecords.request(parameters, keep: false))
        let reply = try client.readReply()
        return String(decoding: reply.body, as: UTF8.self)
    }

    /// Asks for a retention message and returns the body of the answer.
    func ask(_ body: [UInt8]) throws -> String {
        let client = try FastCGIClient(unixPath: socketPath)
        let parameters = [
            ("REQUEST_METHOD", "POST"), ("RETENTION_ENDPOINT", "retention-message"),
            ("CONTENT_LENGTH", "\(body.count)"),
        ]
        try client.send(FastCGIRecords.request(parameters, body: body, keep: false))
        let reply = try client.readReply()
        return String(decoding: reply.body, as: UTF8.self)
    }

    /// Runs `--reload`.
    func reload() throws -> ProgramRun { try run(["--reload"]) }

    /// Runs the program with these arguments and the same launcher.
    func run(_ arguments: [String]) throws -> ProgramRun {
        let line = launcher + [executable] + words + arguments
        return try ProgramRun.run(line[0], Array(line.dropFirst()))
    }

    private var words: [String] { ["--config", configurationPath] + (allowsRoot ? ["--allow-root"] : []) }

    var verdictPath: String { "\(pidPath).reload.json" }

    func verdict() throws -> String { String(decoding: try folder.read("pid.reload.json"), as: UTF8.self) }
}
