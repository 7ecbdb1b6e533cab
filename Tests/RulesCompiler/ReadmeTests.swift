import Support
import Testing

@Suite("The README's rules")
struct ReadmeTests {
    /// What stands in a block, and the example file that was named last before it.
    private static func blocks() throws -> [(block: String, file: String)] {
        let text = String(decoding: try SourceFile.read(SourceFile.root + "/README.md"), as: UTF8.self)
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Rules by example") })
        var blocks: [(block: String, file: String)] = []
        var file: String?
        for (index, part) in section.components(separatedBy: "```").enumerated() {
            if index % 2 == 1 {
                blocks.append((String(part.drop { $0 != "\n" }), try #require(file)))
                continue
            }
            let named = part.split(separator: "`").filter { $0.hasSuffix(".json") && !$0.contains("/") }
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
