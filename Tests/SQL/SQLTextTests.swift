import SQL
import Support
import Testing

@Suite("The text of a statement")
struct SQLTextTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test("is made of literals alone")
    func literals() {
        let columns: [SQLText] = ["one", "two"]
        let text: SQLText =
            "SELECT " + SQLText.list(columns) + " FROM t WHERE "
            + .list(["a = ?", "b = ?"], separator: " AND ")
        #expect(text.description == "SELECT one, two FROM t WHERE a = ? AND b = ?")
        #expect(text.replacing("two", with: "three").description.contains("one, three"))
    }

    @Test(
        "has question marks that PostgreSQL counts, but not those in texts and comments",
        arguments: System.allCases
    )
    func questionMarks(system: System) throws {
        let connection = try TestDatabase(system, in: folder).connect()
        let text: SQLText = """
            SELECT CAST(? AS TEXT), '?''?', "?" -- ? '
            FROM (SELECT 1 AS "?") AS one WHERE "?" - -1 = ?
            """
        let row = try #require(try connection.query(text, [.text("a"), .integer(2)]).first)
        #expect(try row.text(0) == "a" && row.text(1) == "?'?" && row.integer(2) == 1)
    }
}
