/// The body of a refusal: `application/problem+json` (RFC 9457) with `status`, `title` and our stable `code`.
/// Nothing that came from outside is in it.
public enum ProblemDocument {
    /// The media type of the body.
    public static let contentType: StaticString = "application/problem+json"

    /// The document for `problem`, made once for each problem.
    public static func body(of problem: Problem) -> [UInt8] {
        documents[problem] ?? make(problem)
    }

    private static let documents: [Problem: [UInt8]] = Dictionary(
        Problem.allCases.map { ($0, make($0)) },
        uniquingKeysWith: { first, _ in first }
    )

    // Titles and codes are ours and hold no character that JSON wants escaped; a test holds them to it.
    private static func make(_ problem: Problem) -> [UInt8] {
        Array(
            #"{"status":\#(problem.status),"title":"\#(problem.title)","code":"\#(problem.code)"}"#.utf8
        )
    }
}
