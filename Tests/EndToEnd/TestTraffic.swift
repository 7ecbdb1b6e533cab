import HTTPLoad
import Support

/// Requests for load: whole HTTP requests with signed bodies.
enum TestTraffic {
    static let path = "/retention-message"

    /// Valid requests, each with its own payload and signature.
    static func valid(_ forge: ZooForge, count: Int = 64) throws -> [[UInt8]] {
        try (1...count).map { number in
            let payload = TestPayload.request(signedDate: forge.now, identifier: number)
            return RequestText.post(path, try forge.trusted.body(payload))
        }
    }

    /// Requests with bodies of a real size that are refused because one character is not base64url.
    static func badBase64(_ forge: ZooForge) throws -> AttackTemplate {
        var body = try forge.body(forge.payload)
        body[body.count - 3] = UInt8(ascii: "!")
        // The client changes the same bytes as in the attacks, so that both cost the client the same time.
        return AttackTemplate(request: RequestText.post(path, body), distanceFromEnd: body.count / 2)
    }
}
