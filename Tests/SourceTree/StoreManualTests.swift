import NotificationStore
import Support
import Testing

@Suite("The manual of the store")
struct StoreManualTests {
    @Test("has every table with its columns, as the statements that make them describe them")
    func tables() throws {
        let tables = StoreSchema.tables
        #expect(tables.count == 12 && tables.allSatisfy { !$0.meaning.isEmpty && !$0.columns.isEmpty })
        #expect(tables.flatMap(\.columns).allSatisfy { !$0.meaning.isEmpty })
        let text = tables.map { table in
            let columns = table.columns.map {
                (term: "`\($0.name)` \($0.type)", text: Self.plain($0.meaning))
            }
            return "## \(table.name)\n\n\(Self.plain(table.meaning))\n\n" + ManualPage.list(columns)
        }
        try ManualPage.check(text.joined(), in: "retention-store.5.md", part: "tables")
    }

    /// The words of a comment as Markdown.
    private static func plain(_ text: String) -> String {
        text.replacing("_", with: "\\_").replacing("*", with: "\\*")
    }
}
