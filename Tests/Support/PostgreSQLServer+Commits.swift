internal import Synchronization
internal import System

extension PostgreSQLServer {
    /// The sessions whose commits wait for a second server.
    public static let waitingCommits = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    /// Makes the commits of this server wait for a second server, which does not exist. They are durable before they wait.
    ///
    /// `pg_reload_conf` only asks for a setting. A process of the server takes this one over later, so commits are tried until
    /// one waits.
    public func makeCommitsWait() throws {
        try command("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", database: "postgres")
        try command("SELECT pg_reload_conf()", database: "postgres")
        let doWait = Patience.wait(seconds: 60) { (try? self.isCommitWaiting()) == true }
        guard doWait else { throw Failure(words: "no commit waits for a second server") }
    }

    /// Ends the session with this number, whose commit waits, and lets later commits go on.
    public func endWaitingCommit(of session: Substring) throws {
        try command("ALTER SYSTEM RESET synchronous_standby_names", database: "postgres")
        // The commit would end well if the server read its settings now.
        try command("SELECT pg_terminate_backend(\(session), 60000)", database: "postgres")
        try command("SELECT pg_reload_conf()", database: "postgres")
    }

    /// Lets the processes stand still that write the server's log besides the sessions of clients. From here on, only a commit
    /// brings rows to the disk. ``kill(with:)`` must follow.
    ///
    /// - Returns: the numbers of the processes.
    public func holdLogWriters() throws -> [Int32] {
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

    /// Kills the server and these of its processes. The others end by themselves.
    public func kill(with processes: [Int32]) {
        stop(.kill)
        for process in processes { try? Processes.send(.kill, to: process) }
    }

    /// Tries a commit. Returns true when it waits, and ends its session.
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

    /// Says that something has ended.
    private final class Mark: Sendable {
        let isSet = Mutex(false)
    }
}
