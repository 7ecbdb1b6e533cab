/// The body of a refusal: `application/problem+json` (RFC 9457) with `status`, `title` and the service's stable `code`.
/// It never contains anything from the request.
public enum ProblemDocument {
    /// The media type of the body.
    public static let contentType: StaticString = "application/problem+json"

    /// Returns the document for `problem`. Each document is made only once.
    public static func body(of problem: Problem) -> [UInt8] {
        documents[problem] ?? make(problem)
    }

    private static let documents: [Problem: [UInt8]] = Dictionary(
        Problem.allCases.map { ($0, make($0)) },
        uniquingKeysWith: { first, _ in first }
    )

    // Titles and codes are the service's own and have no character that JSON must escape. A test checks that.
    private static func make(_ problem: Problem) -> [UInt8] {
        Array(
            #"{"status":\#(problem.status),"title":"\#(problem.title)","code":"\#(problem.code)"}"#.utf8
        )
    }
}
