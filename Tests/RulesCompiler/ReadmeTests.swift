import Support
import Testing

@Suite("The README's rules")
struct ReadmeTests {
    /// What stands in a block, and the example files that were named before it.
    private static func blocks() throws -> [(block: String, files: [String])] {
        let text = String(decoding: try SourceFile.read(SourceFile.root + "/README.md"), as: UTF8.self)
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Rules by example") })
        var blocks: [(block: String, files: [String])] = []
        var files: [String] = []
        for (index, part) in section.components(separatedBy: "```").enumerated() {
            if index % 2 == 1 {
                blocks.append((String(part.drop { $0 != "\n" }), files))
                continue
            }
            let named = part.split(separator: "`").filter { $0.hasSuffix(".json") && !$0.contains("/") }
            if !named.isEmpty { files = named.map(String.init) }
        }
        return blocks
    }

    @Test("are those of the examples, word by word")
    func blocksAreParts() throws {
        let blocks = try Self.blocks()
        #expect(blocks.count >= 8)
        for (block, files) in blocks {
            let isThere = try files.contains { file in
                let source = try SourceFile.read(SourceFile.root + "/examples/rules/" + file)
                return Self.dense(String(decoding: source, as: UTF8.self)).range(of: Self.dense(block)) != nil
            }
            #expect(isThere, "\(files): \(block)")
        }
    }

    private static func dense(_ text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}

extension Substring {
    /// The parts between a separator.
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
