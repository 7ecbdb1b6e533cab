internal import Cryptography
internal import SignedPayloads

/// A JWS in the form in which a row keeps it.
///
/// A JWS is long for two reasons: each has its certificates, which are nearly always the same, and base64url lengthens a
/// nested JWS twice. So a row keeps a reference to the header, and payload and signature as bytes. Texts of nested JWS are
/// cut out of the payload, because they have rows of their own.
enum JWSForm: Sendable, Hashable {
    /// The parts: the header as it was received (it has a row of its own), the decoded payload without the nested texts, and
    /// the decoded signature.
    case parts(headerText: [UInt8], payload: [UInt8], signature: [UInt8])
    /// The whole JWS as it was received, because it could not be rebuilt from parts.
    case whole([UInt8])

    /// Takes the texts of nested JWS that have rows of their own out of the payload, and checks that it can be rebuilt. base64url
    /// has one text for the same bytes, so the JWS can be rebuilt when its payload can be.
    static func of(_ jws: ReceivedJWS, without nested: [NestedText]) -> JWSForm {
        let short = NestedText.remove(nested, from: jws.payload)
        let rebuilt = NestedText.insert(nested, into: short)
        guard ByteComparison.areEqual(rebuilt.span, jws.payload.span) else { return .whole(jws.compact) }
        return .parts(headerText: jws.header, payload: short, signature: jws.signature)
    }
}

/// The text of a nested JWS, and its place in the decoded payload around it.
struct NestedText: Sendable, Hashable {
    let offset: Int
    let text: [UInt8]

    static func remove(_ texts: [NestedText], from payload: [UInt8]) -> [UInt8] {
        guard !texts.isEmpty else { return payload }
        var short: [UInt8] = []
        short.reserveCapacity(max(0, texts.reduce(payload.count) { $0 - $1.text.count }))
        var place = 0
        for nested in texts.sorted(by: { $0.offset < $1.offset }) where nested.offset >= place {
            short += payload[place..<nested.offset]
            place = nested.offset + nested.text.count
        }
        short += payload[place...]
        return short
    }

    /// Returns the payload with these texts at their places again. A place outside of the payload is the nearest end.
    static func insert(_ texts: [NestedText], into short: [UInt8]) -> [UInt8] {
        guard !texts.isEmpty else { return short }
        var payload: [UInt8] = []
        payload.reserveCapacity(texts.reduce(short.count) { $0 + $1.text.count })
        var place = 0
        for nested in texts.sorted(by: { $0.offset < $1.offset }) {
            // A damaged row may have any number, so nothing is added to it.
            let end = place + min(max(nested.offset, payload.count) - payload.count, short.count - place)
            payload += short[place..<end]
            payload += nested.text
            place = end
        }
        payload += short[place...]
        return payload
    }
}
