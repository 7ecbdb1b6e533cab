import AppStoreSimulator
import JSON
import System
import Testing

@Suite("The reviewers of the simulator")
struct ReviewTests {
    private static func review(_ decision: String, _ identifiers: [String]? = nil) -> TestBody {
        let list = identifiers.map { list in
            ",\"identifiers\":[\(list.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        return .json("{\"bundleId\":\"com.example.app\",\"decision\":\"\(decision)\"\(list ?? "")}")
    }

    private func states(_ team: inout Team, _ environment: Environment) throws -> [String] {
        let messages = try team.send("GET", "/message/list", in: environment).root
        let images = try team.send("GET", "/image/list", in: environment).root
        return (messages?.member("messageIdentifiers")?.elements ?? []).compactMap {
            $0.member("messageState")?.string
        }
            + (images?.member("imageIdentifiers")?.elements ?? []).compactMap {
                $0.member("imageState")?.string
            }
    }

    @Test("have nothing to do in Sandbox and decide about everything pending in Production")
    func all() throws {
        var team = try Team()
        try team.upload(in: .sandbox)
        try team.upload(in: .production)
        #expect(try states(&team, .sandbox) == ["APPROVED", "APPROVED", "APPROVED"])
        #expect(try states(&team, .production) == ["PENDING", "PENDING", "PENDING"])
        let answer = team.administer("POST", "review", Self.review("approve"))
        #expect(
            answer.root?.member("changed")?.elements.compactMap { $0.member("kind")?.string } == [
                "image", "image", "message",
            ]
        )
        #expect(try states(&team, .production) == ["APPROVED", "APPROVED", "APPROVED"])
        // What is decided is not decided again.
        #expect(team.administer("POST", "review", Self.review("reject")).root?.member("changed")?.count == 0)
    }

    @Test(
        "can change their minds, and then take the default away",
        arguments: [Sample.message, Sample.image, Sample.bullet]
    )
    func change(identifier: String) throws {
        var team = try Team()
        try team.upload(in: .production)
        _ = team.administer("POST", "review", Self.review("approve"))
        let path = "/default/pro/de-DE"
        #expect(
            try team.send("PUT", path, .json(Sample.reference(Sample.message)), in: .production).status == 200
        )
        let answer = team.administer("POST", "review", Self.review("reject", [identifier]))
        #expect(answer.root?.member("changed")?.element(at: 0)?.member("state")?.string == "REJECTED")
        #expect(try team.send("GET", path, in: .production).outcome == "404 4040020")
    }

    @Test("refuse what they do not know, and change nothing then")
    func refused() throws {
        var team = try Team()
        try team.upload(in: .production)
        let unknown = team.administer(
            "POST", "review", Self.review("approve", [Sample.message, Sample.other]))
        #expect(unknown.status == 404)
        #expect(unknown.root?.member("message")?.string?.contains(Sample.other) == true)
        #expect(try states(&team, .production) == ["PENDING", "PENDING", "PENDING"])
        for (body, status) in [
            (Self.review("maybe"), 400), (Self.review("approve", ["x"]), 400), (.json("[]"), 400),
            (TestBody.none, 400),
            (.json(#"{"decision":"approve"}"#), 404),
            (.json(#"{"bundleId":"com.example.app","decision":"approve","identifiers":{}}"#), 400),
            (.raw("text/plain", Array(#"{"bundleId":"com.example.app","decision":"approve"}"#.utf8)), 400),
        ] as [(TestBody, Int)] {
            #expect(team.administer("POST", "review", body).status == status)
        }
        #expect(team.administer("GET", "review").status == 404)
        #expect(team.administer("POST", "nothing").status == 404)
        #expect(try states(&team, .production) == ["PENDING", "PENDING", "PENDING"])
    }

    @Test("need no name where the team has one app")
    func oneApp() throws {
        var team = try Team { $0.apps = [$0.apps[0]] }
        #expect(team.administer("POST", "review", .json(#"{"decision":"approve"}"#)).status == 200)
    }
}
