internal import Cryptography

/// The parts of a JWS in compact serialization (RFC 7515 section 3.1): their places in the text, and the decoded bytes.
struct CompactJWS {
    /// The end of the encoded header, which starts at position 0.
    let headerEnd: Int
    /// The end of the signing input `header.payload`, which starts at position 0.
    let signingInputEnd: Int
    /// The decoded payload.
    let payload: [UInt8]
    /// The decoded signature.
    let signature: [UInt8]

    /// Splits `text` and decodes payload and signature. The header stays encoded, because the verifier compares a
    /// header that it has seen before instead of decoding it.
    ///
    /// - Parameters:
    ///   - text: the whole JWS.
    ///   - knownHeaderEnd: the length of the encoded header, when the caller has found a known header at the start;
    ///     else nil.
    /// - Throws: `jws-not-three-parts`, `jws-bad-base64url`.
    init(_ text: Span<UInt8>, knownHeaderEnd: Int? = nil) throws(Refusal) {
        let dot = UInt8(ascii: ".")
        guard let first = knownHeaderEnd ?? ByteComparison.firstIndex(of: dot, in: text, from: 0),
            let second = ByteComparison.firstIndex(of: dot, in: text, from: first + 1),
            ByteComparison.firstIndex(of: dot, in: text, from: second + 1) == nil
        else { throw .notThreeParts }
        var payload: [UInt8] = []
        var signature: [UInt8] = []
        guard Base64URL.decode(text.extracting(first + 1..<second), into: &payload),
            Base64URL.decode(text.extracting(second + 1..<text.count), into: &signature)
        else { throw .badBase64URL }
        headerEnd = first
        signingInputEnd = second
        self.payload = payload
        self.signature = signature
    }
}
