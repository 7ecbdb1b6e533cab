internal import Answers
public import FastCGI

extension GatewayResponse {
    /// The problem document of a refusal.
    init(_ problem: Problem, fields: [HeaderField] = []) {
        self.init(
            status: problem.status,
            contentType: ProblemDocument.contentType,
            fields: fields,
            body: ProblemDocument.body(of: problem)
        )
    }

    /// What is sent for a decision.
    init(_ answer: Answer) {
        self.init(status: answer.status, contentType: answer.contentType, body: answer.body)
    }

    /// 500, for a fault of ours before there is a handler to answer.
    public static let internalFault = GatewayResponse(.internalFault)
}
