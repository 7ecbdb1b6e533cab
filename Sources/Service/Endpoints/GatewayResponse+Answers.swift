package import Answers
public import FastCGI

extension GatewayResponse {
    package init(
        _ problem: Problem, for request: AnsweredRequest = .retentionMessage, fields: [HeaderField] = []
    ) {
        self.init(
            status: problem.status(for: request), contentType: ProblemDocument.contentType, fields: fields,
            body: ProblemDocument.body(of: problem, for: request))
    }

    init(_ answer: Answer) {
        self.init(status: answer.status, contentType: answer.contentType, body: answer.body)
    }

    /// The response with status 500 for an internal error that occurs before a handler exists.
    public static let internalFault = GatewayResponse(.internalFault)
}
