import AppStoreSimulator
import JSON
import Support
import System
import Testing

@Suite("The notifications of the simulator")
struct NotificationTests {
    private static let hour: Int64 = 3_600_000

    @Test("are sent again 1, 12, 24, 48 and 72 hours after an attempt that failed, in Production alone")
    func retries() throws {
        for (environment, hours) in [
            (Environment.production, [0, 1, 12, 24, 48, 72]), (.sandbox, [0]),
        ] as [(Environment, [Int64])] {
            var team = try Team.signing()
            team.setNotificationURL(in: environment)
            team.notify(["DID_RENEW"], in: environment)
            var bodies: Set<[UInt8]> = []
            for wait in hours {
                if wait > 0 {
                    team.now += wait * Self.hour - 1
                    #expect(team.deliver().isEmpty)
                    team.now += 1
                    #expect(team.simulator.nextDeliveryMilliseconds == team.now)
                }
                let sent = team.deliver { _ in .unsuccessfulStatus }
                #expect(sent.count == 1)
                bodies.formUnion(sent)
            }
            #expect(bodies.count == 1 && team.simulator.nextDeliveryMilliseconds == nil)
            team.now += 1000 * Self.hour
            #expect(team.deliver().isEmpty)
            let history = try team.wholeHistory(#","onlyFailures":true"#, hours: 719 + 480, in: .production)
            #expect(environment == .sandbox || history.map(\.attempts.count) == [6])
        }
    }

    @Test("leave the failures once an attempt succeeded, and pass faster with the clock")
    func success() throws {
        var team = try Team.signing { $0.speed = 3600 }
        team.setNotificationURL(in: .production)
        team.notify(["DID_RENEW"], in: .production)
        team.deliver { _ in .noResponse }
        team.now += 1000
        #expect(team.deliver().count == 1)
        #expect(try team.wholeHistory(in: .production).map(\.attempts) == [["NO_RESPONSE", "SUCCESS"]])
        #expect(try team.wholeHistory(#","onlyFailures":true"#, in: .production).isEmpty)
        #expect(team.simulator.nextDeliveryMilliseconds == nil)
    }

    @Test("of every documented kind are made, and all are in the history")
    func everyKind() throws {
        var team = try Team.signing()
        team.setNotificationURL()
        team.notify(NotificationKind.documented.map(\.description))
        let sent = team.deliver()
        #expect(sent.count == NotificationKind.documented.count && Set(sent).count == sent.count)
        let history = try team.wholeHistory()
        #expect(history.map(\.jws).map { Array(#"{"signedPayload":"\#($0)"}"#.utf8) } == sent)
    }

    @Test("go on after a restart: those that are due, the history, the subscribers, and the tests")
    func restart() throws {
        var team = try Team.signing()
        team.live(periods: 22, in: .production)
        team.notify(["EXPIRED.VOLUNTARY"], in: .production)
        team.deliver { _ in .socketIssue }
        let test = try team.ask("POST", "/v1/notifications/test", in: .production)
        let token = try #require(test.root?.member("testNotificationToken")?.string)
        let state = try SimulatorState(json: team.simulator.state.json)
        #expect(state == team.simulator.state)
        let transactions = try team.ask("GET", "/v2/history/2000000001", in: .production).root
        team.simulator = AppStoreSimulator(configuration: team.simulator.configuration, state: state)
        #expect(
            try team.ask("GET", "/v1/notifications/test/\(token)", in: .production).outcome == "404 4040008"
        )
        #expect(team.deliver().count == 1)
        let status = try team.ask("GET", "/v1/notifications/test/\(token)", in: .production)
        #expect(status.root?.member("sendAttempts")?.count == 1)
        team.now += Self.hour
        #expect(team.deliver().count == 1)
        #expect(try team.wholeHistory(in: .production).count == 24)
        let again = try team.ask("GET", "/v2/history/2000000001", in: .production).root
        let names = ["revision", "hasMore"]
        #expect(
            names.map { again?.member(named: $0)?.string }
                == names.map { transactions?.member(named: $0)?.string }
        )
        team.now += 184 * 24 * Self.hour
        #expect(
            try team.ask("GET", "/v1/notifications/test/\(token)", in: .production).outcome == "404 4040008"
        )
    }

    @Test(
        "are not made of what is no event",
        arguments: [
            ("{}", "malformed"), (#"{"events":[]}"#, "malformed"), ("", "malformed"),
            (#"{"bundleId":"com.example.app","events":[{"kind":"NEVER","subscriber":1}]}"#, "unknown-event"),
            (
                #"{"bundleId":"com.example.app","events":[{"kind":"DID_RENEW","subscriber":0}]}"#,
                "unknown-event"
            ),
            (
                #"{"bundleId":"com.example.app","events":[{"kind":"DID_RENEW","subscriber":1,"signedDate":-1}]}"#,
                "unknown-event"
            ),
            (
                #"{"events":[{"kind":"DID_RENEW","subscriber":1}]}"#, "unknown-app"
            ),
            (
                #"{"bundleId":"com.example.app","events":[{"kind":"DID_RENEW","subscriber":1}]}"#,
                "no-notification-url"
            ),
        ]
    )
    func malformed(body: String, error: String) throws {
        var team = try Team.signing()
        let answer = team.administer("POST", "notifications", .json(body))
        #expect(answer.root?.member("error")?.string == error)
        let state = team.administer("GET", "state").root?.member("state")?.member("apps")
        #expect(state?.count == 0)
    }

    @Test("need something to sign with, and go to allowed hosts alone")
    func settings() throws {
        var team = try Team { $0.allowedHosts = ["example.com"] }
        team.setNotificationURL()
        let event = #"{"bundleId":"com.example.app","events":[{"kind":"DID_RENEW","subscriber":1}]}"#
        let refused = team.administer("POST", "notifications", .json(event), in: .sandbox)
        #expect(refused.root?.member("error")?.string == "no-authority")
        for (url, error) in [
            ("https://example.com/a", nil), ("https://example.org/a", "unknown-host"),
            ("http://localhost/a", "malformed"), ("x", "malformed"),
        ] as [(String, String?)] {
            let body = #"{"bundleId":"com.example.app","url":"\#(url)"}"#
            let answer = team.administer("POST", "notification-url", .json(body))
            #expect(answer.root?.member("error")?.string == error)
        }
    }
}
