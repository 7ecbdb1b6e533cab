import NotificationStore
import SQL
import Support
import Testing

@Suite("A row that the server refuses")
struct RefusedRowTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// SQLSTATEs, and whether each says something about the values of a row.
    static let states: [(state: String, isAboutValues: Bool)] = [
        ("22001", true), ("22P02", true), ("23502", true), ("23514", true), ("44000", true), ("54000", true),
        ("P0001", true), ("0A000", false), ("25P02", false), ("26000", false), ("42501", false),
        ("53100", false),
        ("53400", false), ("54001", false), ("55000", false), ("58030", false), ("XX000", false),
        ("ZZ999", false),
    ]

    @Test(
        "is put aside when the reason is about its values; else nothing is stored until later",
        arguments: states
    )
    func reasons(row: (state: String, isAboutValues: Bool)) throws {
        let place = try TestStore(.postgreSQL)
        let store = try place.open()
        try place.refuse(type: "POISON", state: row.state)
        let items = try ["DID_RENEW", "POISON", "DID_RENEW"].enumerated().map {
            try sample.renewed(Sample.Period(number: $0.offset), type: $0.element)
        }
        let outcomes = store.store(items)
        if row.isAboutValues {
            #expect(outcomes[0] == .stored && outcomes[2] == .stored)
            guard case .notStored(let error) = outcomes[1] else {
                Issue.record("\(outcomes[1])")
                return
            }
            #expect(error.isAboutItem && error.retry == .never)
        } else {
            for outcome in outcomes {
                guard case .notStored(let error) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(!error.isAboutItem)
            }
            #expect(try store.everyJWS().isEmpty)
        }
        // The same items are stored once the reason is gone.
        try place.connect().run("DROP TRIGGER refusing ON notifications")
        #expect(store.store(items).allSatisfy { $0.isSettled })
        #expect(try store.everyJWS().count == 3)
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
