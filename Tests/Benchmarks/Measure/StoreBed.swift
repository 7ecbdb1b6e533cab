internal import System

/// A system on which recorders of the benchmark store notifications. Each run begins with an empty store.
protocol StoreBed {
    /// The name of the system.
    var name: String { get }
    /// Makes an empty store whose files are synchronised in this way. Returns the address of the store, and the entries of
    /// the environment of the program that uses it.
    func make(_ synchronisation: Synchronisation) throws -> (address: String, environment: [String])
    /// Removes the last store.
    func remove() throws
}

/// Stores in files of SQLite.
final class SQLiteBed: StoreBed {
    let name = "SQLite"
    private let plan: Plan
    private var path: String?
    private var count = 0

    init(_ plan: Plan) {
        self.plan = plan
    }

    func make(_ synchronisation: Synchronisation) throws -> (address: String, environment: [String]) {
        try remove()
        count += 1
        let path = plan.workspace.path(of: "notifications\(count).db")
        self.path = path
        return ("sqlite:\(path)", synchronisation.environment(plan))
    }

    func remove() throws {
        guard let path else { return }
        for ending in ["", "-wal", "-shm"] { try Directory.removeFile(path: path + ending) }
        self.path = nil
    }
}

/// Stores in schemas of a PostgreSQL server.
final class PostgreSQLBed: StoreBed {
    let name = "PostgreSQL"
    private let plan: Plan
    private let server: DatabaseServer

    init(_ plan: Plan) throws {
        self.plan = plan
        server = try DatabaseServer(plan)
    }

    func make(_ synchronisation: Synchronisation) throws -> (address: String, environment: [String]) {
        try server.start(environment: synchronisation.environment(plan))
        return (try server.makeSchema(), [])
    }

    func remove() { server.stop() }
}
