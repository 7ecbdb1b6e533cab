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
        ("22001", .values), ("23514", .values), ("P0001", .values), ("0A000", .row), ("42501", .row),
        ("XX000", .row), ("53100", .database), ("57014", .database),
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

    private func codes(_ outcomes: [StoreOutcome]) -> Set<String> {
        Set(
            outcomes.map { outcome in
                guard case .notStored(let error) = outcome else { return "\(outcome)" }
                return error.isAboutItem ? "put aside" : error.code
            }
        )
    }

    @Test("does not hold up the others when it ends the whole transaction, with its savepoints")
    func lateRefusal() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let connection = try place.connect()
        try connection.run(
            """
            CREATE TRIGGER refusing BEFORE INSERT ON renewals WHEN NEW.currency = 'EUR'
            BEGIN SELECT RAISE(ROLLBACK, 'refused'); END
            """
        )
        let items = try (0..<6).map { number in
            try sample.renewed(Sample.Period(number: number), currency: number % 3 == 1 ? "EUR" : "USD")
        }
        #expect(
            store.store(items).map { $0 == .stored ? "stored" : codes([$0]).first }
                == ["stored", "put aside", "stored", "stored", "put aside", "stored"]
        )
        #expect(try place.open(.read).everyJWS() == [0, 2, 3, 5].map { items[$0].jws })
        try connection.run("DROP TRIGGER refusing")
        #expect(store.store(items).allSatisfy { $0.isSettled })
    }

    @Test(
        "is noticed when it is dropped without an error, and stored once that is over",
        arguments: ["notifications", "transactions", "renewals", "headers"]
    )
    func dropped(table: String) throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let connection = try place.connect()
        let name = StoreTable(rawValue: table)?.name ?? "headers"
        // Rows that a trigger adds elsewhere must not count.
        try connection.run("CREATE TABLE dropped (number INTEGER)")
        try connection.run(
            "CREATE TRIGGER dropping BEFORE INSERT ON " + name
                + " BEGIN INSERT INTO dropped VALUES (1); SELECT RAISE(IGNORE); END"
        )
        let items = [try sample.renewed(Sample.Period(number: 1)), try sample.test(2)]
        let outcomes = store.store(items)
        // A notification without parts lacks nothing in their tables.
        let isPart = table == "transactions" || table == "renewals"
        #expect(codes([outcomes[0]]) == ["put aside"])
        #expect(codes([outcomes[1]]) == [isPart ? "stored" : "put aside"])
        if case .notStored(let error) = outcomes[0] {
            #expect(error.code == "store.row-refused" && error.description.contains(table))
        }
        #expect(try place.open(.read).everyJWS() == (isPart ? [items[1].jws] : []))
        try connection.run("DROP TRIGGER dropping")
        #expect(store.store(items) == [.stored, isPart ? .alreadyThere : .stored])
        #expect(try Set(place.open(.read).everyJWS()) == Set(items.map(\.jws)))
    }
}

extension TestStore {
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
