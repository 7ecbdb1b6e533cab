internal import Cryptography
public import DataFiles
public import Decisions
internal import JSON
internal import System
public import Vocabulary

extension OfferSigner {
    /// What is signed is about one subscriber and one time, and no two have the same nonce.
    public struct Occasion: Sendable, Hashable {
        /// The subscriber: the request's originalTransactionId.
        public let transactionId: String
        /// The time, milliseconds since 1970.
        public let nowMilliseconds: Int64
        /// The nonce; of an Advanced Commerce request also its requestReferenceId.
        public let nonce: UUID

        /// Names an occasion, for who repeats a signature.
        public init(transactionId: String, nowMilliseconds: Int64, nonce: UUID) {
            self.transactionId = transactionId
            self.nowMilliseconds = nowMilliseconds
            self.nonce = nonce
        }

        /// An occasion with a nonce from the kernel's random source.
        ///
        /// - Throws: `offer-signing.random-unavailable`.
        public init(transactionId: String, nowMilliseconds: Int64) throws(OfferSigningError) {
            guard let nonce = try? UUID.random() else { throw .randomUnavailable }
            self.init(transactionId: transactionId, nowMilliseconds: nowMilliseconds, nonce: nonce)
        }

        fileprivate init(_ request: DecisionRequest) throws(OfferSigningError) {
            try self.init(
                transactionId: request.originalTransactionId,
                nowMilliseconds: request.nowMilliseconds
            )
        }
    }

    /// What is served, with what has to be signed for it.
    ///
    /// - Parameters:
    ///   - outcome: what was decided.
    ///   - file: the rules that decided.
    ///   - request: what was asked.
    /// - Returns: nil for nothing.
    /// - Throws: the codes of ``OfferSigningError``.
    public func sign(
        _ outcome: Decision.Outcome,
        in file: RulesFile,
        answering request: DecisionRequest
    ) throws(OfferSigningError) -> SignedOutcome? {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message, .switch: return SignedOutcome(unsigned: outcome, in: file)
        case .offer(let productId, let offerIdentifier):
            let offer = PromotionalOffer(
                productId: file.text(at: productId),
                offerIdentifier: file.text(at: offerIdentifier)
            )
            let signature = try signature(of: offer, on: Occasion(request))
            return SignedOutcome(messageIdentifier: identifier, content: .offer(offer, signature))
        case .advancedCommerce(let template):
            let data = try advancedCommerceData(template: file.text(at: template), on: Occasion(request))
            return SignedOutcome(messageIdentifier: identifier, content: .advancedCommerce(data))
        }
    }

    private func signature(
        of offer: PromotionalOffer,
        on occasion: Occasion
    ) throws(OfferSigningError) -> SignedOutcome.PromotionalOfferSignature {
        switch form {
        case .v1: .v1(try signatureV1(of: offer, on: occasion))
        case .v2: .v2(try signatureV2(of: offer, on: occasion))
        }
    }

    /// promotionalOfferSignatureV2: the JWS of an offer. Apple computes its expiry from `iat` and does not say how; it is
    /// made anew for each request.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func signatureV2(
        of offer: PromotionalOffer,
        on occasion: Occasion
    ) throws(OfferSigningError) -> String {
        var claims = claims(audience: "promotional-offer", occasion)
        claims.add("productId", offer.productId)
        claims.add("offerIdentifier", offer.offerIdentifier)
        // What StoreKit calls optional, Get Retention Message requires.
        claims.add("transactionId", occasion.transactionId)
        return try token(claims)
    }

    /// promotionalOfferSignatureV1: the fields of an offer, signed.
    ///
    /// - Parameters:
    ///   - offer: what is offered.
    ///   - occasion: the time and the nonce; the subscriber is not in this form.
    ///   - appAccountToken: the token that the app gave with the purchase; nil where there was none.
    /// - Returns: the fields with their signature.
    /// - Throws: `offer-signing.bad-identifier`, `cryptography.openssl-failure`.
    public func signatureV1(
        of offer: PromotionalOffer,
        on occasion: Occasion,
        appAccountToken: UUID? = nil
    ) throws(OfferSigningError) -> PromotionalOfferSignatureV1 {
        let text = try PromotionalOfferSignatureV1.signedText(
            bundleId: bundleId,
            keyId: keyId,
            offer: offer,
            appAccountToken: appAccountToken,
            nonce: occasion.nonce,
            timestamp: occasion.nowMilliseconds
        )
        let signature = try CryptographyError.mapped(
            to: OfferSigningError.signature,
            try key.signDER(text.span)
        )
        return PromotionalOfferSignatureV1(
            encodedSignature: String(decoding: Base64.encode(signature.span), as: UTF8.self),
            offer: offer,
            nonce: occasion.nonce,
            timestamp: occasion.nowMilliseconds,
            keyId: keyId,
            appAccountToken: appAccountToken
        )
    }

    /// advancedCommerceData: a SubscriptionModifyInAppRequest, signed.
    ///
    /// - Parameters:
    ///   - template: the request as the rules have it.
    ///   - occasion: for whom and when.
    /// - Returns: base64 of a JSON object.
    /// - Throws: `offer-signing.template-invalid`, `cryptography.openssl-failure`.
    public func advancedCommerceData(
        template: String,
        on occasion: Occasion
    ) throws(OfferSigningError) -> String {
        let request = try AdvancedCommerceRequest.json(
            template: template,
            transactionId: occasion.transactionId,
            requestReferenceId: occasion.nonce
        )
        let encoded = String(decoding: Base64.encode(request.span), as: UTF8.self)
        var claims = claims(audience: "advanced-commerce-api", occasion)
        claims.add("request", encoded)
        return AdvancedCommerceRequest.data(around: try token(claims))
    }

    /// The claims that every audience has.
    private func claims(audience: String, _ occasion: Occasion) -> JSONObjectWriter {
        var claims = JSONObjectWriter(reservingByteCount: 512)
        claims.add("iss", issuerId)
        claims.add("iat", occasion.nowMilliseconds / 1000)
        claims.add("aud", audience)
        claims.add("bid", bundleId)
        claims.add("nonce", occasion.nonce.description)
        return claims
    }

    private func token(_ claims: JSONObjectWriter) throws(OfferSigningError) -> String {
        do throws(CryptographyError) {
            let bytes = try JWSSigning.token(header: encodedHeader, claims: claims, key: key)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw .signature(error)
        }
    }
}
