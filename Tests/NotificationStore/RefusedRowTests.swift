import NotificationStore
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
                #expect(!error.isAboutItem && error.rowFault == nil)
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

    @Test(
        "does not hide how many there are: all are put aside until so many come in a row",
        arguments: StoreSystem.allCases
    )
    func manyRows(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open { $0.refusedRowLimit = 60 }
        try place.refuse(type: "POISON")
        let poison = try (0..<40).map { try sample.renewed(Sample.Period(number: $0), type: "POISON") }
        let sound = try (40..<42).map { try sample.renewed(Sample.Period(number: $0)) }
        #expect(codes(store.store(poison)) == ["put aside"])
        #expect(store.store([sound[0]]) == [.stored])
        // The stored one began a new count.
        #expect(codes(store.store(poison)) == ["put aside"])
        #expect(codes(store.store(poison)) == ["store.rows-refused"])
        #expect(codes(store.store([poison[0]])) == ["store.rows-refused"])
        #expect(store.store([sound[1]]) == [.stored])
        #expect(codes(store.store(poison)) == ["put aside"])
        #expect(try store.everyJWS() == sound.map(\.jws))
    }

    @Test("is not searched for when no session comes about", arguments: ["sql.denied", "sql.schema"])
    func noSession(code: String) throws {
        let server = try PostgreSQLServer.shared()
        let name = code.replacing(".", with: "_").replacing("-", with: "_") + "_later"
        try server.command("CREATE ROLE \(name) LOGIN", database: "postgres")
        try server.command("CREATE DATABASE \(name) OWNER \(name)", database: "postgres")
        let uri = server.address(database: name).replacing("user=retention", with: "user=\(name)")
        var options = StoreOptions(access: .create)
        options.refusedRowLimit = nil
        let store = try NotificationStore(StoreAddress(uri), options)
        let items = try (0..<40).map { try sample.renewed(Sample.Period(number: $0)) }
        #expect(store.store([items[0]]) == [.stored])
        let end =
            code == "sql.denied"
            ? "ALTER ROLE \(name) NOLOGIN; SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                + "WHERE usename = '\(name)'"
            : "DROP DATABASE \(name) WITH (FORCE)"
        try server.command(end, database: "postgres")
        #expect(codes(store.store(items)) == ["sql.connection-lost"])
        #expect(codes(store.store(items)) == [code])
        #expect(codes(store.store([items[1]])) == [code])
    }

    @Test(
        "is not searched for by a program that cannot wait when every row is refused",
        arguments: StoreSystem.allCases
    )
    func everyRow(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open { $0.refusedRowLimit = nil }
        try place.connect().run(
            "ALTER TABLE notifications ADD COLUMN added INTEGER CHECK (added = 1 AND added IS NOT NULL)"
        )
        let items = try (0..<40).map { try sample.renewed(Sample.Period(number: $0)) }
        for outcome in store.store(items) {
            guard case .notStored(let error) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(error.code == "store.rows-refused" && !error.isAboutItem && error.retry == .later)
        }
        // So few rows are all tried, and each has the reason of its own.
        for outcome in store.store(Array(items[..<4])) {
            guard case .notStored(let error) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(error.code == "sql.constraint" && error.rowFault?.fault == .constraint)
        }
        try place.connect().run("ALTER TABLE notifications DROP COLUMN added")
        #expect(store.store(items).allSatisfy { $0.isSettled })
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
}
