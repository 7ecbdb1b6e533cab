import Support
import Testing

@Suite("The manual's rules")
struct ManualRulesTests {
    /// What stands in a block, and the example file that was named last before it.
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

    @Test("are those of the examples, word by word")
    func blocksAreParts() throws {
        for (block, file) in try Self.blocks() {
            let source = try SourceFile.read(SourceFile.root + "/examples/rules/" + file)
            let isThere = Self.dense(String(decoding: source, as: UTF8.self)).range(of: Self.dense(block))
            #expect(isThere != nil, "\(file): \(block)")
        }
    }

    @Test("and those of the README are parts of examples, too")
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

    /// Their tests are run where all examples are compiled.
    @Test("show something of every example, the simplest first and the annual upsell last")
    func completeness() throws {
        let shown = try Self.blocks().map(\.file)
        #expect(shown.first == "hello.json")
        #expect(shown.last == "annual-upsell.json")
        // The quick start is shown where it is started.
        let all = try SourceFile.paths(below: "examples/rules").compactMap { $0.split(separator: "/").last }
        #expect(Set(shown) == Set(all.map(String.init)).subtracting(["quickstart.json"]))
    }

    private static func dense(_ text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}

extension Substring {
    /// The parts between a separator.
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
