import AppStoreSimulator
import SignedPayloads
import Support
import System
import Testing

@Suite("Damaged notifications")
struct NotificationPropertyTests {
    @Test("with one byte changed are refused, or a part of them fails: nothing of them is taken for signed")
    func damaged() throws {
        let forge = try NotificationZooTests.forge.get()
        let body = try forge.body(forge.notification())
        let sound = try forge.verifier()
            .verifyNotification(body: body.span, nowMilliseconds: forge.now)
        var random = SeededGenerator(for: "NotificationPropertyTests.damaged")
        let verifier = try forge.verifier()
        for _ in 0..<400 {
            var other = body
            let index = Int.random(in: other.indices, using: &random)
            other[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            // A changed byte of the body's frame may leave the JWS as it was.
            guard
                let verified = try? verifier.verifyNotification(body: other.span, nowMilliseconds: forge.now)
            else { continue }
            #expect(verified.payload.received == sound.payload.received)
        }
    }
}
