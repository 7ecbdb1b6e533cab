internal import JSON

extension SignedPayloadVerifier {
    /// Lends the JWS in a body `{"signedPayload": "…"}` to `verify`.
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
        // A payload is in base64 in the body, which makes it longer by a third.
        let limits = JSONLimits(byteCount: 2 * policy.jsonByteCount, depth: SignedPayloadsLimits.jsonDepth)
        guard let document = try? JSONDocument(parsing: body, limits: limits), document.root.kind == .object
        else { throw .plain(.bodyNotJSON) }
        guard let value = document.root.member("signedPayload"), value.kind == .string,
            let outcome = try value.withUTF8(verify)
        else { throw .plain(refusal(document.root)) }
        return outcome
    }
}
