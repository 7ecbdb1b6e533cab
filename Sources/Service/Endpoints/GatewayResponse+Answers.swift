internal import Answers
internal import FastCGI

extension GatewayResponse {
    /// The problem document of a refusal.
    init(_ problem: Problem, allow: StaticString? = nil) {
        self.init(
            status: problem.status,
            contentType: ProblemDocument.contentType,
            allow: allow,
            body: ProblemDocument.body(of: problem)
        )
    }

    /// What the App Store server is told to show.
    init(_ answer: RealtimeResponseBody) {
        self.init(status: 200, contentType: RealtimeResponseBody.contentType, body: answer.json)
    }

    /// 200 with `{}`, for those who set `noAnswer` to `empty`; Apple does not document what it means.
    static let emptyObject = GatewayResponse(
        status: 200,
        contentType: RealtimeResponseBody.contentType,
        body: Array("{}".utf8)
    )
}
