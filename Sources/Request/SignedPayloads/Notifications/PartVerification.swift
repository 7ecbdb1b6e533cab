internal import Cryptography
internal import JSON

/// Verifies the signed parts of one notification, and finds their places in its payload.
struct PartVerification {
    let verifier: SignedPayloadVerifier
    /// The owner of the notification, which must be the owner of each part.
    let owner: PayloadOwner
    /// The payload of the notification.
    let payload: [UInt8]
    let nowMilliseconds: Int64
    /// The places of the parts so far.
    private var places: [Range<Int>] = []

    init(verifier: SignedPayloadVerifier, owner: PayloadOwner, payload: [UInt8], nowMilliseconds: Int64) {
        self.verifier = verifier
        self.owner = owner
        self.payload = payload
        self.nowMilliseconds = nowMilliseconds
    }

    /// Verifies the member `name` of `object`. Returns nil when it is absent.
    ///
    /// - Throws: `crypto-openssl-failure`, which says nothing about the part: the notification must be sent again.
    mutating func verify<Content: SignedContent>(
        _ name: StaticString, of object: JSONValue?, as content: Content.Type
    ) throws(VerificationError) -> NotificationPart<Content>? {
        guard let member = object?.member(name), member.kind != .null else { return nil }
        do throws(VerificationError) {
            let verified = try member.withUTF8 { text throws(VerificationError) in
                (
                    payload: try self.verifier.verifyPart(
                        text, of: owner, by: .verifiedPayload, nowMilliseconds: self.nowMilliseconds,
                        as: Content.self), place: self.place(of: text)
                )
            }
            guard let verified else {
                throw VerificationError(.payloadMemberMistyped, .member(name.description))
            }
            if let place = verified.place { places.append(place) }
            return .verified(verified.payload, place: verified.place)
        } catch {
            if error.refusal == .opensslFailure { throw error }
            return .failed(error)
        }
    }

    /// Returns where a text stands between quotes in the payload, outside of the places of other parts; nil when it stands
    /// nowhere, because it is written with escapes.
    private func place(of text: Span<UInt8>) -> Range<Int>? {
        let bytes = payload.span
        let quote = UInt8(ascii: "\"")
        var position = 0
        while let opening = ByteComparison.firstIndex(of: quote, in: bytes, from: position) {
            let place = opening + 1..<opening + 1 + text.count
            position = opening + 1
            guard place.upperBound < bytes.count else { return nil }
            if bytes[place.upperBound] == quote, ByteComparison.areEqual(bytes.extracting(place), text),
                !places.contains(where: { $0.overlaps(place) })
            {
                return place
            }
        }
        return nil
    }
}
