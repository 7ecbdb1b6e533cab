import SQL
import Support
import Testing

@Suite("The row on which a statement stands")
struct CurrentRowTests {
    private let folder: TemporaryDirectory
    private static let long = String(repeating: "Zoë ", count: 10)
    private static let rows: [[SQLValue]] = [
        [.integer(1), .double(0.5), .text(""), .bytes([])],
        [.integer(2), .null, .text(long), .bytes([0, 255])],
        [.integer(3), .null, .text(long), .null],
        [.integer(4), .null, .text(String(long.dropLast()) + "x"), .null],
        [.integer(5), .null, .null, .null],
        [.integer(6), .null, .text("short"), .null],
        [.integer(7), .null, .text(long), .null],
    ]

    init() throws { folder = try TemporaryDirectory() }

    private func filled(_ system: System) throws -> any SQLConnection {
        let connection = try TestDatabase(system, in: folder).connect()
        try connection.makeSamples()
        try connection.run(
            "INSERT INTO samples (number, ratio, name, data) VALUES (?, ?, ?, ?)", forEach: Self.rows)
        return connection
    }

    private static let text: SQLText =
        "SELECT number, ratio, name, data FROM samples WHERE number > ? ORDER BY number"

    @Test("has the values of a copied row", arguments: System.allCases)
    func values(system: System) throws {
        let connection = try filled(system)
        var read: [[SQLValue]] = []
        try connection.read(Self.text, [.integer(0)]) { row throws(SQLError) in
            read.append([
                .integer(try row.integer(0)), .null, SQLValue(try row.optionalText(2)),
                SQLValue(try row.optionalBytes(3)),
            ])
        }
        let copied = try connection.query(Self.text, [.integer(0)])
        #expect(copied.map(\.values) == Self.rows)
        #expect(read == Self.rows.map { [$0[0], .null, $0[2], $0[3]] })
    }

    @Test("has no value of another type, and no other columns", arguments: System.allCases)
    func wrongTypes(system: System) throws {
        let connection = try filled(system)
        var count = 0
        try connection.read(Self.text, [.integer(0)]) { row throws(SQLError) in
            count += 1
            guard count == 1 else { return }
            let wrong: [() throws -> Void] = [
                { _ = try row.text(0) }, { _ = try row.bytes(0) }, { _ = try row.integer(1) },
                { _ = try row.text(1) }, { _ = try row.integer(2) }, { _ = try row.bytes(2) },
                { _ = try row.integer(3) }, { _ = try row.text(3) }, { _ = try row.integer(-1) },
                { _ = try row.optionalText(4) }, { _ = try row.optionalBytes(99) },
                { _ = try row.optionalInteger(-99) },
            ]
            for ask in wrong { #expect(throws: SQLError(.wrongType)) { try ask() } }
        }
        #expect(count == Self.rows.count)
        try connection.read(Self.text, [.integer(4)]) { row throws(SQLError) in
            guard try row.integer(0) == 5 else { return }
            #expect(throws: SQLError(.wrongType)) { try row.text(2) }
            #expect(try row.optionalText(2) == nil)
        }
    }

    @Test("ends with an error of its reader, after which the connection goes on", arguments: System.allCases)
    func failure(system: System) throws {
        let connection = try filled(system)
        var kept: SQLCurrentRow?
        for _ in 0..<2 {
            var count = 0
            #expect(throws: SQLError(.wrongType)) {
                try connection.read(Self.text, [.integer(0)]) { row throws(SQLError) in
                    count += 1
                    kept = row
                    _ = try row.integer(2)
                }
            }
            #expect(count == 1)
            #expect(try connection.query(Self.text, [.integer(5)]).count == 2)
        }
        // A row that somebody keeps has no columns any more.
        let row = try #require(kept)
        #expect(throws: SQLError(.wrongType)) { try row.optionalInteger(0) }
        #expect(throws: SQLError(.wrongType)) { try row.optionalText(2) }
    }
}
