import JSON
import SQL
import Support
import Testing

@Suite("retentionctl facts build with odd subscribers")
struct FactsBuildOddTests {
    @Test("leaves the file as it is when no identifier of a subscriber is a number")
    func unusableKeys() throws {
        let world = try FactsBuildWorld(.sqlite, count: 4)
        let old = try world.built().bytes
        let file = try SQLiteConnection(
            path: String(world.address.dropFirst("sqlite:".count)), SQLiteOptions(access: .write))
        for table: SQLText in ["transactions", "renewals", "notifications"] {
            try file.run("UPDATE " + table + " SET original_transaction_id = 'x' || original_transaction_id")
        }
        let refused = try world.build()
        #expect(refused.status == 65 && refused.errors.contains("error: facts.empty"), "\(refused.errors)")
        #expect(
            refused.errors.contains("4 subscribers have an identifier that is no number"), "\(refused.errors)"
        )
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
            path: String(world.address.dropFirst("sqlite:".count)), SQLiteOptions(access: .write))
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
        #expect(refused.errors.contains("have more than 10000"), "\(refused.errors)")
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
            path: String(world.address.dropFirst("sqlite:".count)), SQLiteOptions(access: .write))
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
        #expect(try world.built().report.root.member("tooManyRows")?.int64 == 1)
        let story = try Tool.run([
            "subscriptions", "show", id, "--bundle-id", "com.example.app", "--environment", "Sandbox",
            "--store",
            world.address,
        ])
        #expect(story.status != 0 && story.errors.contains("store.too-many-rows"), "\(story.errors)")
    }
}
