@testable import NotificationStore
import SQL
import Support
import Testing

@Suite("A row that the server refuses")
struct RefusedRowTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// What the store can say about a SQLSTATE: that it is about values, that it may be about one row, or that the database
    /// fails as a whole.
    enum Cause { case values, row, database }

    static let states: [(state: String, cause: Cause)] = [
        ("22001", .values), ("22P02", .values), ("23502", .values), ("23514", .values), ("44000", .values),
        ("54000", .values), ("P0001", .values), ("0A000", .row), ("25P02", .row), ("26000", .row),
        ("42501", .row), ("42P01", .row), ("54001", .row), ("55000", .row), ("P0002", .row), ("XX000", .row),
        ("ZZ999", .row), ("53100", .database), ("53200", .database), ("55P03", .database),
        ("57014", .database), ("58030", .database),
    ]

    @Test(
        "is put aside when the reason may be about it; else nothing is stored until later",
        arguments: states
    )
    func reasons(row: (state: String, cause: Cause)) throws {
        let place = try TestStore(.postgreSQL)
        let store = try place.open()
        try place.refuse(type: "POISON", state: row.state)
        let items = try ["DID_RENEW", "POISON", "DID_RENEW"].enumerated().map {
            try sample.renewed(Sample.Period(number: $0.offset), type: $0.element)
        }
        let outcomes = store.store(items)
        if row.cause == .database {
            for outcome in outcomes {
                guard case .notStored(let error) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(!error.isAboutItem)
            }
            #expect(try store.everyJWS().isEmpty)
        } else {
            #expect(outcomes[0] == .stored && outcomes[2] == .stored)
            guard case .notStored(let error) = outcomes[1] else {
                Issue.record("\(outcomes[1])")
                return
            }
            #expect(error.isAboutItem && error.retry == (row.cause == .values ? .never : .later))
            #expect((error.code == "store.row-refused") == (row.cause == .row))
            #expect(error.description.contains(row.state))
        }
        // The same items are stored once the reason is gone.
        try place.connect().run("DROP TRIGGER refusing ON notifications")
        #expect(store.store(items).allSatisfy { $0.isSettled })
        #expect(try store.everyJWS().count == 3)
    }

    @Test("is put aside also when it is the only one of its batch")
    func alone() throws {
        let place = try TestStore(.postgreSQL)
        let store = try place.open()
        try place.refuse(type: "POISON", state: "42501")
        let poison = try sample.renewed(Sample.Period(number: 1), type: "POISON")
        let outcomes = [store.store([poison]), store.store([poison, poison])].flatMap(\.self)
        #expect(outcomes == .init(repeating: .notStored(.rowRefused(SQLError(.denied))), count: 3))
        #expect(NotificationStoreError.rowRefused(SQLError(.denied)).isAboutItem)
    }

    /// What becomes of each row of a batch.
    private func codes(_ outcomes: [StoreOutcome]) -> Set<String> {
        Set(
            outcomes.map { outcome in
                guard case .notStored(let error) = outcome else { return "\(outcome)" }
                return error.isAboutItem ? "put aside" : error.code
            }
        )
    }

    @Test("is not searched for when no session comes about", arguments: ["sql.denied", "sql.schema"])
    func noSession(code: String) throws {
        let server = try PostgreSQLServer.shared()
        let name = code.replacing(".", with: "_").replacing("-", with: "_") + "_later"
        try server.command("CREATE ROLE \(name) LOGIN", database: "postgres")
        try server.command("CREATE DATABASE \(name) OWNER \(name)", database: "postgres")
        let uri = server.address(database: name).replacing("user=retention", with: "user=\(name)")
        let store = try NotificationStore(StoreAddress(uri), StoreOptions(access: .create))
        let items = try (0..<40).map { try sample.renewed(Sample.Period(number: $0)) }
        #expect(store.store([items[0]]) == [.stored])
        let end =
            code == "sql.denied"
            ? "ALTER ROLE \(name) NOLOGIN; SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                + "WHERE usename = '\(name)'"
            : "DROP DATABASE \(name) WITH (FORCE)"
        try server.command(end, database: "postgres")
        #expect(codes(store.store(items)) == [code])
        #expect(codes(store.store([items[1]])) == [code])
    }

    @Test("does not hold up the others, whenever the database refuses it", arguments: StoreSystem.allCases)
    func lateRefusal(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let connection = try place.connect()
        switch system {
        case .sqlite:
            // Ends the whole transaction, with its savepoints.
            try connection.run(
                """
                CREATE TRIGGER refusing BEFORE INSERT ON renewals WHEN NEW.currency = 'EUR'
                BEGIN SELECT RAISE(ROLLBACK, 'refused'); END
                """
            )
        case .postgreSQL:
            // Refuses the row at the commit.
            try connection.run(
                """
                CREATE FUNCTION refusing() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'
                """
            )
            try connection.run(
                """
                CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON renewals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
                WHEN (NEW.currency = 'EUR') EXECUTE FUNCTION refusing()
                """
            )
        }
        let items = try (0..<6).map { number in
            try sample.renewed(Sample.Period(number: number), currency: number % 3 == 1 ? "EUR" : "USD")
        }
        #expect(
            store.store(items).map { $0 == .stored ? "stored" : codes([$0]).first }
                == ["stored", "put aside", "stored", "stored", "put aside", "stored"]
        )
        #expect(try place.open(.read).everyJWS() == [0, 2, 3, 5].map { items[$0].jws })
        try connection.run(system == .sqlite ? "DROP TRIGGER refusing" : "DROP TRIGGER refusing ON renewals")
        #expect(store.store(items).allSatisfy { $0.isSettled })
    }

    /// How a database drops a row without an error.
    enum Drop: String, CaseIterable { case trigger, rule }

    @Test(
        "is noticed when it is dropped without an error, and stored once that is over",
        arguments: StoreSystem.allCases,
        ["notifications", "transactions", "renewals", "headers"]
    )
    func dropped(system: StoreSystem, table: String) throws {
        for drop in Drop.allCases where system == .postgreSQL || drop != .rule {
            let place = try TestStore(system)
            let store = try place.open()
            let end = try place.drop(table, by: drop)
            let items = [try sample.renewed(Sample.Period(number: 1)), try sample.test(2)]
            let outcomes = store.store(items)
            // A notification without parts lacks nothing in their tables.
            let isPart = table == "transactions" || table == "renewals"
            #expect(codes([outcomes[0]]) == ["put aside"], "\(drop)")
            #expect(codes([outcomes[1]]) == [isPart ? "stored" : "put aside"], "\(drop)")
            if case .notStored(let error) = outcomes[0] {
                #expect(error.code == "store.row-refused" && error.description.contains(table))
            }
            #expect(try place.open(.read).everyJWS() == (isPart ? [items[1].jws] : []))
            try end()
            #expect(store.store(items) == [.stored, isPart ? .alreadyThere : .stored])
            let reader = try place.open(.read)
            #expect(try Set(reader.everyJWS()) == Set(items.map(\.jws)))
            #expect(try reader.everyJWS(.transaction).count == 1)
        }
    }
}

extension TestStore {
    /// Makes the server refuse notifications of a type with a SQLSTATE.
    fileprivate func refuse(type: String, state: String) throws {
        let connection = try connect()
        try connection.run("CREATE TABLE refused (type TEXT, state TEXT)")
        try connection.run("INSERT INTO refused VALUES (?, ?)", [.text(type), .text(state)])
        try connection.run(
            """
            CREATE FUNCTION refusing() RETURNS TRIGGER LANGUAGE plpgsql AS
            'DECLARE code TEXT; BEGIN
                SELECT r.state INTO code FROM refused AS r WHERE r.type = NEW.type;
                IF code IS NOT NULL THEN RAISE EXCEPTION ''refused'' USING ERRCODE = code; END IF;
                RETURN NEW;
            END'
            """
        )
        try connection.run(
            "CREATE TRIGGER refusing BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION refusing()"
        )
    }

    /// Lets the database drop new rows of a table without an error. Returns what ends this.
    fileprivate func drop(_ table: String, by drop: RefusedRowTests.Drop) throws -> () throws -> Void {
        let connection = try connect()
        guard system == .postgreSQL else {
            let name = StoreTable(rawValue: table)?.name ?? "headers"
            // Rows that a trigger adds elsewhere must not count.
            try connection.run("CREATE TABLE dropped (number INTEGER)")
            try connection.run(
                "CREATE TRIGGER dropping BEFORE INSERT ON " + name
                    + " BEGIN INSERT INTO dropped VALUES (1); SELECT RAISE(IGNORE); END"
            )
            return { try connection.run("DROP TRIGGER dropping") }
        }
        let server = try PostgreSQLServer.shared()
        let schema = "\(address)".split(separator: "%3D").last ?? ""
        func run(_ sql: String) throws {
            try server.command("SET search_path = \(schema); \(sql)", database: "postgres")
        }
        switch drop {
        case .trigger:
            try run(
                """
                CREATE FUNCTION dropping() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER dropping BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION dropping()
                """
            )
            return { try run("DROP TRIGGER dropping ON \(table)") }
        case .rule:
            try run("CREATE RULE dropping AS ON INSERT TO \(table) DO INSTEAD NOTHING")
            return { try run("DROP RULE dropping ON \(table)") }
        }
    }
}
