import Answers
import JSON
import Support
import Testing
import Vocabulary

@Suite("Answers")
struct AnswersTests {
    @Test("list every refusal in the golden file, with status, meaning and whether trying again can help")
    func golden() throws {
        var lines = ["code | status | try again | meaning"]
        lines += Problem.allCases.map { problem in
            "\(problem.code) | \(problem.status) | \(problem.isTransient ? "yes" : "no") | \(problem.title)"
        }
        try GoldenFile.check(lines.joined(separator: "\n") + "\n", "Tests/Answers/Golden/problems.txt")
    }

    @Test("give every refusal a code of its own")
    func codes() {
        let codes = Problem.allCases.map(\.code)
        #expect(Set(codes).count == codes.count)
    }

    @Test("are problem documents that a JSON parser reads", arguments: Problem.allCases)
    func documents(problem: Problem) throws {
        let body = ProblemDocument.body(of: problem)
        let document = try JSONDocument(parsing: body.span, limits: JSONLimits(byteCount: 1024, depth: 2))
        #expect(document.root.count == 3)
        #expect(document.root.member("status")?.int64 == Int64(problem.status))
        #expect(document.root.member("title")?.string == problem.title)
        #expect(document.root.member("code")?.string == problem.code)
    }

    @Test("write Apple's RealtimeResponseBody with exactly one member and a lower-case UUID")
    func message() throws {
        let identifier = try #require(UUID("551EE7C0-C097-418E-9DD5-2A98533A7390"))
        let json = String(
            decoding: RealtimeResponseBody.message(messageIdentifier: identifier).json,
            as: UTF8.self
        )
        #expect(json == #"{"message":{"messageIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390"}}"#)
    }
}
