internal import System

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
