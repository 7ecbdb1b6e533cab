internal import SignedPayloads

/// The JWS of an item: its text, or the decoded parts that the verifier has handed over.
enum ItemJWS: Sendable {
    case text([UInt8])
    case parts(ReceivedJWS)

    /// The JWS in compact form.
    var text: [UInt8] {
        switch self {
        case .text(let text): text
        case .parts(let received): received.compact
        }
    }

    /// The length of the text.
    var byteCount: Int {
        switch self {
        case .text(let text): text.count
        case .parts(let received): received.byteCount
        }
    }

    /// The encoded header, the decoded payload and the decoded signature, when the verifier has taken the JWS apart.
    var parts: (headerText: [UInt8], payload: [UInt8], signature: [UInt8])? {
        guard case .parts(let received) = self else { return nil }
        return (received.header, received.payload, received.signature)
    }
}
