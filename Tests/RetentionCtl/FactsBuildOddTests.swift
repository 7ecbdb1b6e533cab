import JSON
import SQL
import Support
import Testing

@Suite("retentionctl facts build with odd subscribers", .timeLimit(.minutes(5)))
struct FactsBuildOddTests {
    @Test("leaves the file as it is when no identifier of a subscriber is a number")
    func unusableKeys() throws {
        let world = try FactsBuildWorld(.sqlite, count: 4)
        let old = try world.built().bytes
        let file = try SQLiteConnection(
            path: String(world.address.dropFirst("sqlite:".count)),
            SQLiteOptions(access: .write)
        )
        for table: SQLText in ["transactions", "renewals", "notifications"] {
            try file.run("UPDATE " + table + " SET original_transaction_id = 'x' || original_transaction_id")
        }
        let refused = try world.build(["--full"])
        #expect(refused.status == 65 && refused.errors.contains("error: facts.empty"), "\(refused.errors)")
        #expect(refused.errors.contains("only 4 whose identifier is no number"), "\(refused.errors)")
        #expect(try world.store.folder.read("app.facts") == old)
        let run = try world.build(["--allow-empty"])
        #expect(run.status == 0 && run.errors.contains("warning: facts.unusable-keys"), "\(run.errors)")
        #expect(!run.errors.contains("facts.no-subscribers"), "\(run.errors)")
    }

    @Test("leaves the file as it is when all subscribers have too many rows, and says so")
    func allTooLarge() throws {
        let world = try FactsBuildWorld(.sqlite, count: 2)
        let old = try world.built().bytes
        let file = try SQLiteConnection(
            path: String(world.address.dropFirst("sqlite:".count)),
            SQLiteOptions(access: .write)
        )
        try file.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
            INSERT INTO notifications (app, environment, uuid, source, received_at, original_transaction_id)
            SELECT 'com.example.app', 'Sandbox', 'many' || i || ':' || id, 'push', 0, id
            FROM (SELECT DISTINCT original_transaction_id AS id FROM transactions), n
            """
        )
        let refused = try world.build()
        #expect(refused.status == 65 && refused.errors.contains("error: facts.empty"), "\(refused.errors)")
        #expect(refused.errors.contains("with more than 10000"), "\(refused.errors)")
        #expect(try world.store.folder.read("app.facts") == old)
        let run = try world.build(["--allow-empty"])
        #expect(run.status == 0 && run.errors.contains("warning: facts.too-many-rows"), "\(run.errors)")
        #expect(!run.errors.contains("facts.no-subscribers"), "\(run.errors)")
    }

    @Test("warns of subscribers who have too many rows, and knows all others")
    func tooManyRows() throws {
        let world = try FactsBuildWorld(.sqlite)
        _ = try world.built()
        let all = try world.rows()
        let id = String(StoreWorld.subscription(2))
        let file = try SQLiteConnection(
            path: String(world.address.dropFirst("sqlite:".count)),
            SQLiteOptions(access: .write)
        )
        try file.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO notifications (app, environment, uuid, source, received_at, original_transaction_id)
            SELECT 'com.example.app', 'Sandbox', 'many' || i, 'push', 0, ? FROM n
            """,
            [.text(id)]
        )
        let run = try world.build()
        #expect(run.status == 0 && run.errors.contains("warning: facts.too-many-rows"), "\(run.errors)")
        #expect(try world.rows().keys.sorted() == all.keys.filter { $0 != id }.sorted())
        // Also in a build that derives nobody.
        for words in [[], ["--full"]] {
            #expect(try world.built(words).report.root.member("tooManyRows")?.int64 == 1)
        }
        let story = try Tool.run([
            "subscriptions", "show", id, "--app", "com.example.app", "--environment", "Sandbox", "--store",
            world.address,
        ])
        #expect(story.status != 0 && story.errors.contains("store.too-many-rows"), "\(story.errors)")
    }

    /// Lets some subscribers' transactions have another number at each look, and name a subscription before a move. So nobody
    /// finds those again from which a state was derived, as beside an erasure that deletes them.
    private func makeRestless(_ condition: SQLText, in world: FactsBuildWorld) throws {
        let connection = try PostgreSQLConnection(address: world.address)
        for statement: SQLText in [
            "UPDATE transactions SET previous_original_transaction_id = '1' WHERE " + condition,
            "ALTER TABLE transactions RENAME TO kept", "ALTER TABLE kept RENAME COLUMN id TO number",
            "CREATE SEQUENCE looks START WITH 1000000000",
            "CREATE VIEW transactions AS SELECT CASE WHEN " + condition
                + " THEN nextval('looks') ELSE number END AS id, * FROM kept",
        ] { try connection.run(statement) }
    }

    @Test("warns of subscribers whose histories an erasure changes at each look, and knows all others")
    func outdated() throws {
        let world = try FactsBuildWorld(.postgreSQL)
        _ = try world.built()
        let all = try world.rows()
        let id = StoreWorld.subscription(2)
        try makeRestless("original_transaction_id = '2000000502000'", in: world)
        #expect(id == 2_000_000_502_000)
        let run = try world.build(["--full"])
        #expect(run.status == 0 && run.errors.contains("warning: facts.outdated"), "\(run.errors)")
        #expect(run.errors.contains("the histories of 1 subscribers"), "\(run.errors)")
        #expect(try world.rows().keys.sorted() == all.keys.filter { $0 != String(id) }.sorted())
        #expect(try world.built().report.root.member("outdated")?.int64 == 1)
    }

    @Test("leaves the file as it is when an erasure changes the histories of all subscribers, and says so")
    func allOutdated() throws {
        let world = try FactsBuildWorld(.postgreSQL, count: 10)
        let old = try world.built().bytes
        try makeRestless("original_transaction_id IS NOT NULL", in: world)
        let refused = try world.build(["--full"])
        #expect(refused.status == 65 && refused.errors.contains("error: facts.empty"), "\(refused.errors)")
        #expect(refused.errors.contains("an erasure beside the build"), "\(refused.errors)")
        #expect(try world.store.folder.read("app.facts") == old)
        let run = try world.build(["--allow-empty"])
        #expect(run.status == 0 && run.errors.contains("warning: facts.outdated"), "\(run.errors)")
        #expect(!run.errors.contains("facts.no-subscribers"), "\(run.errors)")
    }
}
