import Rules
import Support
import Testing

@Suite("The manual's rules")
struct ManualRulesTests {
    /// Returns the code blocks of the page, each with the example file that the page named last before the block.
    private static func blocks() throws -> [(block: String, file: String)] {
        let section = try ManualPage.text("retention-rules.5.md")
        var blocks: [(block: String, file: String)] = []
        var file: String?
        for (index, part) in Substring(section).components(separatedBy: "```").enumerated() {
            if index % 2 == 1 {
                blocks.append((String(part.drop { $0 != "\n" }), try #require(file)))
                continue
            }
            let named = part.split(separator: "*").filter { $0.hasSuffix(".json") && !$0.contains("/") }
            if let last = named.last { file = String(last) }
        }
        return blocks
    }

    @Test("are parts of the examples, word for word")
    func blocksAreParts() throws {
        for (block, file) in try Self.blocks() {
            let source = try SourceFile.read(SourceFile.root + "/examples/rules/" + file)
            let isThere = Self.dense(String(decoding: source, as: UTF8.self)).range(of: Self.dense(block))
            #expect(isThere != nil, "\(file): \(block)")
        }
    }

    @Test("have counterparts in the README, which are parts of the examples too")
    func readme() throws {
        let readme = String(decoding: try SourceFile.read(SourceFile.root + "/README.md"), as: UTF8.self)
        let blocks = Substring(readme).components(separatedBy: "```json\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 2)
        let sources = try SourceFile.paths(below: "examples/rules").map { path in
            Self.dense(String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self))
        }
        for block in blocks {
            let text = Self.dense(String(block))
            #expect(sources.contains { $0.contains(text) }, "\(block)")
        }
    }

    /// `RulesCompilerTests` compiles all examples and runs their embedded tests.
    @Test("show a part of every example, beginning with the simplest and ending with the annual upsell")
    func completeness() throws {
        let shown = try Self.blocks().map(\.file)
        #expect(shown.first == "hello.json")
        #expect(shown.last == "annual-upsell.json")
        // `examples/WALKTHROUGH.md` explains the quick start, so the page does not show its rules.
        let all = try SourceFile.paths(below: "examples/rules").compactMap { $0.split(separator: "/").last }
        #expect(Set(shown) == Set(all.map(String.init)).subtracting(["quickstart.json"]))
    }

    @Test("have every operation in a table, and its words of other languages in the next")
    func operations() throws {
        let page = try ManualPage.text("retention-rules.5.md")
        let rows = page.matches(of: #/\n\| `(\w+)` \| ([^|]+) \|/#)
        let words = rows.map { String($0.output.1) }
        let predicates = ConditionOperation.predicates.map(\.word)
        let foreign = ConditionOperation.allCases.filter { !$0.synonyms.isEmpty }
        #expect(words.starts(with: predicates), "\(words)")
        let meanings = rows.dropFirst(predicates.count).prefix(foreign.count).map { row in
            "\(row.output.1): \(row.output.2)"
        }
        let expected = foreign.map { operation in
            "\(operation.word): " + operation.synonyms.map { "`\($0)`" }.joined(separator: ", ")
        }
        #expect(meanings == expected)
    }

    private static func dense(_ text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}

extension Substring {
    /// The parts of the text between the separators.
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
