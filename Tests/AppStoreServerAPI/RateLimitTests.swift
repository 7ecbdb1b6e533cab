@testable import AppStoreServerAPI
import HTTPClient
import Support
import System
import Testing

@Suite("A 429 of Apple's server")
struct RateLimitTests {
    private static let now = ClientWorld.start

    @Test(
        "says until when to wait: milliseconds since 1970, or what other servers write",
        arguments: [
            ("\(now + 90_000)", 90_000), ("\(now / 1000 + 90)", 90_000), ("120", 120_000), ("0", 1000),
            ("Sat, 21 Nov 2026 00:02:00 GMT", 120_000), (nil, 60_000), ("", 60_000), ("soon", 60_000),
            ("-5", 60_000), ("1.5", 60_000), ("1 2", 60_000), ("12x", 60_000), ("\(now - 5000)", 1000),
            ("Fri, 20 Nov 2026 00:02:00 GMT", 1000), ("\(now + 86_400_000)", 3_600_000),
            ("999999999", 3_600_000),
            ("99999999999999999999999", 3_600_000), ("Sat, 31 Feb 2026 00:02:00 GMT", 60_000),
            ("Sat, 21 Nov 2099 00:00:00 GMT", 3_600_000), ("٣", 60_000), ("3٣", 60_000),
        ] as [(String?, Int64)]
    )
    func retryAfter(field: String?, wait: Int64) {
        #expect(RetryAfter.untilMilliseconds(field, nowMilliseconds: Self.now) == Self.now + wait)
    }

    @Test("is waited for, the wait is told, and the call is made again, also an upload")
    func waits() throws {
        let world = try ClientWorld { number, request in
            let field = number == 0 ? "Retry-After: \(Self.now + 90_000)" : "retry-after: 30"
            return number < 2 ? ClientWorld.refusal(4_290_000, headers: [field]) : ClientWorld.json("")
        }
        #expect(try world.client.deleteImage(ClientWorld.identifier) == .confirmed)
        #expect(world.received.count == 3)
        #expect(world.clock.waits.map(\.milliseconds) == [90_000, 30_000])
        #expect(world.clock.waits.allSatisfy { $0.code == nil && $0.operation == .deleteImage })
        #expect(world.clock.waits.first?.untilMilliseconds == Self.now + 90_000)
    }

    @Test("is an error after some waits, or at once when the client may not wait that long")
    func givesUp() throws {
        let patient = try ClientWorld { _, _ in ClientWorld.refusal(4_290_000) }
        #expect(patient.code { _ = try $0.listImages() } == "apple.rate-limited")
        #expect(patient.received.count == 4)
        let hasty = try ClientWorld({ $0.longestWaitMilliseconds = 10_000 }) { _, _ in
            ClientWorld.refusal(4_290_000, headers: ["Retry-After: 11"])
        }
        #expect(hasty.code { _ = try $0.listImages() } == "apple.rate-limited")
        #expect(hasty.received.count == 1 && hasty.clock.waits.isEmpty)
        // The next call of this kind is not even sent, and other kinds are.
        #expect(hasty.code { _ = try $0.listImages() } == "apple.rate-limited")
        #expect(hasty.received.count == 1)
        _ = hasty.code { _ = try $0.listMessages() }
        #expect(hasty.received.count == 2)
    }

    @Test("never comes when the client counts: bursts at once, then at the pace of the hour")
    func budget() throws {
        let world = try ClientWorld { _, _ in ClientWorld.json(#"{"realtimeURL":"https://a"}"#) }
        for _ in 0..<360 { _ = try world.client.realtimeURL() }
        #expect(world.clock.waits.isEmpty)
        _ = try world.client.realtimeURL()
        let wait = try #require(world.clock.waits.first)
        #expect(world.clock.waits.count == 1 && wait.code == nil)
        #expect((3_600_000...3_650_000).contains(wait.milliseconds))
        #expect(world.received.count == 361)
    }

    @Test("is not asked for: without time to wait, a call over the budget is not sent")
    func exhausted() throws {
        let world = try ClientWorld({ $0.longestWaitMilliseconds = 60_000 }) { _, _ in
            ClientWorld.json(#"{"realtimeURL":"https://a"}"#)
        }
        for _ in 0..<360 { _ = try world.client.realtimeURL() }
        #expect(world.code { _ = try $0.realtimeURL() } == "apple.rate-limited")
        #expect(world.received.count == 360)
    }
}
