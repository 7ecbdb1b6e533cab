import AppStoreSimulator
import Cryptography
import JSON
import System
import Testing

@Suite("The token of a request")
struct TokenTests {
    private func outcome(
        _ team: Team, _ authorization: String?, target: String = "/inApps/v1/messaging/message/list"
    ) -> String {
        var team = team
        let request = SimulatorRequest(
            environment: .sandbox, method: "GET", target: target, authorization: authorization)
        let answer = team.simulator.answer(request, at: team.now, using: &team.random)
        if answer.status == 401 { #expect(answer.body.isEmpty) }
        return answer.outcome
    }

    @Test("is taken as Apple's libraries make it, with and without iat")
    func valid() throws {
        let team = try Team()
        let seconds = team.now / 1000
        #expect(try outcome(team, "Bearer " + team.token()) == "200")
        #expect(try outcome(team, "bearer " + team.token()) == "200")
        #expect(try outcome(team, "Bearer " + team.token([("exp", .integer(seconds + 3600))])) == "200")
        let issued: [(String, JSONNode?)] = [("iat", .integer(seconds)), ("exp", .integer(seconds + 3600))]
        #expect(try outcome(team, "Bearer " + team.token(issued)) == "200")
        #expect(try outcome(team, "Bearer " + team.token([("iat", .integer(seconds + 60))])) == "200")
        let plain = try team.token(header: [("alg", .string("ES256")), ("kid", .string(Team.keyId))])
        #expect(outcome(team, "Bearer " + plain) == "200")
    }

    @Test("is refused with 401 and no body when a claim is wrong")
    func claims() throws {
        let team = try Team()
        let seconds = team.now / 1000
        let changes: [[(String, JSONNode?)]] = [
            [("aud", .string("appstoreconnect-v2"))], [("aud", nil)],
            [("aud", .array([.string("appstoreconnect-v1")]))],
            [("iss", .string("x"))], [("iss", nil)], [("bid", nil)],
            [("exp", .integer(seconds))], [("exp", nil)], [("exp", .string("\(seconds + 60)"))],
            [("exp", .integer(seconds + 3661))], [("exp", .integer(.max))], [("exp", .real(1e300))],
            [("iat", .integer(seconds - 10)), ("exp", .integer(seconds + 3591))],
            [("iat", .integer(seconds + 61))], [("iat", .string("now"))], [("iat", .integer(.min))],
            [("iat", .null)],
        ]
        for change in changes {
            #expect(try outcome(team, "Bearer " + team.token(change)) == "401", "\(change)")
        }
    }

    @Test("is refused when it is not such a token, before the path is read")
    func forms() throws {
        let team = try Team()
        let token = try team.token()
        let parts = token.split(separator: ".").map(String.init)
        let kid = ("kid", JSONNode.string(Team.keyId))
        let forms: [String?] = [
            nil, "", "Bearer", "Bearer ", token, "Basic \(token)", "Bearer  \(token)", "Bearer \(token) ",
            "Bearer \(parts[0]).\(parts[1])", "Bearer \(parts[0]).\(parts[1]).", "Bearer \(token).x",
            "Bearer ..",
            "Bearer " + String(repeating: "a", count: 5000), "Bearer \(parts[1]).\(parts[0]).\(parts[2])",
            try "Bearer " + team.token(header: [("alg", .string("none")), kid]),
            try "Bearer " + team.token(header: [("alg", .string("HS256")), kid]),
            try "Bearer " + team.token(header: [("alg", .string("ES256"))]),
            try "Bearer " + team.token(header: [("alg", .string("ES256")), ("kid", .string("X"))]),
            try "Bearer " + team.token(key: SigningKey.generate()),
        ]
        for form in forms {
            #expect(outcome(team, form) == "401", "\(form ?? "nil")")
            #expect(outcome(team, form, target: "/nothing") == "401")
        }
        #expect(outcome(team, "Bearer \(token)", target: "/nothing") == "404")
    }
}
