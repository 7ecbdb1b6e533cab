internal import JSON

extension SignedPayloadVerifier {
    /// Lends the JWS in a body `{"signedPayload": "…"}` to `verify`.
    ///
    /// A body in the exact form that Apple's server sends, `{"signedPayload":"…"}` without white space, is split in
    /// place without a parser. If the text between the quotes passes as three parts of strict base64url, it has no
    /// quote and no escape, so a JSON parser would have found the same text. The JSON parser reads any other body.
    ///
    /// - Throws: `body-not-json`, `signed-payload-missing`, or what `verify` throws.
    public func withSignedPayload<Outcome>(
        inBody body: Span<UInt8>, _ verify: (Span<UInt8>) throws(VerificationError) -> Outcome
    ) throws(VerificationError) -> Outcome {
        try withSignedPayload(inBody: body, else: { _ in .signedPayloadMissing }, verify)
    }

    /// Lends the JWS as ``withSignedPayload(inBody:_:)`` does.
    ///
    /// - Throws: what `refusal` returns for an object without a string `signedPayload`.
    func withSignedPayload<Outcome>(
        inBody body: Span<UInt8>, else refusal: (JSONValue) -> Refusal,
        _ verify: (Span<UInt8>) throws(VerificationError) -> Outcome
    ) throws(VerificationError) -> Outcome {
        let prefix = Self.prefix
        if body.count > prefix.count + Self.suffix.count, Self.hasExactForm(body) {
            let text = body.extracting(prefix.count..<body.count - Self.suffix.count)
            do throws(VerificationError) {
                return try verify(text)
            } catch {
                guard error.refusal.step == .compactSerialization, !Self.isPlain(text) else { throw error }
            }
        }
        return try parse(body, else: refusal, verify)
    }

    private func parse<Outcome>(
        _ body: Span<UInt8>,
        else refusal: (JSONValue) -> Refusal,
        _ verify: (Span<UInt8>) throws(VerificationError) -> Outcome
    ) throws(VerificationError) -> Outcome {
        let limits = JSONLimits(byteCount: policy.jsonByteCount, depth: SignedPayloadsLimits.jsonDepth)
        guard let document = try? JSONDocument(parsing: body, limits: limits), document.root.kind == .object
        else { throw .plain(.bodyNotJSON) }
        guard let value = document.root.member("signedPayload"), value.kind == .string,
            let outcome = try value.withUTF8(verify)
        else { throw .plain(refusal(document.root)) }
        return outcome
    }

    private static let prefix = Array(#"{"signedPayload":""#.utf8)
    private static let suffix = Array(#""}"#.utf8)

    private static func hasExactForm(_ body: Span<UInt8>) -> Bool {
        for index in prefix.indices where body[index] != prefix[index] { return false }
        return body[body.count - 2] == suffix[0] && body[body.count - 1] == suffix[1]
    }

    /// Returns true when a JSON parser would read these bytes, between quotes, as themselves.
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                return false
            }
        }
        return true
    }
}
