import Support

/// Requests for load: whole HTTP requests with signed bodies.
enum TestTraffic {
    static let path = "/retention-message"

    /// Sound requests, each with its own payload and signature.
    static func valid(_ forge: ZooForge, count: Int = 64) throws -> [[UInt8]] {
        try (1...count).map { number in
            let payload = TestPayload.request(signedDate: forge.now, identifier: number)
            return PlainRequest.post(path, try forge.trusted.body(payload))
        }
    }

    /// Bodies of the size of a real one that are refused because of a letter that is not base64url.
    static func badBase64(_ forge: ZooForge) throws -> AttackTemplate {
        var body = try forge.body(forge.payload)
        body[body.count - 3] = UInt8(ascii: "!")
        // The same bytes change as in the attacks, so that both cost the client the same.
        return AttackTemplate(request: PlainRequest.post(path, body), distanceFromEnd: body.count / 2)
    }
}
