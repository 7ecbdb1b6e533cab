@testable import NotificationStore
import SQL
import Support
import Testing

@Suite("Migrating a store")
struct MigrationTests {
    private static let present = StoreMigration.all.last?.version ?? 0
    private static let next = present + 1

    private static let second = StoreMigration(
        version: next,
        compatibleFrom: 2,
        statements: [
            "ALTER TABLE notifications ADD COLUMN remark TEXT",
            """
            -- Remarks of people.
            CREATE TABLE remarks (
                -- Number of the remark.
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                -- Its text, with 'quotes'.
                text BLOB NOT NULL
            ) STRICT;
            """,
        ],
        mark: "PRAGMA user_version = 99"
    )

    private func later(_ options: inout StoreOptions) {
        options.migrations = StoreMigration.all + [Self.second]
    }

    @Test("adds what is new, and lets programs of the version before go on", arguments: StoreSystem.allCases)
    func adding(system: StoreSystem) throws {
        let place = try TestStore(system)
        let sample = try Sample()
        let old = try place.open()
        #expect(old.store([try sample.test(1)]) == [.stored])
        #expect(throws: NotificationStoreError.outdated(version: Self.present)) {
            try place.open(.write, later)
        }
        var options = StoreOptions(access: .write)
        later(&options)
        let first = try NotificationStore.migrate(place.address, options)
        #expect(first == (Self.present, Self.next))
        let again = try NotificationStore.migrate(place.address, options)
        #expect(again == (Self.next, Self.next))
        let new = try place.open(.write, later)
        #expect(new.store([try sample.test(2)]) == [.stored])
        #expect(old.store([try sample.test(2), try sample.test(3)]) == [.alreadyThere, .stored])
        #expect(try place.open(.write).store([try sample.test(4)]) == [.stored])
        #expect(try new.everyJWS().count == 4)
        #expect(try place.number("SELECT COUNT(*) FROM remarks") == 0)
    }

    @Test("keeps nothing of a migration that fails")
    func failing() throws {
        let place = try TestStore(.sqlite)
        _ = try place.open()
        var options = StoreOptions(access: .write)
        let broken = StoreMigration(
            version: Self.next, compatibleFrom: 2,
            statements: Self.second.statements + ["ALTER TABLE missing ADD COLUMN a TEXT"],
            mark: "PRAGMA user_version = 99")
        options.migrations = StoreMigration.all + [broken]
        #expect(throws: NotificationStoreError.database(SQLError(.schema))) {
            _ = try NotificationStore.migrate(place.address, options)
        }
        let store = try place.open(.write)
        #expect(store.store([try Sample().test(1)]) == [.stored])
        #expect(try place.number("SELECT MAX(version) FROM store_migrations") == Self.present)
    }

    @Test("takes the facts out that version 1 kept")
    func keptFacts() throws {
        let place = try TestStore(.sqlite)
        let sample = try Sample()
        #expect(try place.open().store([sample.test(1)]) == [.stored])
        let connection = try place.connect()
        try connection.run("CREATE TABLE subscriber_states (app TEXT NOT NULL, state TEXT)")
        try connection.run("INSERT INTO subscriber_states VALUES ('a', 'b')")
        try connection.run(
            "INSERT INTO cursors VALUES ('facts:Sandbox:a', 1, NULL, 0), ('forward:a', 1, NULL, 0)"
        )
        for drop: SQLText in [
            "DROP TABLE set_aside", "DROP TABLE decisions", "DROP TABLE decision_draws",
            "DROP TABLE decision_rules", "DROP TABLE decision_instances",
        ] {
            try connection.run(drop)
        }
        for table in StoreTable.allCases {
            for column in table.payload.later {
                try connection.run("ALTER TABLE " + table.name + " DROP COLUMN " + column.name)
            }
        }
        try connection.run("DELETE FROM store_migrations WHERE version > 1")
        try connection.run("PRAGMA user_version = 1")
        #expect(throws: NotificationStoreError.outdated(version: 1)) { try place.open(.write) }
        let versions = try NotificationStore.migrate(place.address, StoreOptions(access: .write))
        #expect(versions == (1, Self.present))
        #expect(throws: SQLError.self) { try connection.query("SELECT * FROM subscriber_states") }
        let store = try place.open(.write)
        #expect(try store.cursorNames() == ["forward:a"])
        #expect(try store.store([sample.test(1), sample.test(2)]) == [.alreadyThere, .stored])
    }

    @Test("begins with the tables of version 1, which never change")
    func first() throws {
        let text = StoreSchema.version1.map { "\($0)\n" }.joined()
        try GoldenFile.check(text, "Tests/NotificationStore/Golden/schema.txt")
    }

    @Test("has documentation for every column, which the database keeps", arguments: StoreSystem.allCases)
    func documentation(system: StoreSystem) throws {
        let place = try TestStore(system)
        _ = try place.open()
        let connection = try place.connect()
        let tables = StoreSchema.tables
        #expect(tables.count == 16)
        for table in tables {
            #expect(
                !table.meaning.isEmpty && table.columns.allSatisfy { !$0.meaning.isEmpty },
                "\(table.name)"
            )
            switch system {
            case .sqlite:
                let columns = try connection.query(
                    "SELECT name FROM pragma_table_info(?)", [.text(table.name)])
                #expect(columns == table.columns.map { SQLRow([.text($0.name)]) })
            case .postgreSQL:
                let columns = try connection.query(
                    """
                    SELECT a.attname, col_description(a.attrelid, a.attnum) FROM pg_attribute AS a
                    WHERE a.attrelid = CAST(CAST(? AS TEXT) AS regclass) AND a.attnum > 0 ORDER BY a.attnum
                    """,
                    [.text(table.name)]
                )
                #expect(columns == table.columns.map { SQLRow([.text($0.name), .text($0.meaning)]) })
            }
        }
    }
}
