import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("Opening a store")
struct OpeningTests {
    /// Expects that opening fails with a code.
    private func expect(_ code: String, _ open: () throws -> NotificationStore) {
        let error = #expect(throws: NotificationStoreError.self) { _ = try open() }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test("makes it once, and then finds it", arguments: StoreSystem.allCases)
    func making(system: StoreSystem) throws {
        let place = try TestStore(system)
        expect("store.missing") { try place.open(.write) }
        expect("store.missing") { try place.open(.read) }
        let one = try place.open(.create) { $0.program = "1.2.3" }
        let other = try place.open(.create)
        let sample = try Sample()
        #expect(one.store([try sample.test(1)]) == [.stored])
        #expect(other.store([try sample.test(1), try sample.test(2)]) == [.alreadyThere, .stored])
        _ = try place.open(.write)
        let versions = try place.connect().query(
            "SELECT version, compatible_from, program FROM store_migrations"
        )
        #expect(
            versions
                == StoreMigration.all.map {
                    SQLRow([.integer($0.version), .integer($0.compatibleFrom), .text("1.2.3")])
                }
        )
    }

    @Test("only for reading refuses to change it", arguments: StoreSystem.allCases)
    func reading(system: StoreSystem) throws {
        let place = try TestStore(system)
        let sample = try Sample()
        _ = try place.open().store([try sample.test(1)])
        let store = try place.open(.read)
        #expect(try store.everyJWS().count == 1)
        #expect(store.store([try sample.test(2)]) == [.notStored(.database(SQLError(.readOnly)))])
        #expect(throws: NotificationStoreError.database(SQLError(.readOnly))) {
            try store.setCursor(StoreCursor(position: 1), named: "a")
        }
    }

    static let files: [(name: String, bytes: [UInt8], code: String)] = [
        ("one byte", [0], "store.foreign"),
        ("a part of a header", Array("SQLite format 3\u{0}".utf8), "store.foreign"),
        ("a text", Array(repeating: 0x41, count: 5000), "sql.not-a-database"),
        (
            "a text that begins like a database",
            Array("SQLite format 3\u{0}".utf8) + Array(repeating: 0x41, count: 5000), "sql.not-a-database"
        ),
    ]

    @Test("refuses a file that is no database, and leaves it as it is", arguments: files)
    func foreignFile(row: (name: String, bytes: [UInt8], code: String)) throws {
        let place = try TestStore(.sqlite)
        try place.files.write(row.bytes, to: "store.db")
        expect(row.code) { try place.open() }
        #expect(try place.files.read("store.db") == row.bytes)
    }

    @Test("refuses somebody else's database, and leaves it as it is", arguments: StoreSystem.allCases)
    func foreignDatabase(system: StoreSystem) throws {
        let place = try TestStore(system)
        switch system {
        case .sqlite:
            let connection = try SQLiteConnection(path: place.path, SQLiteOptions(access: .create))
            try connection.run("CREATE TABLE notifications (a INTEGER)")
            let bytes = try place.files.read("store.db")
            expect("store.foreign") { try place.open() }
            try connection.run("PRAGMA application_id = 7")
            expect("store.foreign") { try place.open() }
            #expect(try place.files.read("store.db").count == bytes.count)
            #expect(try connection.query("PRAGMA journal_mode") == [SQLRow([.text("delete")])])
        case .postgreSQL:
            let connection = try place.connect()
            for name in [SQLText("notifications"), "store_migrations"] {
                try connection.run("CREATE TABLE " + name + " (a INTEGER)")
                expect("store.foreign") { try place.open() }
                try connection.run("DROP TABLE " + name)
            }
            // Tables of other names are nobody's business.
            try connection.run("CREATE TABLE others (a INTEGER)")
            _ = try place.open()
        }
    }

    @Test("refuses a directory and a file below none")
    func places() throws {
        let place = try TestStore(.sqlite)
        try place.files.makeDirectory("store.db")
        expect("store.foreign") { try place.open() }
        let options = StoreOptions(access: .create)
        expect("store.file") { try NotificationStore(StoreAddress("sqlite:/nonexistent/store.db"), options) }
    }

    @Test(
        "refuses a store of a newer program, unless that one says that this one may write",
        arguments: StoreSystem.allCases
    )
    func newer(system: StoreSystem) throws {
        let place = try TestStore(system)
        _ = try place.open()
        let connection = try place.connect()
        let insert: SQLText =
            "INSERT INTO store_migrations (version, compatible_from, applied_at, program) VALUES (?, ?, 0, '')"
        let present = try #require(StoreMigration.all.last?.version)
        try connection.run(insert, [.integer(98), .integer(present)])
        if system == .sqlite { try connection.run("PRAGMA user_version = 98") }
        #expect(try place.open(.write).store([try Sample().test(1)]) == [.stored])
        try connection.run(insert, [.integer(99), .integer(98)])
        if system == .sqlite { try connection.run("PRAGMA user_version = 99") }
        expect("store.newer") { try place.open(.write) }
        expect("store.newer") { try place.open(.create) }
        expect("store.newer") { try place.open(.read) }
    }

    @Test("refuses tables that lack a column or a unique index")
    func schemaDiffers() throws {
        for damage in [
            "DROP INDEX notifications_identity", "DROP INDEX renewals_digest",
            "ALTER TABLE transactions DROP COLUMN sku",
        ] as [SQLText] {
            let place = try TestStore(.sqlite)
            _ = try place.open()
            try place.connect().run(damage)
            expect("store.schema-differs") { try place.open(.write) }
        }
    }

    @Test("refuses a damaged file", arguments: ["cut", "overwritten", "zeroed"])
    func damaged(how: String) throws {
        let place = try TestStore(.sqlite)
        let sample = try Sample()
        do {
            let store = try place.open()
            var items: [StoreItem] = []
            for number in 0..<50 { items.append(try sample.renewed(Sample.Period(number: number))) }
            #expect(store.store(items).allSatisfy { $0 == .stored })
        }
        var bytes = try place.files.read("store.db")
        switch how {
        case "cut": bytes.removeLast(bytes.count / 2)
        case "overwritten": for index in 4096..<bytes.count { bytes[index] = 0xAA }
        default: for index in 0..<100 { bytes[index] = 0 }
        }
        try place.files.write(bytes, to: "store.db")
        expect(how == "zeroed" ? "sql.not-a-database" : "sql.corrupt") { try place.open() }
        #expect(try place.files.read("store.db") == bytes)
    }

    @Test(
        "refuses an empty or missing file beside a log, because SQLite would delete the log",
        arguments: [true, false]
    )
    func strayLog(isEmpty: Bool) throws {
        let place = try TestStore(.sqlite)
        try place.files.write("some frames", to: "store.db-wal")
        if isEmpty { try place.files.write("", to: "store.db") }
        expect("store.stray-log") { try place.open() }
        expect("store.stray-log") { try place.open(.write) }
        #expect(try place.files.read("store.db-wal") == Array("some frames".utf8))
    }

    @Test(
        "takes addresses of two kinds",
        arguments: [
            ("sqlite:/a/b.db", nil), ("postgresql:///db?host=/run", nil),
            ("postgres://user@host:5432/db", nil),
            ("postgresql://h1:5432,h2:5433/db?target_session_attrs=read-write", nil),
            ("", "store.bad-address"), ("sqlite:", "store.bad-address"),
            ("sqlite:relative", "store.bad-address"),
            ("sqlite:/a/", "store.bad-address"), ("sqlite:/a\u{0}b", "store.bad-address"),
            ("mysql://host/db", "store.bad-address"), ("postgresql://host:x%zz/db", "store.bad-address"),
            ("postgresql://user:secret@host/db", "store.password-in-address"),
            ("postgresql://host/db?password=secret", "store.password-in-address"),
        ] as [(String, String?)]
    )
    func addresses(text: String, code: String?) throws {
        guard let code else {
            #expect(try StoreAddress(text).description == text)
            return
        }
        let error = #expect(throws: NotificationStoreError.self) { try StoreAddress(text) }
        #expect(error?.code == code && error?.description.contains("secret") == false)
    }

    @Test("refuses a server that may lose what it confirmed")
    func fsyncOff() throws {
        let server = try PostgreSQLServer(settings: ["fsync=off"])
        let address = try StoreAddress(server.makeSchema())
        expect("store.fsync-off") { try NotificationStore(address, StoreOptions(access: .create)) }
        // Reading loses nothing, but there is no store yet.
        expect("store.missing") { try NotificationStore(address, StoreOptions(access: .read)) }
    }

    @Test("refuses a database that cannot keep every text")
    func serverEncoding() throws {
        let server = try PostgreSQLServer.shared()
        let database = "encoding_latin1"
        try server.command(
            "CREATE DATABASE \(database) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
            database: "postgres")
        let address = try StoreAddress(server.address(database: database))
        for access in [StoreOptions.Access.read, .write, .create] {
            expect("store.server-encoding") { try NotificationStore(address, StoreOptions(access: access)) }
        }
    }

    @Test("names what a role may not do")
    func rights() throws {
        let server = try PostgreSQLServer.shared()
        for name in ["guest", "newcomer"] {
            try server.command("CREATE ROLE \(name) LOGIN", database: "postgres")
        }
        try server.command("CREATE DATABASE lacking OWNER newcomer", database: "postgres")
        func address(_ user: String) throws -> StoreAddress {
            try StoreAddress(
                server.address(database: "lacking").replacing("user=retention", with: "user=\(user)"))
        }
        func refusal(_ user: String, _ access: StoreOptions.Access) -> String {
            let error = #expect(throws: NotificationStoreError.self) {
                _ = try NotificationStore(address(user), StoreOptions(access: access))
            }
            return "\(error?.code ?? ""): \(error?.description ?? "")"
        }
        let lock = "FUNCTION pg_advisory_xact_lock(integer, integer)"
        try server.command("REVOKE EXECUTE ON \(lock) FROM PUBLIC", database: "lacking")
        #expect(refusal("newcomer", .create).contains(#/sql\.denied.*pg_advisory_xact_lock/#))
        try server.command("GRANT EXECUTE ON \(lock) TO PUBLIC", database: "lacking")
        #expect(throws: NotificationStoreError.database(SQLError(.denied))) {
            try NotificationStore.checkAccess(address("guest"))
        }
        #expect(try !NotificationStore.checkAccess(address("newcomer")))
        _ = try NotificationStore(address("newcomer"), StoreOptions(access: .create))
        // The tables are there, so the role lacks a right, and not the store.
        #expect(refusal("guest", .read).contains(#/sql\.denied.*store_migrations/#))
        try server.command("GRANT SELECT ON store_migrations TO guest", database: "lacking")
        #expect(refusal("guest", .write).contains(#/sql\.denied.*notifications/#))
    }

    @Test("refuses a session that takes no changes, and makes commits wait for the disk")
    func serverSettings() throws {
        let place = try TestStore(.postgreSQL)
        _ = try place.open()
        let readOnly = try StoreAddress("\(place.address)%20-cdefault_transaction_read_only%3Don")
        expect("store.read-only-server") { try NotificationStore(readOnly, StoreOptions(access: .write)) }
        let careless = try StoreAddress("\(place.address)%20-csynchronous_commit%3Doff")
        let store = try NotificationStore(careless, StoreOptions(access: .write))
        #expect(try store.sessionSetting("synchronous_commit") == "on")
        let careful = try StoreAddress("\(place.address)%20-csynchronous_commit%3Dremote_apply")
        #expect(
            try NotificationStore(careful, StoreOptions(access: .write)).sessionSetting("synchronous_commit")
                == "remote_apply"
        )
    }
}
