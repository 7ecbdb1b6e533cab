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

    private static func dense(_ text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}

extension Substring {
    /// The parts of the text between the separators.
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
