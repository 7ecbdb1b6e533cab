import JSON
import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("retentionctl store")
struct StoreCommandTests {
    @Test("checks, counts and verifies what was imported", arguments: StoreKind.allCases)
    func sound(kind: StoreKind) throws {
        let world = try StoreWorld()
        let address = try world.filled(kind)
        let check = try world.store("check", at: address)
        switch kind {
        case .sqlite:
            #expect(check.status == 0 && check.output.contains(#/sound +true\n/#), "\(check.errors)")
        case .postgreSQL: #expect(check.status == 64 && check.errors.contains("store.only-sqlite"))
        }
        let root = try Tool.document(try world.store("stats", "--json", at: address)).root
        #expect(root.member("notifications")?.int64 == 60 && root.member("bytes")?.int64 ?? 0 > 0)
        #expect(root.member("transactions")?.int64 ?? 0 > 0 && root.member("faults")?.int64 == 0)
        let kinds = (root.member("kinds")?.elements ?? []).compactMap { $0.member("count")?.int64 }
        #expect(kinds.reduce(0, +) == 60 && kinds.count > 10)
        let all = try Tool.run(
            ["store", "check", "--signatures", "--json", "--store", address] + world.anchors)
        #expect(all.status == 0, "\(all.output)")
        let verified = try Tool.document(all).root.member("verified")
        #expect(verified?.member("notification")?.int64 == 60)
        #expect(verified?.member("transaction")?.int64 == root.member("transactions")?.int64)
        #expect(verified?.member("renewal")?.int64 == root.member("renewals")?.int64)
        let some = try Tool.run(
            ["store", "check", "--signatures", "--sample", "7", "--json", "--store", address] + world.anchors
        )
        #expect(some.status == 0, "\(some.output)")
        let count = try Tool.document(some).root.member("verified")?.member("notification")?.int64
        #expect((1...7).contains(count ?? 0))
        // Apple's roots vouch for none of them.
        let apple = try world.store("check", "--signatures", "--json", at: address)
        #expect(apple.status == 1)
        #expect(try Tool.document(apple).root.member("verified")?.member("notification")?.int64 == 0)
    }

    @Test("finds a payload, a signature and an owner that were changed in the database")
    func tampered() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let connection = try SQLiteConnection(
            path: world.folder.path(of: "store.db"), SQLiteOptions(access: .write))
        try connection.run("UPDATE notifications SET signature = zeroblob(64) WHERE id = 3")
        try connection.run("UPDATE notifications SET app = 'com.example.thief' WHERE id = 5")
        try connection.run("UPDATE transactions SET payload = CAST('{}' AS BLOB) WHERE id = 2")
        try connection.run("UPDATE renewals SET environment = 'Production' WHERE id = 1")
        let run = try Tool.run(
            ["store", "check", "--signatures", "--json", "--store", address] + world.anchors)
        #expect(run.status == 1)
        let failures = try Tool.document(run).root.member("failures")?.elements ?? []
        let found = failures.map { failure in
            [
                failure.member("kind")?.string ?? "", String(failure.member("id")?.int64 ?? 0),
                failure.member("code")?.string ?? "",
            ].joined(separator: " ")
        }
        #expect(found.contains("notification 3 signature-invalid"), "\(found)")
        #expect(found.contains("notification 5 store.row-differs"), "\(found)")
        #expect(found.contains("transaction 2 store.incomplete-row"), "\(found)")
        #expect(found.contains("renewal 1 environment-differs"), "\(found)")
    }

    @Test("copies a store to a sound file while another program writes")
    func backup() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 40)
        let more = try world.bodies(40..<240, to: "more")
        let words = ["store", "import", more, "--store", address] + world.trust
        let writer = try JoinableThread { (try? Tool.run(words).status) ?? -1 }
        var copies: [String] = []
        for number in 0..<4 {
            let path = world.folder.path(of: "copy\(number).db")
            let run = try world.store("backup", path, at: address)
            #expect(run.status == 0, "\(run.errors)")
            copies.append("sqlite:\(path)")
        }
        #expect(writer.join() == 0)
        for copy in copies {
            #expect(try world.store("check", at: copy).status == 0)
            let verify = try Tool.run(["store", "check", "--signatures", "--store", copy] + world.anchors)
            #expect(verify.status == 0, "\(verify.output)")
        }
        let again = try world.store("backup", world.folder.path(of: "copy0.db"), at: address)
        #expect(again.status == 65 && again.errors.contains("store.exists"))
    }

    @Test("prunes what is old, but nothing that facts need or that was not passed on yet")
    func prune() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite)
        let young = try world.store("prune", "--confirm", "--days", "1", at: address)
        #expect(young.status == 0 && young.output.contains(#/deleted +0\n/#), "\(young.errors)")
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        try store.setCursor(StoreCursor(position: 10), named: "forward:example.com#1")
        let first = try world.store(
            "prune", "--confirm", "--before", "2100-01-01T00:00:00Z", "--json", at: address)
        let firstCount = try Tool.document(first).root.member("deleted")?.int64 ?? 0
        #expect((1...10).contains(firstCount))
        #expect(try store.notifications(NotificationFilter(), StorePage(after: 10)).rows.count == 50)
        try store.removeCursor(named: "forward:example.com#1")
        let all = try world.store(
            "prune", "--confirm", "--before", "2100-01-01T00:00:00Z", "--keep-type", "TEST", at: address)
        #expect(all.status == 0)
        let types = Set(try store.notifications().rows.compactMap(\.columns.type))
        let needed: Set = [
            "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS",
            "DID_FAIL_TO_RENEW", "DID_RENEW", "EXPIRED",
            "GRACE_PERIOD_EXPIRED", "OFFER_REDEEMED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
            "REVOKE",
            "SUBSCRIBED", "TEST",
        ]
        #expect(!types.isEmpty && types.isSubset(of: needed), "\(types)")
        let changes = try store.notifications().rows.filter { $0.columns.type == "DID_CHANGE_RENEWAL_PREF" }
        #expect(changes.allSatisfy { $0.columns.subtype == "INCREASE_QUANTITY" })
        // Of the renewals only those stay that show when Apple collected a price late.
        let renewals = try store.notifications().rows.filter { $0.columns.type == "DID_RENEW" }
        #expect(renewals.allSatisfy { $0.columns.subtype == "BILLING_RECOVERY" })
        let stats = try Tool.document(try world.store("stats", "--json", at: address)).root
        #expect(stats.member("transactions")?.int64 ?? 0 > 0)
    }

    @Test("says that there is nothing to migrate")
    func migrate() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 3)
        let run = try world.store("migrate", "--json", at: address)
        let present = StoreMigration.all.count
        #expect(
            run.status == 0 && run.output == "{\"from\":\(present),\"to\":\(present)}\n", "\(run.errors)")
    }

    /// The subcommands with the arguments that they need.
    static let commands: [[String]] = [
        ["check"], ["stats"], ["check", "--signatures"], ["backup", "/nonexistent/copy.db"], ["export"],
        ["migrate"],
        ["erase", "--subscriber", "1", "--confirm"], ["prune", "--confirm", "--days", "1"],
    ]

    @Test("refuses files that are broken, foreign or newer, and leaves them as they are", arguments: commands)
    func refused(command: [String]) throws {
        let world = try StoreWorld()
        try Self.makeBadFiles(world)
        for (name, code) in [
            ("text.db", "store.foreign"), ("noise.db", "sql.not-a-database"), ("foreign.db", "store.foreign"),
            ("newer.db", "store.newer"),
        ] {
            let before = try world.folder.read(name)
            let run = try Tool.run(
                ["store"] + command + ["--store", "sqlite:\(world.folder.path(of: name))"])
            #expect(run.status == 65 && run.errors.contains(code), "\(name) \(run.status) \(run.errors)")
            #expect(try world.folder.read(name) == before, "\(name)")
        }
        let path = world.folder.path(of: "missing.db")
        let missing = try Tool.run(["store"] + command + ["--store", "sqlite:\(path)"])
        #expect(missing.status == 65 && missing.errors.contains("store.missing"), "\(missing.errors)")
        let nowhere = try Tool.run(["store"] + command + ["--store", "sqlite:/nonexistent/store.db"])
        #expect(
            nowhere.status == 65 && nowhere.errors.contains("the directory /nonexistent"), "\(nowhere.errors)"
        )
    }

    /// Makes files that are no store of this release.
    private static func makeBadFiles(_ world: StoreWorld) throws {
        try world.folder.write("This is no database, although it is long enough.", to: "text.db")
        try world.folder.write([UInt8](repeating: 0x41, count: 8192), to: "noise.db")
        for (name, statements) in [
            ("foreign.db", ["CREATE TABLE a (b)"]),
            (
                "newer.db",
                [
                    "INSERT INTO store_migrations VALUES (99, 99, 0, '9.9')", "PRAGMA user_version = 99",
                    "PRAGMA wal_checkpoint(TRUNCATE)",
                ] as [SQLText]
            ),
        ] {
            if name == "newer.db" {
                let path = world.folder.path(of: name)
                _ = try NotificationStore(StoreAddress("sqlite:\(path)"), StoreOptions(access: .create))
            }
            let connection = try SQLiteConnection(
                path: world.folder.path(of: name), SQLiteOptions(access: .create))
            for statement in statements { _ = try connection.query(statement) }
        }
    }

    @Test("prints no password, and takes none in an address")
    func secrets() throws {
        let addresses: [(text: String, code: String)] = [
            ("postgresql://retention:hunter2@127.0.0.1/db", "store.password-in-address"),
            ("postgresql://127.0.0.1/db?user=a&password=hunter2", "store.password-in-address"),
            ("postgresql://127.0.0.1:1/db?connect_timeout=1", "sql.unreachable"),
            ("mysql://hunter2@db/x", "store.bad-address"),
            ("sqlite:relative/hunter2.db", "store.bad-address"),
            ("hunter2", "store.bad-address"),
        ]
        for (text, code) in addresses {
            for json in [[], ["--json"]] {
                let run = try Tool.run(["store", "stats", "--store", text] + json)
                #expect((run.errors + run.output).contains(code), "\(run.errors)\(run.output)")
                #expect(run.status == (code == "sql.unreachable" ? 69 : 64))
                #expect(!(run.errors + run.output).contains("hunter2"))
            }
        }
        let run = try Tool.run(["store", "stats"])
        #expect(run.status == 64 && run.errors.contains("store.not-named"))
    }

    @Test("reads the password of a server from a passfile, and says when the server refuses it")
    func passfile() throws {
        let world = try StoreWorld()
        let server = try PostgreSQLServer(settings: ["password_encryption=scram-sha-256"])
        try server.command(
            "CREATE ROLE reader LOGIN SUPERUSER PASSWORD 'correct horse'", database: "postgres")
        let file = try server.command("SHOW hba_file", database: "postgres").split(separator: "\n")[0]
        let rules = "VALUES ('local all reader scram-sha-256'), ('local all all trust')"
        try server.command("COPY (\(rules)) TO '\(file)'", database: "postgres")
        server.stop(.interrupt)
        try server.start()
        let address = server.address(database: "postgres").replacing("user=retention", with: "user=reader")
        try world.folder.write("*:*:*:reader:correct horse\n", to: "pass", permissions: 0o600)
        let body = try world.bodies(0..<3)
        let words = ["store", "import", body, "--store"]
        let passed = try Tool.run(
            words + ["\(address)&passfile=\(world.folder.path(of: "pass"))"] + world.trust
        )
        #expect(passed.status == 0, "\(passed.errors)")
        try world.folder.write("*:*:*:reader:wrong horse\n", to: "wrong", permissions: 0o600)
        for path in ["wrong", "missing"] {
            let run = try Tool.run(
                words + ["\(address)&passfile=\(world.folder.path(of: path))"] + world.trust
            )
            #expect(run.status != 0 && run.errors.contains("error: sql."), "\(run.errors)")
            #expect(!run.errors.contains("horse"))
        }
    }
}
