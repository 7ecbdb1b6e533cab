internal import Cryptography
public import DataFiles
public import Decisions
internal import JSON
internal import System
internal import TokenSigning
public import Vocabulary

extension OfferSigner {
    /// The subscriber, the time and the nonce that a signature is about. No two signatures of the service have the same
    /// nonce.
    public struct SigningContext: Sendable, Hashable {
        /// The subscriber: the originalTransactionId of the request.
        public let transactionId: String
        /// The time of signing, milliseconds since 1970.
        public let nowMilliseconds: Int64
        /// The nonce. It is also the requestReferenceId of an Advanced Commerce request.
        public let nonce: UUID

        /// Makes a context with a given nonce, for a caller that repeats a signature.
        public init(transactionId: String, nowMilliseconds: Int64, nonce: UUID) {
            self.transactionId = transactionId
            self.nowMilliseconds = nowMilliseconds
            self.nonce = nonce
        }

        /// Makes a context with a new nonce from the kernel's random source.
        ///
        /// - Throws: `offer-signing.random-unavailable`.
        public init(transactionId: String, nowMilliseconds: Int64) throws(OfferSigningError) {
            guard let nonce = try? UUID.random() else { throw .randomUnavailable }
            self.init(transactionId: transactionId, nowMilliseconds: nowMilliseconds, nonce: nonce)
        }

        fileprivate init(_ request: DecisionRequest) throws(OfferSigningError) {
            try self.init(
                transactionId: request.originalTransactionId, nowMilliseconds: request.nowMilliseconds)
        }
    }

    /// Makes the outcome to serve, with the signatures that it needs.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the decision.
    ///   - file: the rules that decided.
    ///   - request: the request that was decided.
    /// - Returns: the outcome to serve; nil for `nothing`.
    /// - Throws: the codes of ``OfferSigningError``.
    public func sign(_ outcome: Decision.Outcome, in file: RulesFile, answering request: DecisionRequest)
        throws(OfferSigningError) -> SignedOutcome?
    {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message, .switch: return SignedOutcome(unsigned: outcome, in: file)
        case .offer(let productId, let offerIdentifier):
            let offer = PromotionalOffer(productId, offerIdentifier, in: file)
            let signature = try signature(of: offer, on: SigningContext(request))
            return SignedOutcome(messageIdentifier: identifier, content: .offer(offer, signature))
        case .advancedCommerce(let template):
            let data = try advancedCommerceData(
                template: file.text(at: template), on: SigningContext(request))
            return SignedOutcome(messageIdentifier: identifier, content: .advancedCommerce(data))
        }
    }

    private func signature(of offer: PromotionalOffer, on context: SigningContext) throws(OfferSigningError)
        -> SignedOutcome.PromotionalOfferSignature
    {
        switch form {
        case .v1: .v1(try signatureV1(of: offer, on: context))
        case .v2: .v2(try signatureV2(of: offer, on: context))
        }
    }

    /// Makes promotionalOfferSignatureV2, the JWS of an offer. Apple computes its expiry from `iat` and does not say
    /// how, so the service makes a new JWS for each request.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func signatureV2(of offer: PromotionalOffer, on context: SigningContext) throws(OfferSigningError)
        -> String
    {
        var claims = claims(audience: "promotional-offer", context)
        claims.add("productId", offer.productId)
        claims.add("offerIdentifier", offer.offerIdentifier)
        // StoreKit calls transactionId optional, but Get Retention Message requires it.
        claims.add("transactionId", context.transactionId)
        return try token(claims)
    }

    /// Makes promotionalOfferSignatureV1, the signed fields of an offer.
    ///
    /// - Parameters:
    ///   - offer: the offer to sign.
    ///   - context: the time and the nonce. The V1 form does not contain the subscriber.
    ///   - appAccountToken: the token that the app gave with the purchase; nil when there was none.
    /// - Returns: the fields with their signature.
    /// - Throws: `offer-signing.bad-identifier`, `cryptography.openssl-failure`.
    public func signatureV1(
        of offer: PromotionalOffer, on context: SigningContext, appAccountToken: UUID? = nil
    ) throws(OfferSigningError) -> PromotionalOfferSignatureV1 {
        let text = try PromotionalOfferSignatureV1.signedText(
            bundleId: bundleId, keyId: keyId, offer: offer, appAccountToken: appAccountToken,
            nonce: context.nonce, timestamp: context.nowMilliseconds)
        let signature = try CryptographyError.mapped(
            to: OfferSigningError.signature, try key.signDER(text.span))
        return PromotionalOfferSignatureV1(
            encodedSignature: String(decoding: Base64.encode(signature.span), as: UTF8.self), offer: offer,
            nonce: context.nonce, timestamp: context.nowMilliseconds, keyId: keyId,
            appAccountToken: appAccountToken)
    }

    /// Makes advancedCommerceData, a signed SubscriptionModifyInAppRequest.
    ///
    /// - Parameters:
    ///   - template: the request as the rules have it.
    ///   - context: the subscriber, the time and the nonce.
    /// - Returns: the base64 of a JSON object.
    /// - Throws: `offer-signing.template-invalid`, `cryptography.openssl-failure`.
    public func advancedCommerceData(template: String, on context: SigningContext) throws(OfferSigningError)
        -> String
    {
        let request = try AdvancedCommerceRequest.json(
            template: template, transactionId: context.transactionId, requestReferenceId: context.nonce)
        let encoded = String(decoding: Base64.encode(request.span), as: UTF8.self)
        var claims = claims(audience: "advanced-commerce-api", context)
        claims.add("request", encoded)
        return AdvancedCommerceRequest.data(around: try token(claims))
    }

    /// Returns the claims that a JWS has for every audience.
    private func claims(audience: String, _ context: SigningContext) -> JSONObjectWriter {
        var claims = JSONObjectWriter(reservingByteCount: 512)
        claims.add("iss", issuerId)
        claims.add("iat", context.nowMilliseconds / 1000)
        claims.add("aud", audience)
        claims.add("bid", bundleId)
        claims.add("nonce", context.nonce.description)
        return claims
    }

    private func token(_ claims: JSONObjectWriter) throws(OfferSigningError) -> String {
        let bytes = try CryptographyError.mapped(
            to: OfferSigningError.signature,
            try JWSSigning.token(header: encodedHeader, claims: claims, key: key))
        return String(decoding: bytes, as: UTF8.self)
    }
}
