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
