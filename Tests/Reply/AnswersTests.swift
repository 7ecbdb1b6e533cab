import JSON
import Reply
import Rules
import Support
import System
import Testing

@Suite("Answers")
struct AnswersTests {
    @Test("match the golden file: code, statuses and meaning of each refusal, and whether a retry can help")
    func golden() throws {
        var lines = ["code | status | try again | meaning | status for a notification"]
        lines += Problem.allCases.map { problem in
            let retry = problem.status >= 500 ? "yes" : "no"
            let other = problem.status(for: .notification)
            return "\(problem.code) | \(problem.status) | \(retry) | \(problem.title) | \(other)"
        }
        try GoldenFile.check(lines.joined(separator: "\n") + "\n", "Tests/Reply/Golden/problems.txt")
    }

    @Test("give every refusal its own code")
    func codes() {
        let codes = Problem.allCases.map(\.code)
        #expect(Set(codes).count == codes.count)
    }

    @Test("to refused requests are problem documents in valid JSON", arguments: Problem.allCases)
    func documents(problem: Problem) throws {
        let message = ProblemDocument.body(of: problem, for: .retentionMessage)
        #expect(ProblemDocument.body(of: problem) == message)
        for request in AnsweredRequest.allCases {
            let body = ProblemDocument.body(of: problem, for: request)
            let limits = JSONLimits(byteCount: 1024, depth: 2)
            let document = try JSONDocument(parsing: body.span, limits: limits)
            #expect(document.root.count == 3)
            #expect(document.root.member("status")?.int64 == Int64(problem.status(for: request)))
            #expect(document.root.member("title")?.string == problem.title)
            #expect(document.root.member("code")?.string == problem.code)
        }
    }

    @Test(
        "have the statuses of the zoo of notifications",
        arguments: NotificationZoo.rows.filter { $0.code != nil }
    )
    func notifications(row: NotificationZooRow) throws {
        let problem = try #require(Problem.allCases.first { $0.code == row.code })
        #expect(problem.status(for: .notification) == row.status)
    }

    @Test("contain the outcome of a decision when the outcome needs no signature")
    func decisions() throws {
        var model = RulesModel(appAppleId: 7, bundleId: "b", environment: .production)
        let kinds: [MessageKind] = [.text, .switch, .offer, .advancedCommerce]
        model.messages = kinds.enumerated().map { index, kind in
            let identifier = UUID(high: 0xAB, low: UInt64(index))
            return .init(
                name: kind.name, kind: kind, identifiers: [.init(locale: "en-US", identifier: identifier)])
        }
        let id = #""messageIdentifier":"00000000-0000-00ab-0000-00000000000"#
        let rows: [(RulesModel.Outcome, String?)] = [
            (.message(0), #"{"message":{\#(id)0"}}"#),
            (
                .switch(message: 1, productId: "a\"b\\", billingPlanType: .monthly),
                #"{"alternateProduct":{\#(id)1","productId":"a\"b\\","billingPlanType":"MONTHLY"}}"#
            ),
            (
                .switch(message: 1, productId: "q", billingPlanType: nil),
                #"{"alternateProduct":{\#(id)1","productId":"q"}}"#
            ),
            (.offer(message: 2, productId: "q", offerIdentifier: "o"), nil),
            (.advancedCommerce(message: 3, request: "{}"), nil), (.nothing, nil),
        ]
        for (outcome, expected) in rows {
            model.defaultOutcome = outcome
            let file = model.file
            let request = DecisionRequest(
                appAppleId: 7, environment: .production, productId: "p", userLocale: "en-US",
                originalTransactionId: "1", nowMilliseconds: 0, signing: .all)
            let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
            let body = SignedOutcome(unsigned: decision.outcome, in: file)?.json
            #expect(body.map { String(decoding: $0, as: UTF8.self) } == expected)
        }
    }
}
