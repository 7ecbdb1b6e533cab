/// Stores in schemas of a PostgreSQL server.
final class PostgreSQLBed: StoreBed {
    let name = "PostgreSQL"
    private let plan: Plan
    private let server: DatabaseServer

    /// Makes a server. `purpose` tells it from those that the run has made before.
    init(_ plan: Plan, for purpose: String) throws {
        self.plan = plan
        server = try DatabaseServer(plan, name: "postgresql-\(purpose)")
    }

    func make(_ synchronisation: Synchronisation) throws -> (address: String, environment: [String]) {
        try server.start(environment: synchronisation.environment(plan))
        return (try server.makeSchema(), [])
    }

    /// Cleans up behind many new rows, so that autovacuum does not begin during a measurement.
    func vacuum() throws { try server.vacuum() }

    func remove() { server.stop() }
}
