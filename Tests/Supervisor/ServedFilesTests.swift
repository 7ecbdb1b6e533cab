import Cryptography
import Facts
import JSON
import Support
import System
import Testing

/// `retentiond --served`: what a pool says that it serves.
@Suite("The served files")
struct ServedFilesTests {
    /// Runs `--served` or `--served-rules` and returns the object that it prints.
    private static func served(_ pool: PoolProcess, _ word: String = "--served") throws -> JSONDocument {
        let run = try pool.run([word])
        #expect(run.status == 0, "\(run)")
        let text = Array(run.output.utf8)
        #expect(text.last == UInt8(ascii: "\n") && text.count { $0 == UInt8(ascii: "\n") } == 1)
        return try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 8))
    }

    /// Waits until the pool has written a file: it says that it is ready before it writes its first verdict.
    private static func wait(for path: String) throws {
        let end = Clock.monotonicNanoseconds() + 60_000_000_000
        while (try? FileStatus(path: path)) == nil, Clock.monotonicNanoseconds() < end {
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 5)
        }
    }

    @Test("are those of the last good load, also after a load that was refused")
    func refused() throws {
        let pool = try PoolProcess()
        let first = PoolProcess.rules(revision: "r10")
        try pool.start()
        try Self.wait(for: pool.verdictPath)
        var root = try Self.served(pool).root
        #expect(root.member("dataDirectory")?.string == pool.folder.path(of: "data"))
        #expect(root.member("result")?.string == "loaded" && root.member("code")?.kind == .null)
        let sequence = try #require(root.member("sequence")?.int64)
        var file = try #require(root.member("files")?.elements.first)
        #expect(root.member("files")?.count == 1 && file.member("content") == nil)
        #expect(file.member("name")?.string == "one.rules.json" && file.member("revision")?.string == "r10")
        let digest = SHA256.hash(first.span)
        #expect(file.member("digest")?.string == digest.hexadecimal)

        try pool.push(Array("garbage".utf8), as: "one.rules.json")
        #expect(try pool.reload().status == 1)
        root = try Self.served(pool, "--served-rules").root
        #expect(root.member("sequence")?.int64 == sequence + 1)
        #expect(root.member("result")?.string == "refused")
        #expect(root.member("code")?.string == "json.syntax")
        file = try #require(root.member("files")?.elements.first)
        #expect(file.member("digest")?.string == digest.hexadecimal)
        // The pushed file is another one now. The bytes are those of the copy.
        let content = try #require(file.member("content")?.string)
        #expect(Base64.decode(content.utf8Span.span) == first)

        let second = PoolProcess.rules(revision: "r11")
        try pool.push(second, as: "one.rules.json")
        #expect(try pool.reload().status == 0)
        root = try Self.served(pool, "--served-rules").root
        file = try #require(root.member("files")?.elements.first)
        #expect(file.member("revision")?.string == "r11")
        let newContent = try #require(file.member("content")?.string)
        #expect(Base64.decode(newContent.utf8Span.span) == second)
    }

    @Test("are unknown when no pool runs, and known from the first answer on")
    func noPool() throws {
        let pool = try PoolProcess()
        for word in ["--served", "--served-rules"] {
            let run = try pool.run([word])
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.errors.contains("not known what is served: no supervisor runs"))
        }
        // Before the first verdict too it is known what is served.
        try pool.start()
        try Self.wait(for: pool.verdictPath)
        try Directory.removeFile(path: pool.verdictPath)
        let root = try Self.served(pool).root
        #expect(root.member("result")?.string == "loaded" && root.member("files")?.count == 1)
    }
}
