/// The body of a refusal: `application/problem+json` (RFC 9457) with `status`, `title` and the service's stable `code`.
/// It never contains anything from the request.
public enum ProblemDocument {
    /// The media type of the body.
    public static let contentType: StaticString = "application/problem+json"

    /// Returns the document for `problem` in the answer to a request of this kind. Each document is made only once.
    public static func body(of problem: Problem, for request: AnsweredRequest = .retentionMessage) -> [UInt8]
    {
        let key = Key(problem: problem, status: problem.status(for: request))
        return documents[key] ?? make(key)
    }

    private struct Key: Hashable {
        let problem: Problem
        let status: Int
    }

    private static let documents: [Key: [UInt8]] = Dictionary(
        AnsweredRequest.allCases.flatMap { request in
            Problem.allCases.map { Key(problem: $0, status: $0.status(for: request)) }
        }
        .map { ($0, make($0)) },
        uniquingKeysWith: { first, _ in first }
    )

    // Titles and codes are the service's own and have no character that JSON must escape. A test checks that.
    private static func make(_ key: Key) -> [UInt8] {
        let problem = key.problem
        return Array(
            #"{"status":\#(key.status),"title":"\#(problem.title)","code":"\#(problem.code)"}"#.utf8
        )
    }
}
