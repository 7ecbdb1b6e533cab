internal import Answers
public import FastCGI

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

    /// 500, for a fault of ours before there is a handler to answer.
    public static let internalFault = GatewayResponse(.internalFault)

    /// 200 with `{}`, for those who set `noAnswer` to `empty`; Apple does not document what it means.
    static let emptyObject = GatewayResponse(
        status: 200,
        contentType: RealtimeResponseBody.contentType,
        body: Array("{}".utf8)
    )
}
