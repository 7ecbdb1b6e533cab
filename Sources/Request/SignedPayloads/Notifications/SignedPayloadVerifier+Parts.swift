internal import Cryptography
internal import JSON
public import Vocabulary

extension SignedPayloadVerifier {
    /// Returns the owner that payloads of a configured app must have in an environment.
    ///
    /// - Throws: `app-unknown`, `environment-not-configured`.
    public func owner(appAppleId: Int64, environment: Environment) throws(VerificationError) -> PayloadOwner {
        guard let app = apps[appAppleId] else { throw VerificationError(.appUnknown, .app(appAppleId)) }
        guard environment != .xcode, app.identity.environments.contains(environment) else {
            throw .plain(.environmentNotConfigured)
        }
        return PayloadOwner(app.identity, environment)
    }

    /// Verifies a transaction that came by itself, as Apple's API returns it. The certificates must be valid at its
    /// `signedDate`.
    ///
    /// - Parameters:
    ///   - text: the JWS.
    ///   - owner: the app and the environment that the transaction must belong to.
    ///   - nowMilliseconds: the wall clock, milliseconds since 1970.
    /// - Returns: the transaction, with the proof that it passed every check.
    /// - Throws: the ``VerificationError`` of the first step that fails; `app-differs`, `environment-differs`.
    public func verifyTransaction(compact text: Span<UInt8>, of owner: PayloadOwner, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<Signed<Transaction>>
    {
        try verifyPart(text, of: owner, by: .request, nowMilliseconds: nowMilliseconds, as: Transaction.self)
    }

    /// Verifies a renewal info that came by itself, like ``verifyTransaction(compact:of:nowMilliseconds:)``. It has no
    /// bundle identifier, so only its environment is held against `owner`.
    public func verifyRenewalInfo(compact text: Span<UInt8>, of owner: PayloadOwner, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<Signed<RenewalInfo>>
    {
        try verifyPart(text, of: owner, by: .request, nowMilliseconds: nowMilliseconds, as: RenewalInfo.self)
    }

    /// Verifies an app transaction that came by itself, like ``verifyTransaction(compact:of:nowMilliseconds:)``. The
    /// certificates must be valid at its `receiptCreationDate`.
    public func verifyAppTransaction(
        compact text: Span<UInt8>, of owner: PayloadOwner, nowMilliseconds: Int64
    ) throws(VerificationError) -> VerifiedPayload<Signed<AppTransaction>> {
        try verifyPart(
            text, of: owner, by: .request, nowMilliseconds: nowMilliseconds, as: AppTransaction.self)
    }

    /// Parses the payload of a notification, or of a part of one.
    func storedObject(_ json: Span<UInt8>) throws(VerificationError) -> JSONDocument {
        try SignedJSON.storedObject(json, byteCount: policy.jsonByteCount)
    }

    /// Verifies a payload that has a JWS of its own.
    func verifyPart<Content: SignedContent>(
        _ text: Span<UInt8>, of owner: PayloadOwner, by presenter: ChainTrust.Presenter,
        nowMilliseconds: Int64, as type: Content.Type
    ) throws(VerificationError) -> VerifiedPayload<Signed<Content>> {
        let signed = try verifySignature(of: text, by: presenter, nowMilliseconds: nowMilliseconds)
        let document = try storedObject(signed.jws.payload.span)
        let content = Content(document.root)
        try checkValidity(of: signed.chain, at: content.signedMilliseconds ?? nowMilliseconds)
        try content.check(owner)
        guard apps[owner.appAppleId]?.anchors.contains(signed.chain.anchor) == true else {
            throw .plain(.anchorNotForApp)
        }
        let received = accept(signed, of: text)
        return VerifiedPayload(
            payload: Signed(content: content, received: received), anchor: signed.chain.anchor,
            chainWasCached: signed.wasCached)
    }
}
