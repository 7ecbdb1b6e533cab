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

    @Test("is an error after some waits")
    func givesUp() throws {
        let patient = try ClientWorld { _, _ in ClientWorld.refusal(4_290_000) }
        #expect(patient.code { _ = try $0.listImages() } == "apple.rate-limited")
        #expect(patient.received.count == 4)
    }
}
