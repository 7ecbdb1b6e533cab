internal import Cryptography

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

    /// A nested JWS that has a row of its own.
    struct Nested {
        let text: [UInt8]
        /// Its offset in the decoded payload around it; nil when it must be searched.
        let offset: Int?
    }

    /// Takes a JWS apart, and checks that it can be rebuilt byte for byte.
    ///
    /// - Parameters:
    ///   - jws: the received JWS.
    ///   - nested: the nested JWS that have rows of their own.
    /// - Returns: the form, and for each nested text its offset in the decoded payload. An offset is nil when the text stays
    ///   in the payload.
    static func of(_ jws: ItemJWS, nested: [Nested]) -> (form: JWSForm, offsets: [Int?]) {
        let none = [Int?](repeating: nil, count: nested.count)
        guard let (headerText, payload, signature) = parts(of: jws) else {
            return (.whole(jws.text), none)
        }
        let offsets = nested.map { $0.offset ?? quotedOffset(of: $0.text, in: payload) }
        let cuts = zip(offsets, nested).compactMap { offset, nested in
            offset.map { NestedText(offset: $0, text: nested.text) }
        }
        let short = NestedText.remove(cuts, from: payload)
        // base64url has one text for the same bytes, so the JWS can be rebuilt when its payload can be.
        let rebuilt = NestedText.insert(cuts, into: short)
        guard ByteComparison.areEqual(rebuilt.span, payload.span) else { return (.whole(jws.text), none) }
        return (.parts(headerText: headerText, payload: short, signature: signature), offsets)
    }

    /// Builds the text of a JWS from its parts.
    static func assemble(headerText: [UInt8], payload: [UInt8], signature: [UInt8], nested: [NestedText])
        -> [UInt8]
    {
        let dot = UInt8(ascii: ".")
        let whole = NestedText.insert(nested, into: payload)
        var text: [UInt8] = []
        text.reserveCapacity(headerText.count + (whole.count + signature.count) * 4 / 3 + 8)
        text += headerText
        text.append(dot)
        Base64URL.encode(whole.span, appendingTo: &text)
        text.append(dot)
        Base64URL.encode(signature.span, appendingTo: &text)
        return text
    }

    /// Returns the text of the header, the decoded payload and the decoded signature; nil when the JWS is malformed.
    private static func parts(
        of jws: ItemJWS
    ) -> (headerText: [UInt8], payload: [UInt8], signature: [UInt8])? {
        guard let parts = jws.parts else { return split(jws.text) }
        // The verifier accepts only base64url that can be made again of the decoded bytes.
        return (parts.headerText, parts.payload, parts.signature)
    }

    private static func split(
        _ jws: [UInt8]
    ) -> (headerText: [UInt8], payload: [UInt8], signature: [UInt8])? {
        let dot = UInt8(ascii: ".")
        let text = jws.span
        guard let first = ByteComparison.firstIndex(of: dot, in: text, from: 0),
            let second = ByteComparison.firstIndex(of: dot, in: text, from: first + 1),
            let headerText = rebuildable(text.extracting(..<first)),
            let payload = Base64URL.decode(text.extracting(first + 1..<second)),
            let signature = Base64URL.decode(text.extracting(second + 1..<text.count))
        else { return nil }
        return (headerText, payload, signature)
    }

    /// Returns the text of a header when it can be made again of its decoded bytes, else nil.
    private static func rebuildable(_ headerText: Span<UInt8>) -> [UInt8]? {
        guard let header = Base64URL.decode(headerText) else { return nil }
        let rebuilt = Base64URL.encode(header.span)
        return ByteComparison.areEqual(rebuilt.span, headerText) ? rebuilt : nil
    }

    /// Returns the offset at which `text` stands in the payload as a JSON string without escapes; nil when it does not.
    private static func quotedOffset(of text: [UInt8], in payload: [UInt8]) -> Int? {
        let quote = UInt8(ascii: "\"")
        let bytes = payload.span
        var place = 0
        while let found = ByteComparison.firstIndex(of: quote, in: bytes, from: place) {
            place = found + 1
            let end = place + text.count
            guard end < bytes.count else { return nil }
            guard bytes[end] == quote else { continue }
            if ByteComparison.areEqual(bytes.extracting(place..<end), text.span) { return place }
        }
        return nil
    }
}

/// The text of a nested JWS, and its place in the decoded payload around it.
struct NestedText: Sendable, Hashable {
    let offset: Int
    let text: [UInt8]

    /// Returns the payload without these texts.
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
