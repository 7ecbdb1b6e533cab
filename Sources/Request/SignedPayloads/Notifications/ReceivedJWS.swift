internal import Cryptography

/// A verified JWS as it was received. The parts rebuild it byte for byte, so that a store can keep the header, which is
/// the same in millions of payloads, once.
public struct ReceivedJWS: Sendable, Hashable {
    /// The encoded header: the text before the first full stop.
    public let header: [UInt8]
    /// The payload, decoded: a JSON object.
    public let payload: [UInt8]
    /// The signature, decoded: 64 bytes.
    public let signature: [UInt8]

    /// Puts parts together that a store has kept. This is no proof that the signature is valid.
    public init(header: [UInt8], payload: [UInt8], signature: [UInt8]) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// The JWS in compact serialization, byte for byte as received: base64url without padding has one text for the same
    /// bytes, and the verifier accepts no other text.
    public var compact: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        text += header
        text.append(UInt8(ascii: "."))
        Base64URL.encode(payload.span, appendingTo: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.encode(signature.span, appendingTo: &text)
        return text
    }

    /// The number of bytes of ``compact``.
    public var byteCount: Int {
        header.count + 2 + Base64URL.encodedCount(of: payload.count)
            + Base64URL.encodedCount(of: signature.count)
    }
}

/// The content of a verified JWS, together with the JWS as received.
public struct Signed<Content: Sendable>: Sendable {
    /// The members of the payload.
    public let content: Content
    public let received: ReceivedJWS
}
