import AppStoreServerAPI
import Testing

@Suite("A long answer of Apple's server")
struct LongAnswerTests {
    @Test("of the history of notifications has room for 20 of the longest notifications")
    func longPage() throws {
        let payload = String(repeating: "x", count: 512 << 10 - 200)
        let entry = #"{"signedPayload":"\#(payload)","sendAttempts":[]}"#
        func page(_ spaces: Int) -> String {
            #"{"notificationHistory":["# + Array(repeating: entry, count: 20).joined(separator: ",")
                + #"],"hasMore":false}"# + String(repeating: " ", count: spaces)
        }
        let (whole, huge) = (page(0), page(2 << 20))
        let world = try ClientWorld { number, _ in ClientWorld.json(number == 0 ? whole : huge) }
        let request = NotificationHistoryRequest(startDate: 1, endDate: 2)
        let notifications = try world.client.notificationHistory(request, paginationToken: nil).notifications
        #expect(notifications.count == 20 && notifications.allSatisfy { $0.signedPayload == payload })
        #expect(
            world.code { _ = try $0.notificationHistory(request, paginationToken: nil) }
                == "app-store-answer.too-large"
        )
    }
}
