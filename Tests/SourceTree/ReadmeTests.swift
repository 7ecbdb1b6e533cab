import Configuration
import JSON
import Support
import Testing

/// The tables of the README say what the program does: none of their rows is older than the source.
@Suite("The README's tables")
struct ReadmeTests {
    /// The rows of the table that follows this heading, without its head; each has its cells without `ticks`.
    private static func table(below heading: String) throws -> [[String]] {
        let text = String(decoding: try SourceFile.read(SourceFile.root + "/README.md"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading })
        let table = lines[start...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map { cell in
                let text = cell.drop { $0 == " " }
                let end = text.lastIndex { $0 != " " }.map { text[...$0] } ?? ""
                guard end.hasPrefix("`"), end.hasSuffix("`"), end.count > 2 else { return String(end) }
                return String(end.dropFirst().dropLast())
            }
        }
    }

    @Test("have every key of the configuration, with the schema's defaults and words")
    func configuration() throws {
        let rows = try Self.table(below: "## Configuration")
        let keys = rows.map { $0[0] }
        #expect(Set(keys) == Set(Configuration.describedSettings().map(\.path)))
        #expect(Set(keys).count == keys.count)
        let bytes = try SourceFile.read(SourceFile.root + "/examples/retentiond.schema.json")
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let schema = try JSONDocument(parsing: bytes.span, limits: limits).root
        for row in rows {
            try #require(row.count == 4, "\(row)")
            let path = row[0].split(separator: ".").map { String($0).replacing("[]", with: "") }
            let found = path.reduce(schema as JSONValue?) { value, name in
                (value?.member("items") ?? value)?.member("properties")?.member(named: name)
            }
            let entry = try #require(found, "\(row[0]) is not in the schema")
            #expect(row[1] == Self.text(entry.member("default")), "\(row[0])")
            let root = try #require(schema.member("properties")?.member(named: path[0]))
            #expect(row[2] == root.member("x-on-hup")?.string, "\(row[0])")
            #expect(row[3] == entry.member("description")?.string, "\(row[0])")
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        return value.string ?? value.int64.map { "\($0)" } ?? (value.boolean == true ? "true" : "false")
    }

    @Test("have every code of the endpoint, with its status, and nginx's own")
    func codes() throws {
        let golden = try SourceFile.read(SourceFile.root + "/Tests/Answers/Golden/problems.txt")
        let lines = String(decoding: golden, as: UTF8.self).split(separator: "\n").dropFirst()
        let expected = lines.map { $0.split(separator: "|").map { $0.drop { $0 == " " } } }.map { cells in
            cells.map { cell in String(cell.lastIndex { $0 != " " }.map { cell[...$0] } ?? "") }
        }
        let rows = try Self.table(below: "## Codes")
        #expect(rows.dropLast() == expected[...])
        #expect(rows.last?.first == "pool-unavailable")
        let nginx = try SourceFile.read(SourceFile.root + "/nginx/retentiond.conf")
        #expect(String(decoding: nginx, as: UTF8.self).contains(#""code":"pool-unavailable""#))
    }
}
