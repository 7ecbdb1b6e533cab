import SQL
import Support
import Testing

@Suite("A connection to a database")
struct ConnectionTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test("gives back every value as it was stored", arguments: System.allCases)
    func values(system: System) throws {
        let connection = try TestDatabase(system, in: folder).connect()
        try connection.makeSamples()
        let rows: [[SQLValue]] = [
            [.integer(0), .double(0), .text(""), .bytes([])],
            [.integer(.max), .double(.greatestFiniteMagnitude), .text("Zoë 👩🏽‍🔧 '; --"), .bytes([0, 1, 255])],
            [
                .integer(.min), .double(-1.5e-300), .text("$1 ? %s \\ \n"),
                .bytes(Array(repeating: 0, count: 100_000)),
            ],
            [
                .integer(-1), .double(0.1), .text(String(repeating: "x", count: 70_000)),
                .bytes(Array(0...255)),
            ],
            [.null, .null, .null, .null],
        ]
        let insert: SQLText = "INSERT INTO samples (number, ratio, name, data) VALUES (?, ?, ?, ?)"
        #expect(try connection.run(insert, forEach: rows) == [1, 1, 1, 1, 1])
        for row in rows.dropLast() {
            let found = try connection.query("SELECT * FROM samples WHERE number = ?", [row[0]])
            #expect(found == [SQLRow(row)])
        }
        #expect(try connection.query("SELECT * FROM samples WHERE number IS NULL") == [SQLRow(rows[4])])
    }

    @Test("sees in a transaction what others commit meanwhile, whatever the server's default is")
    func isolation() throws {
        let database = try TestDatabase(.postgreSQL, in: folder)
        let (connection, other) = (try database.connect(), try database.connect())
        try connection.makeSamples()
        try connection.run("SET default_transaction_isolation = 'repeatable read'")
        for (number, isWriting) in [true, false].enumerated() {
            try connection.begin(isWriting: isWriting)
            #expect(try connection.numbers().count == number)
            try other.run("INSERT INTO samples (number) VALUES (?)", [.integer(Int64(number))])
            #expect(try connection.numbers().count == number + 1)
            try connection.commit()
        }
        try connection.begin(isWriting: false)
        #expect(throws: SQLError.self) { try connection.run("DELETE FROM samples") }
        connection.rollback()
    }

    @Test("keeps nothing of a transaction that fails, and can be used on", arguments: System.allCases)
    func failure(system: System) throws {
        let database = try TestDatabase(system, in: folder)
        let connection = try database.connect()
        try connection.makeSamples()
        let insert: SQLText = "INSERT INTO samples (number) VALUES (?)"
        let error = #expect(throws: SQLError.self) {
            try connection.transaction { () throws(SQLError) in
                try connection.run(insert, forEach: [1, 2, 2, 3].map { [.integer($0)] })
            }
        }
        #expect(error?.code == "sql.constraint" && error?.fault.retry == .never)
        #expect(try connection.numbers().isEmpty)
        try connection.transaction { () throws(SQLError) in
            try connection.run(insert, forEach: [4, 5].map { [.integer($0)] })
        }
        #expect(try database.connect().numbers() == [4, 5])
    }

    @Test(
        "refuses wrong statements and values with a stable code",
        arguments: System.allCases,
        [
            ("SELECT * FROM missing", [], "sql.schema"),
            ("SELECT missing FROM samples", [], "sql.schema"),
            ("SELEKT", [], "sql.schema"),
            (
                "INSERT INTO samples (number) VALUES (?) ON CONFLICT (name) DO NOTHING", [.integer(1)],
                "sql.schema"
            ),
            ("INSERT INTO samples (number) VALUES (7)", [], "sql.constraint"),
        ] as [(SQLText, [SQLValue], String)]
    )
    func refusals(system: System, row: (text: SQLText, values: [SQLValue], code: String)) throws {
        let connection = try TestDatabase(system, in: folder).connect()
        try connection.makeSamples()
        try connection.run("INSERT INTO samples (number) VALUES (7)")
        let error = #expect(throws: SQLError.self) { try connection.run(row.text, row.values) }
        #expect(error?.code == row.code, "\(String(describing: error))")
        #expect(try connection.numbers() == [7])
    }

    @Test("reads a column only as the type that it has")
    func types() throws {
        let row = SQLRow([.integer(1), .text("a"), .null])
        #expect(try row.integer(0) == 1 && row.text(1) == "a" && row.optionalBytes(2) == nil)
        for column in [1, 2, 3, -1] { #expect(throws: SQLError(.wrongType)) { try row.integer(column) } }
        for column in [0, 2, 3, -1] { #expect(throws: SQLError(.wrongType)) { try row.text(column) } }
    }
}
