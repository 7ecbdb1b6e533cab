import FuzzBodies
import Support
import Testing

@Suite("The corpus of catalogues")
struct CatalogueSourceCorpusTests {
    @Test("is read without a trap")
    func replay() throws {
        try FuzzCorpus.replay("CatalogueSource") { fuzzCatalogueSource($0) }
    }

    @Test("is read without a trap with pieces of it in the wrong place")
    func mutations() throws {
        var random = SeededGenerator(for: "changed catalogues")
        let files = try SourceFile.paths(below: "Tests/Fuzz/Corpus/CatalogueSource").map {
            try SourceFile.read("\(SourceFile.root)/\($0)")
        }
        for _ in 0..<500 {
            var bytes = try #require(files.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let length = Int.random(in: 1...24, using: &random)
                let from = Int.random(in: 0..<max(1, bytes.count - length), using: &random)
                let to = Int.random(in: 0..<max(1, bytes.count - length), using: &random)
                bytes.replaceSubrange(to..<to + length, with: Array(bytes[from..<from + length]))
            }
            fuzzCatalogueSource(bytes.span)
        }
    }
}
