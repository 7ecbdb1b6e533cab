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

    @Test("is not searched for when every row is refused", arguments: StoreSystem.allCases)
    func everyRow(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
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
