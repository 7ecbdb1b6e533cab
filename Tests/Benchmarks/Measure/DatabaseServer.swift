internal import System

/// A PostgreSQL server of its own in the folder of the run: Debian's programs, a unix socket and no network.
///
/// PostgreSQL refuses to run as root. A run as root starts the server as the user `postgres`, whom Debian's package makes.
final class DatabaseServer {
    private let plan: Plan
    private let folder: String
    private let programs: String
    private var program: Program?
    private var schemaCount = 0

    /// Makes a cluster of databases in a folder of this name. It is not running yet.
    init(_ plan: Plan, name: String) throws {
        self.plan = plan
        programs = try Self.newestPrograms()
        folder = plan.workspace.path(of: name)
        try plan.workspace.makeFolder(name)
        if Credentials.isPrivileged {
            _ = try Program.output("/usr/bin/chown", ["postgres:postgres", folder], in: plan.workspace)
        }
        let options = ["-U", "retention", "-A", "trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        _ = try Program.output(
            "/usr/bin/setpriv", Self.identity + ["\(programs)/initdb", "-D", "\(folder)/data"] + options,
            in: plan.workspace)
    }

    /// Starts the server with these entries of the environment, and waits until it takes connections.
    func start(environment: [String]) throws {
        stop()
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(folder)", "shared_buffers=128MB",
            "logging_collector=off",
        ]
        let server = try Program(
            "postgres",
            "/usr/bin/setpriv",
            Self.identity + ["\(programs)/postgres", "-D", "\(folder)/data"]
                + settings.flatMap { ["-c", $0] },
            in: plan.workspace,
            environment: environment
        )
        program = server
        try server.wait(seconds: 30) {
            (try? Program.output("\(programs)/pg_isready", ["-q", "-h", folder], in: plan.workspace)) != nil
        }
    }

    /// Stops the server cleanly.
    func stop() {
        program?.stop(.interrupt)
        program = nil
    }

    /// Makes an empty schema and returns an address under which sessions work in it.
    func makeSchema() throws -> String {
        schemaCount += 1
        try command("CREATE SCHEMA run\(schemaCount)")
        return "postgresql:///postgres?host=\(folder)&user=retention"
            + "&options=-csearch_path%3Drun\(schemaCount)"
    }

    /// Does at once what autovacuum would do at some time: marks the rows as old, and counts the values of the columns.
    func vacuum() throws { try command("VACUUM (ANALYZE)") }

    private func command(_ sql: String) throws {
        let connection = ["-h", folder, "-U", "retention", "-d", "postgres"]
        _ = try Program.output(
            "\(programs)/psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql] + connection,
            in: plan.workspace)
    }

    /// The options of setpriv(1) under which the server runs.
    private static var identity: [String] {
        Credentials.isPrivileged ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    private static func newestPrograms() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = try Directory.names(in: try FileDescriptor.openDirectory(path: root), limitCount: 100)
        guard let newest = versions.compactMap({ Int($0) }).max() else { throw Failure("no PostgreSQL") }
        return "\(root)/\(newest)/bin"
    }
}
