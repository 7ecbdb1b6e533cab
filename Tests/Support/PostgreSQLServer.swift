internal import Glibc
internal import Synchronization
package import System

/// A PostgreSQL server of its own for tests: Debian's programs, a temporary directory, a unix socket and no network.
///
/// PostgreSQL refuses to run as root. Tests that run as root start it as the user `postgres`, whom its package makes. The
/// kernel ends the server when the process of the tests ends, however that happens.
package final class PostgreSQLServer: Sendable {
    private let folder: TemporaryDirectory
    private let programs: String
    private let process = Mutex<Int32>(0)
    private let schemaCount = Atomic<Int>(0)

    package init(settings: [String] = []) throws {
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

    package init(following primary: PostgreSQLServer) throws {
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
    package static func shared() throws -> PostgreSQLServer {
        try sharedServer.withLock { server in
            if let server { return server }
            let new = try PostgreSQLServer()
            server = new
            atexit { PostgreSQLServer.sharedServer.withLock { $0 = nil } }
            return new
        }
    }

    private static let sharedServer = Mutex<PostgreSQLServer?>(nil)

    package func address(database: String) -> String {
        "postgresql:///\(database)?host=\(folder.path)&user=retention"
    }

    package var socketFolder: String { folder.path }

    package func awaitPosition(of primary: PostgreSQLServer) throws {
        let wanted = try primary.command("SELECT pg_current_wal_lsn()", database: "postgres")
        let question = "SELECT pg_last_wal_replay_lsn() >= '\(wanted.prefix { $0 != "\n" })'"
        for _ in 0..<3000 {
            if try command(question, database: "postgres") == "t\n" { return }
            usleep(10_000)
        }
        throw Failure(words: "the server does not follow")
    }

    /// Makes an empty schema and returns an address under which sessions work in it. That is much faster than a database.
    package func makeSchema() throws -> String {
        let name = "test\(schemaCount.add(1, ordering: .relaxed).newValue)"
        try command("CREATE SCHEMA \(name)", database: "postgres")
        return address(database: "postgres") + "&options=-csearch_path%3D\(name)"
    }

    /// Runs SQL with psql, as a person would, and returns what it prints: rows as lines, columns with `|` between them.
    @discardableResult
    package func command(_ sql: String, database: String) throws -> String {
        let run = try ProgramRun.run(
            "\(programs)/psql",
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-U", "retention"]
                + ["-c", sql, database]
        )
        guard run.status == 0 else { throw Failure(words: run.errors) }
        return run.output
    }

    package func start() throws {
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
        try ServiceThread.start {
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

    private final class Started: Sendable {
        let process = Mutex<Int32>(0)
    }

    /// Sends the server a signal and waits until it has ended: `quit` stops it at once, as a crash would; `kill` gives it no
    /// chance to do anything; `interrupt` stops it cleanly.
    package func stop(_ signal: Signal) {
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
    package func sendToSessions(_ signal: Signal) throws {
        for number in try sessions() { try Processes.send(signal, to: number) }
    }

    package func sessions() throws -> [Int32] {
        let children = try ProgramRun.run("ps", ["-o", "pid=,args=", "--ppid", "\(processID)"])
        let lines = children.output.split(separator: "\n").filter { $0.contains("[local]") }
        return lines.compactMap { line in line.split(separator: " ").first.flatMap { Int32($0) } }
    }

    package var processID: Int32 { process.withLock { $0 } }

    package struct Failure: Error {
        package let words: String
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

extension PostgreSQLServer {
    package static let waitingCommits = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    /// Makes the commits of this server wait for a second server, which does not exist. They are durable before they wait.
    ///
    /// `pg_reload_conf` only asks for a setting. A process of the server takes this one over later, so commits are tried until
    /// one waits.
    package func makeCommitsWait() throws {
        try command("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", database: "postgres")
        try command("SELECT pg_reload_conf()", database: "postgres")
        let doWait = Patience.wait(seconds: 60) { (try? self.isCommitWaiting()) == true }
        guard doWait else { throw Failure(words: "no commit waits for a second server") }
    }

    package func endWaitingCommit(of session: Substring) throws {
        try command("ALTER SYSTEM RESET synchronous_standby_names", database: "postgres")
        // The commit would end well if the server read its settings now.
        try command("SELECT pg_terminate_backend(\(session), 60000)", database: "postgres")
        try command("SELECT pg_reload_conf()", database: "postgres")
    }

    /// Lets the processes stand still that write the server's log besides the sessions of clients. From here on, only a commit
    /// brings rows to the disk. ``kill(with:)`` must follow.
    ///
    /// - Returns: the numbers of the processes.
    package func holdLogWriters() throws -> [Int32] {
        let search = """
            SELECT pid FROM pg_stat_activity
            WHERE backend_type IN ('walwriter', 'background writer', 'checkpointer')
            """
        let writers = try command(search, database: "postgres").split(separator: "\n").compactMap {
            Int32($0)
        }
        guard writers.count == 3 else { throw Failure(words: "\(writers.count) processes write the log") }
        for writer in writers { try Processes.send(.stop, to: writer) }
        return writers
    }

    package func kill(with processes: [Int32]) {
        stop(.kill)
        for process in processes { try? Processes.send(.kill, to: process) }
    }

    private func isCommitWaiting() throws -> Bool {
        let mark = Mark()
        let commit = try JoinableThread { [self] in
            _ = try? command("SELECT pg_logical_emit_message(true, 'probe', '')", database: "postgres")
            mark.isSet.withLock { $0 = true }
        }
        var session = ""
        _ = Patience.wait(seconds: 60) {
            session = (try? self.command(Self.waitingCommits, database: "postgres")) ?? ""
            return !session.isEmpty || mark.isSet.withLock { $0 }
        }
        if let number = session.split(separator: "\n").first {
            try command("SELECT pg_terminate_backend(\(number), 60000)", database: "postgres")
        }
        _ = commit.join()
        return !session.isEmpty
    }

    private final class Mark: Sendable {
        let isSet = Mutex(false)
    }
}
