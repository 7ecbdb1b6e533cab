internal import Glibc
internal import Synchronization
public import System

/// A PostgreSQL server of its own for tests: Debian's programs, a temporary directory, a unix socket and no network.
///
/// PostgreSQL refuses to run as root. Tests that run as root start it as the user `postgres`, whom its package makes. The
/// kernel ends the server when the process of the tests ends, however that happens.
public final class PostgreSQLServer: Sendable {
    private let folder: TemporaryDirectory
    private let programs: String
    /// The process number of the server, 0 while it is stopped.
    private let process = Mutex<Int32>(0)
    private let schemaCount = Atomic<Int>(0)

    /// Makes a cluster of databases and starts the server. `settings` are entries of postgresql.conf, `name=value`.
    public init(settings: [String] = []) throws {
        folder = try TemporaryDirectory()
        programs = try Self.newestPrograms()
        if Credentials.isPrivileged {
            let user = try Self.user()
            try Directory.give(path: folder.path, toUser: user.userID, group: user.groupID)
        }
        let data = folder.path(of: "data")
        let arguments = ["-D", data, "-U", "retention", "-A", "trust", "--encoding=UTF8", "--locale=C"]
        let run = try ProgramRun.run(
            "setpriv", Self.identity + ["\(programs)/initdb", "--no-sync"] + arguments)
        guard run.status == 0 else { throw Failure(words: run.errors) }
        self.settings = Self.standardSettings(folder) + settings
        try start()
    }

    /// Copies the databases of another server, and starts a server that follows it.
    public init(following primary: PostgreSQLServer) throws {
        folder = try TemporaryDirectory()
        programs = primary.programs
        if Credentials.isPrivileged {
            let user = try Self.user()
            try Directory.give(path: folder.path, toUser: user.userID, group: user.groupID)
        }
        let run = try ProgramRun.run(
            "setpriv",
            Self.identity + [
                "\(programs)/pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf",
                "-D", folder.path(of: "data"), "-d", primary.address(database: "postgres"),
            ]
        )
        guard run.status == 0 else { throw Failure(words: run.errors) }
        settings = Self.standardSettings(folder)
        try start()
    }

    private static func standardSettings(_ folder: TemporaryDirectory) -> [String] {
        [
            "listen_addresses=", "unix_socket_directories=\(folder.path)", "shared_buffers=16MB",
            "logging_collector=off",
        ]
    }

    private let settings: [String]

    deinit {
        stop(.quit)
    }

    /// A server that all tests of this process share. It is stopped, and its directory removed, when the process exits.
    public static func shared() throws -> PostgreSQLServer {
        try sharedServer.withLock { server in
            if let server { return server }
            let new = try PostgreSQLServer()
            server = new
            atexit { PostgreSQLServer.sharedServer.withLock { $0 = nil } }
            return new
        }
    }

    private static let sharedServer = Mutex<PostgreSQLServer?>(nil)

    /// The address of a database for libpq.
    public func address(database: String) -> String {
        "postgresql:///\(database)?host=\(folder.path)&user=retention"
    }

    /// The directory of the server's socket.
    public var socketFolder: String { folder.path }

    /// Waits until this server has everything that a server has committed which it follows.
    public func awaitPosition(of primary: PostgreSQLServer) throws {
        let wanted = try primary.command("SELECT pg_current_wal_lsn()", database: "postgres")
        let question = "SELECT pg_last_wal_replay_lsn() >= '\(wanted.prefix { $0 != "\n" })'"
        for _ in 0..<3000 {
            if try command(question, database: "postgres") == "t\n" { return }
            usleep(10_000)
        }
        throw Failure(words: "the server does not follow")
    }

    /// Makes an empty schema and returns an address under which sessions work in it. That is much faster than a database.
    public func makeSchema() throws -> String {
        let name = "test\(schemaCount.add(1, ordering: .relaxed).newValue)"
        try command("CREATE SCHEMA \(name)", database: "postgres")
        return address(database: "postgres") + "&options=-csearch_path%3D\(name)"
    }

    /// Makes a folder that belongs to the server, and returns its path.
    public func makeFolder(_ name: String) throws -> String {
        try folder.makeDirectory(name, permissions: 0o700)
        if Credentials.isPrivileged {
            let user = try Self.user()
            try Directory.give(path: folder.path(of: name), toUser: user.userID, group: user.groupID)
        }
        return folder.path(of: name)
    }

    /// The path of a file of the server, by its name in the directory of the data.
    public func dataPath(of name: String) -> String { folder.path(of: "data/\(name)") }

    /// Runs SQL with psql, as a person would, and returns what it prints: rows as lines, columns with `|` between them.
    @discardableResult
    public func command(_ sql: String, database: String) throws -> String {
        let run = try ProgramRun.run(
            "\(programs)/psql",
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-U", "retention"]
                + ["-c", sql, database]
        )
        guard run.status == 0 else { throw Failure(words: run.errors) }
        return run.output
    }

    /// Starts the server again after ``stop(_:)``, and waits until it takes connections.
    public func start() throws {
        for _ in 0..<100 {
            let number = try spawn()
            process.withLock { $0 = number }
            while Processes.exists(number) {
                if try isReady() { return }
                usleep(10_000)
            }
            // Processes of a server that was killed may still hold its memory, and then the new server ends at once.
            usleep(50_000)
        }
        throw Failure(words: "the server does not start")
    }

    /// Starts the server's process and returns its number.
    private func spawn() throws -> Int32 {
        let arguments =
            Self.identity + ["--pdeathsig", "QUIT", "\(programs)/postgres", "-D", folder.path(of: "data")]
            + settings.flatMap { ["-c", $0] }
        let setpriv = try ProgramRun.path(of: "setpriv")
        let path = folder.path(of: "log\(Clock.monotonicNanoseconds())")
        let log = try FileDescriptor.create(path: path, permissions: 0o600)
        let number = log.number
        let started = Started()
        // The kernel ends the server when the thread that started it ends, so that thread stays until the server has ended.
        BackgroundThread.start {
            var child = ChildProcess(
                executable: setpriv, arguments: [setpriv] + arguments,
                environment: ["PATH=/usr/bin:/bin", "LANG=C"])
            child.descriptors = [(number, 1), (number, 2)]
            let process = (try? child.start()) ?? -1
            started.process.withLock { $0 = process }
            if process > 0 { _ = Processes.wait(for: process) }
        }
        while started.process.withLock({ $0 }) == 0 { usleep(1000) }
        try log.close()
        let process = started.process.withLock { $0 }
        guard process > 0 else { throw Failure(words: "the server does not start") }
        return process
    }

    /// The number of a process, once it is started.
    private final class Started: Sendable {
        let process = Mutex<Int32>(0)
    }

    /// Sends the server a signal and waits until it has ended: `quit` stops it at once, as a crash would; `kill` gives it no
    /// chance to do anything; `interrupt` stops it cleanly.
    public func stop(_ signal: Signal) {
        let process = self.process.withLock { stored in
            defer { stored = 0 }
            return stored
        }
        guard process > 0 else { return }
        try? Processes.send(signal, to: process)
        while Processes.exists(process) { usleep(1000) }
    }

    /// Sends a signal to the process of each session of a client, but not to the server itself: `stop` lets sessions stand
    /// still, and `proceed` lets them go on.
    public func sendToSessions(_ signal: Signal) throws {
        for number in try sessions() { try Processes.send(signal, to: number) }
    }

    /// The numbers of the processes of the clients' sessions.
    public func sessions() throws -> [Int32] {
        let children = try ProgramRun.run("ps", ["-o", "pid=,args=", "--ppid", "\(processID)"])
        let lines = children.output.split(separator: "\n").filter { $0.contains("[local]") }
        return lines.compactMap { line in line.split(separator: " ").first.flatMap { Int32($0) } }
    }

    /// The number of the server's first process; 0 while the server is stopped.
    public var processID: Int32 { process.withLock { $0 } }

    /// A step of making or starting the server failed.
    public struct Failure: Error {
        /// What the program wrote.
        public let words: String
    }

    private func isReady() throws -> Bool {
        let run = try ProgramRun.run(
            "\(programs)/psql",
            ["-X", "-q", "-h", folder.path, "-U", "retention", "-c", "SELECT 1", "postgres"])
        return run.status == 0
    }

    /// The options of setpriv(1) under which the server runs.
    private static var identity: [String] {
        Credentials.isPrivileged ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    private static func user() throws -> (userID: UInt32, groupID: UInt32) {
        guard let entry = unsafe getpwnam("postgres") else { throw Failure(words: "no user postgres") }
        return unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    private static func newestPrograms() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = try Directory.names(in: try FileDescriptor.openDirectory(path: root), limitCount: 100)
        guard let newest = versions.compactMap({ Int($0) }).max() else {
            throw Failure(words: "no PostgreSQL")
        }
        return "\(root)/\(newest)/bin"
    }
}
