import AppStoreServerAPI
import AppStoreSimulator
import JSON
import System
import Testing

@Suite("Each operation about notifications and transactions")
struct RecoveryOperationTests {
    @Test("about the history has pages of 20, with a token that is good for the same request and for a day")
    func pages() throws {
        var team = try Team.signing()
        team.live(periods: 45)
        #expect(try team.wholeHistory().count == 45)
        let body = team.history()
        let first = try team.ask("POST", "/v1/notifications/history", body)
        #expect(first.root?.member("notificationHistory")?.count == 20)
        let token = try #require(first.root?.member("paginationToken")?.string)
        let path = "/v1/notifications/history?paginationToken=\(token)"
        #expect(try team.ask("POST", path, body).status == 200)
        #expect(try team.ask("POST", path, body, in: .production).status == 200)
        team.now += 86_399_999
        #expect(try team.ask("POST", path, body).status == 200)
        team.now += 1
        #expect(try team.ask("POST", path, body).outcome == "400 4000017")
    }

    @Test("about the history takes a range by the time of the first attempt, and filters")
    func filters() throws {
        var team = try Team.signing()
        team.live(periods: 3)
        team.notify(["EXPIRED.VOLUNTARY"])
        #expect(try team.wholeHistory().count == 3)
        team.deliver { _ in .timedOut }
        #expect(try team.wholeHistory().count == 4)
        #expect(try team.wholeHistory(#","onlyFailures":true"#).map(\.attempts) == [["TIMED_OUT"]])
        #expect(try team.wholeHistory(#","notificationType":"DID_RENEW""#).count == 2)
        #expect(try team.wholeHistory(#","transactionId":"2000000002""#).count == 1)
        #expect(try team.wholeHistory(#","transactionId":"2000000001""#).count == 4)
        team.now += 3_600_000
        team.notify(["DID_CHANGE_RENEWAL_PREF.UPGRADE"], subscriber: 2_000_010_001)
        team.deliver()
        #expect(try team.wholeHistory(hours: 0).count == 1)
        #expect(try team.wholeHistory(hours: 1).count == 5)
        #expect(try team.wholeHistory(in: .production).isEmpty)
    }

    @Test("about transactions has pages of 20 in the order of changes, and shows a change a second time")
    func transactions() throws {
        var team = try Team.signing()
        team.live(periods: 25)
        let first = try #require(try team.ask("GET", "/v2/history/2000000001").root)
        #expect(first.member("signedTransactions")?.count == 20 && first.member("hasMore")?.boolean == true)
        #expect(first.member("bundleId")?.string == Team.bundleId && first.member("appAppleId") == nil)
        let revision = try #require(first.member("revision")?.string)
        team.notify(["REFUND"])
        let next = "/v2/history/2000000001?revision=\(revision)"
        let second = try #require(try team.ask("GET", next).root)
        #expect(second.member("signedTransactions")?.count == 5 && second.member("hasMore")?.boolean == false)
        let last = try #require(second.member("revision")?.string)
        let again = "/v2/history/2000000001?revision=\(last)"
        #expect(try team.ask("GET", again).root?.member("signedTransactions")?.count == 0)
        team.notify(["DID_RENEW"])
        #expect(try team.ask("GET", again).root?.member("signedTransactions")?.count == 1)
        let revoked = try team.ask("GET", "/v2/history/2000000001?revoked=true").root
        #expect(revoked?.member("signedTransactions")?.count == 1)
        let other = try team.ask("GET", "/v2/history/2000000001?productId=com.example.none").root
        #expect(other?.member("signedTransactions")?.count == 0)
    }

    @Test("about statuses tells what the last notification told")
    func statuses() throws {
        var team = try Team.signing()
        for (kind, status) in [
            ("SUBSCRIBED.INITIAL_BUY", 1), ("DID_FAIL_TO_RENEW", 3), ("DID_FAIL_TO_RENEW.GRACE_PERIOD", 4),
            ("EXPIRED.BILLING_RETRY", 2), ("REVOKE", 5), ("SUBSCRIBED.RESUBSCRIBE", 1),
        ] {
            team.setNotificationURL(in: .production)
            team.notify([kind], in: .production)
            let root = try team.ask("GET", "/v1/subscriptions/2000000001", in: .production).root
            let groups = try #require(root?.member("data")?.elements)
            let last = groups.first?.member("lastTransactions")?.element(at: 0)
            #expect(last?.member("status")?.int64 == Int64(status), "\(kind)")
            #expect(root?.member("appAppleId")?.int64 == 6_745_974_591)
            let none = "/v1/subscriptions/2000000001?status=\(status % 5 + 1)"
            #expect(try team.ask("GET", none, in: .production).root?.member("data")?.count == 0)
        }
    }
}
