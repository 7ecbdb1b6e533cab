import Support
import System
import Testing

@Suite("Golden files")
struct GoldenFileTests {
    /// Returns a path that leads from the checkout to `path` outside, so that the test writes nothing in the checkout.
    private static func climb(to path: String) -> String {
        let depth = SourceFile.root.split(separator: "/").count
        return String(repeating: "../", count: depth) + path.dropFirst()
    }

    @Test("are written when an update is requested, and the test that wrote a file fails")
    func update() throws {
        let folder = try TemporaryDirectory()
        let path = Self.climb(to: folder.path(of: "golden.txt"))
        try withKnownIssue {
            try GoldenFile.check("new\n", path, isUpdating: true)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("UPDATE_GOLDEN wrote") }
        }
        #expect(try folder.read("golden.txt") == Array("new\n".utf8))
        try GoldenFile.check("new\n", path, isUpdating: false)
        withKnownIssue {
            try GoldenFile.check("other\n", path, isUpdating: false)
        }
    }
}

@Suite("Seeds of random tests")
struct SeedTests {
    @Test("are the given seed, else the test's own seed, and a new seed only on request")
    func seeds() {
        #expect(SeededGenerator.seed(for: "a", given: 7, isNew: false) == 7)
        #expect(SeededGenerator.seed(for: "a", given: 7, isNew: true) == 7)
        // This is the published vector of FNV-1a.
        #expect(SeededGenerator.seed(for: "a", given: nil, isNew: false) == 0xAF63_DC4C_8601_EC8C)
        #expect(SeededGenerator.seed(for: "b", given: nil, isNew: false) != 0xAF63_DC4C_8601_EC8C)
        let new = (0..<4).map { _ in SeededGenerator.seed(for: "a", given: nil, isNew: true) }
        #expect(Set(new).count == 4)
    }
}
