import SQL
import Support
import System
import Testing

@Suite("Faults of PostgreSQL")
struct PostgreSQLFaultTests {
    private let address: String

    init() throws { address = try PostgreSQLServer.shared().makeSchema() }

    private func connect(_ change: (inout PostgreSQLOptions) -> Void = { _ in }) throws
        -> PostgreSQLConnection
    {
        var options = PostgreSQLOptions()
        change(&options)
        return try PostgreSQLConnection(address: address, options)
    }

    private static let failing: SQLText = """
        CREATE FUNCTION failing(state TEXT) RETURNS BIGINT LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''secret value'' USING ERRCODE = state; END'
        """

    @Test(
        "have a code for each SQLSTATE",
        arguments: [
            ("40001", "sql.serialization-failure", SQLRetry.atOnce), ("53100", "sql.full", .later),
            ("25006", "sql.read-only", .later), ("42501", "sql.denied", .later),
            ("55P03", "sql.busy", .later), ("57014", "sql.timed-out", .later),
            ("57P01", "sql.connection-lost", .later), ("08006", "sql.connection-lost", .later),
            ("22003", "sql.bad-value", .never), ("23505", "sql.constraint", .never),
            ("42P01", "sql.schema", .never), ("XX001", "sql.corrupt", .never),
            ("P0001", "sql.constraint", .never), ("0A000", "sql.refused", .later),
            ("57P04", "sql.refused", .later), ("ZZ999", "sql.refused", .later),
        ]
    )
    func states(state: String, code: String, retry: SQLRetry) throws {
        let connection = try connect()
        try connection.run(Self.failing)
        let error = #expect(throws: SQLError.self) {
            try connection.query("SELECT failing(?)", [.text(state)])
        }
        #expect(error?.code == code && error?.fault.retry == retry)
        // Only these say something about a row. With any other, the store is failing.
        #expect(error?.fault.isAboutValues == ["sql.bad-value", "sql.constraint"].contains(code))
        #expect(error?.detail.contains(state) ?? false)
        #expect(error?.description.contains("secret value") == false)
        #expect(try connection.query("SELECT 1").count == 1)
    }

    @Test(
        "have no words where these may have a value of a row, whatever the SQLSTATE is",
        arguments: ["P0001", "42501", "ZZ999"]
    )
    func words(state: String) throws {
        let connection = try connect()
        try connection.makeSamples()
        try connection.run(
            """
            CREATE FUNCTION refusing() RETURNS TRIGGER LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''no %'', NEW.name USING ERRCODE = TG_ARGV[0]; END'
            """
        )
        // Once when the row comes, and once at the commit.
        for kind in ["TRIGGER refusing BEFORE", "CONSTRAINT TRIGGER refusing AFTER"] {
            let moment = kind.hasPrefix("CONSTRAINT") ? "DEFERRABLE INITIALLY DEFERRED" : ""
            try PostgreSQLServer.shared().command(
                "SET search_path = \(address.split(separator: "%3D").last ?? ""); CREATE \(kind) INSERT ON samples "
                    + "\(moment) FOR EACH ROW EXECUTE FUNCTION refusing('\(state)')",
                database: "postgres"
            )
            let insertion: SQLText = "INSERT INTO samples (name) VALUES (?)"
            let ways: [() throws -> Void] = [
                { try connection.run(insertion, [.text("a secret")]) },
                { try connection.run(insertion, forEach: [[.text("a secret")], [.text("a secret")]]) },
                { try connection.run("INSERT INTO samples (name) VALUES ('a secret')") },
            ]
            for way in ways {
                let error = #expect(throws: SQLError.self) {
                    try connection.begin(isWriting: true)
                    defer { connection.rollback() }
                    try way()
                    try connection.commit()
                }
                #expect(error?.description.contains("secret") == false)
                #expect(error?.detail.contains(state) == true)
            }
            try connection.run("DROP TRIGGER refusing ON samples")
        }
    }

    @Test(
        "have a code when no session comes about",
        arguments: [
            ("postgresql:///x?host=/nonexistent", "sql.unreachable"),
            ("postgresql://127.0.0.1:1/x", "sql.unreachable"),
            ("postgresql://user@host:port/%zz", "sql.bad-address"), ("unknownword=7", "sql.bad-address"),
            ("", "sql.bad-address"),
        ]
    )
    func noSession(address: String, code: String) {
        let error = #expect(throws: SQLError.self) { try PostgreSQLConnection(address: address) }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test("come about with the second server of an address while the first says nothing")
    func silentHost() throws {
        // The kernel answers, as that of a machine whose server hangs.
        let hung = try TemporaryDirectory()
        let socket = hung.path(of: ".s.PGSQL.5432")
        let listener = try ListeningSocket(unixPath: socket, access: .init(mode: 0o600), backlog: 8)
        let folder = try PostgreSQLServer.shared().socketFolder
        let hosts = "host=\(hung.path),\(folder)&port=5432,5432"
        let address = "postgresql:///postgres?\(hosts)&user=retention"
        #expect(try PostgreSQLConnection(address: address).query("SELECT 1").count == 1)
        _ = listener
    }

    @Test("name the reason for which the server takes no session")
    func refusedSession() throws {
        let server = try PostgreSQLServer.shared()
        #expect(throws: SQLError(.schema)) {
            try PostgreSQLConnection(address: server.address(database: "missing"))
        }
        try server.command("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0", database: "postgres")
        try server.command("CREATE ROLE locked NOLOGIN", database: "postgres")
        let rows = [("crowded", SQLFault.tooManyConnections), ("locked", .denied)]
        for (role, fault) in rows {
            let address = address.replacing("user=retention", with: "user=\(role)")
            let error = #expect(throws: SQLError.self) { try PostgreSQLConnection(address: address) }
            #expect(error?.fault == fault, "\(String(describing: error))")
        }
    }

    @Test("see a NUL in a text as a value that cannot be represented")
    func nul() throws {
        let connection = try connect()
        try connection.makeSamples()
        #expect(throws: SQLError(.badValue)) {
            try connection.run("INSERT INTO samples (name) VALUES (?)", [.text("a\u{0}b")])
        }
        #expect(try connection.numbers().isEmpty)
    }

    @Test("end a wait for the server after its limit, and close the connection")
    func silentServer() throws {
        let connection = try connect { $0.answerMilliseconds = 100 }
        #expect(throws: SQLError(.timedOut)) {
            try connection.query("SELECT CAST(1 AS BIGINT) FROM pg_sleep(60)")
        }
        #expect(!connection.isOpen)
        #expect(throws: SQLError(.connectionLost)) { try connection.query("SELECT 1") }
    }

    @Test("end a statement and a wait for a lock at the server's limits, and keep the connection")
    func serverLimits() throws {
        let one = try connect()
        try one.makeSamples()
        let other = try connect {
            $0.statementMilliseconds = 200
            $0.lockMilliseconds = 50
        }
        #expect(throws: SQLError(.timedOut)) { try other.query("SELECT CAST(1 AS BIGINT) FROM pg_sleep(60)") }
        try one.begin(isWriting: true)
        try one.run("LOCK TABLE samples")
        #expect(throws: SQLError(.busy)) { try other.numbers() }
        try one.commit()
        #expect(try other.numbers().isEmpty && other.isOpen)
    }

    @Test(
        "tell a session that ended, and a commit of which nobody knows the outcome",
        arguments: [true, false]
    )
    func lostSession(inCommit: Bool) throws {
        let connection = try connect()
        try connection.makeSamples()
        // The commit waits in this trigger, which runs at the end of the transaction.
        try connection.run(
            """
            CREATE FUNCTION waiting() RETURNS TRIGGER LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'
            """
        )
        try connection.run(
            """
            CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON samples DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION waiting()
            """
        )
        let process = try #require(try connection.query("SELECT pg_backend_pid()").first).integer(0)
        let ending = try JoinableThread { [address] in Self.endSleeper(process, address: address) }
        let error = #expect(throws: SQLError.self) {
            try connection.begin(isWriting: true)
            if inCommit {
                try connection.run("INSERT INTO samples (number) VALUES (1)")
                try connection.commit()
            } else {
                _ = try connection.query("SELECT CAST(1 AS BIGINT) FROM pg_sleep(60)")
            }
        }
        #expect(ending.join() == true)
        #expect(error?.code == (inCommit ? "sql.commit-unsure" : "sql.connection-lost"))
        #expect(!connection.isOpen)
        connection.rollback()
    }

    private static func endSleeper(_ process: Int64, address: String) -> Bool {
        guard let connection = try? PostgreSQLConnection(address: address) else { return false }
        let sleeping: SQLText =
            "SELECT 1 FROM pg_stat_activity WHERE pid = CAST(? AS INTEGER) AND wait_event = 'PgSleep'"
        while let rows = try? connection.query(sleeping, [.integer(process)]) {
            guard !rows.isEmpty else { continue }
            return
                (try? connection.query("SELECT pg_terminate_backend(CAST(? AS INTEGER))", [.integer(process)]))
                != nil
        }
        return false
    }

    @Test("do not take the commit of a transaction with a failed statement for a success")
    func failedTransaction() throws {
        let connection = try connect()
        try connection.begin(isWriting: true)
        #expect(throws: SQLError(.schema)) { try connection.run("SELECT * FROM missing") }
        #expect(throws: SQLError(.refused)) { try connection.commit() }
        #expect(try connection.query("SELECT 1").count == 1)
    }
}
