public import Cryptography
internal import JSON
public import Rules
public import System

/// Signs what the decisions for one app need: promotional offers and requests of the Advanced Commerce API. Each signature
/// is made for one request, with its own nonce, and is never stored. A signer belongs to one thread.
public struct OfferSigner {
    public let capabilities: SigningCapabilities
    public let form: OfferSignature
    let key: ES256Signer
    let keyId: String
    let issuerId: String
    let bundleId: String
    let encodedHeader: [UInt8]

    public init(
        key: SigningKey, keyId: String, issuerId: String, bundleId: String, form: OfferSignature = .v2,
        capabilities: SigningCapabilities = .all
    ) throws(CryptographyError) {
        self.key = try ES256Signer(key)
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.form = form
        self.capabilities = capabilities
        encodedHeader = JWSSigning.encodedHeader(keyId: keyId)
    }
}

extension OfferSigner {
    public struct SigningContext: Sendable, Hashable {
        public let transactionId: String
        public let nowMilliseconds: Int64
        public let nonce: UUID

        public init(transactionId: String, nowMilliseconds: Int64, nonce: UUID = .random()) {
            self.transactionId = transactionId
            self.nowMilliseconds = nowMilliseconds
            self.nonce = nonce
        }

        fileprivate init(_ request: DecisionRequest) {
            self.init(
                transactionId: request.originalTransactionId, nowMilliseconds: request.nowMilliseconds)
        }
    }

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

    /// Makes promotionalOfferSignatureV2, the JWS of an offer. Apple computes its expiry from `iat` and does not say how, so
    /// the service makes a new JWS for each request.
    public func signatureV2(of offer: PromotionalOffer, on context: SigningContext) throws(OfferSigningError)
        -> String
    {
        var claims = claims(audience: "promotional-offer", context)
        claims.append(#","productId":"#, offer.productId)
        claims.append(#","offerIdentifier":"#, offer.offerIdentifier)
        // StoreKit calls transactionId optional, but Get Retention Message requires it.
        claims.append(#","transactionId":"#, context.transactionId)
        return try token(claims)
    }

    public func signatureV1(of offer: PromotionalOffer, on context: SigningContext) throws(OfferSigningError)
        -> PromotionalOfferSignatureV1
    {
        let text = try PromotionalOfferSignatureV1.signedText(
            bundleId: bundleId, keyId: keyId, offer: offer, appAccountToken: nil,
            nonce: context.nonce, timestamp: context.nowMilliseconds)
        let signature = try CryptographyError.mapped(
            to: OfferSigningError.signature, try key.signDER(text.span))
        return PromotionalOfferSignatureV1(
            encodedSignature: String(decoding: Base64.encode(signature.span), as: UTF8.self), offer: offer,
            nonce: context.nonce, timestamp: context.nowMilliseconds, keyId: keyId)
    }

    public func advancedCommerceData(template: String, on context: SigningContext) throws(OfferSigningError)
        -> String
    {
        let request = try AdvancedCommerceRequest.json(
            template: template, transactionId: context.transactionId, requestReferenceId: context.nonce)
        let encoded = String(decoding: Base64.encode(request.span), as: UTF8.self)
        var claims = claims(audience: "advanced-commerce-api", context)
        claims.append(#","request":"#, encoded)
        return AdvancedCommerceRequest.data(around: try token(claims))
    }

    /// Returns the beginning of the claims. ``token(_:)`` ends them.
    private func claims(audience: StaticString, _ context: SigningContext) -> TextBuffer {
        var claims = TextBuffer(reservingByteCount: 512)
        claims.append(#"{"iss":"#, issuerId)
        claims.append(#","iat":"#, context.nowMilliseconds / 1000)
        claims.append(#","aud":""#)
        claims.append(audience)
        claims.append(#"","bid":"#, bundleId)
        claims.append(#","nonce":""#)
        claims.append(context.nonce)
        claims.append(UInt8(ascii: "\""))
        return claims
    }

    private func token(_ claims: consuming TextBuffer) throws(OfferSigningError) -> String {
        claims.append(UInt8(ascii: "}"))
        let (header, key) = (encodedHeader, key)
        let bytes = try CryptographyError.mapped(
            to: OfferSigningError.signature,
            try claims.withSpan { text throws(CryptographyError) in
                try JWSSigning.token(header: header, claims: text, key: key)
            })
        return String(decoding: bytes, as: UTF8.self)
    }
}

public enum OfferSignature: String, Sendable, Hashable, CaseIterable {
    case v1
    case v2
}

/// The form in which an answer carries a request of the Advanced Commerce API.
///
/// Apple's documentation has one form: the data is the base64 of a JSON object with a signed request in it (Apple,
/// "advancedCommerceData", Retention Messaging API).
public enum AdvancedCommerceForm: String, Sendable, Hashable, CaseIterable {
    case off
    /// The JSON object is `{"signatureInfo":{"token":"<JWS>"}}`.
    case signatureInfo

    public var capabilities: SigningCapabilities {
        switch self {
        case .off: .offers
        case .signatureInfo: .all
        }
    }
}

public enum OfferSigningError: CodedError, Hashable {
    case signature(CryptographyError)
    case badIdentifier
    case templateInvalid

    public var code: String {
        switch self {
        case .signature(let error): error.code
        case .badIdentifier: "offer-signing.bad-identifier"
        case .templateInvalid: "offer-signing.template-invalid"
        }
    }
}

/// Builds a SubscriptionModifyInAppRequest of the Advanced Commerce API from the template in the rules. The members
/// `operation`, `version`, `transactionId` and `requestInfo.requestReferenceId` are added here.
enum AdvancedCommerceRequest {
    static let operation = "MODIFY_SUBSCRIPTION"
    static let version = "1"
    /// The limits of a template. A usual template has a few hundred bytes; one beyond 16 KiB would not fit an answer well.
    static let limits = JSONLimits(byteCount: 16 << 10, depth: 8)

    static func json(template: String, transactionId: String, requestReferenceId: UUID)
        throws(OfferSigningError) -> [UInt8]
    {
        guard let document = try? JSONDocument(parsing: template.utf8Span.span, limits: limits),
            document.root.kind == .object
        else { throw .templateInvalid }
        let own: Set<String> = ["operation", "version", "transactionId", "requestInfo"]
        let reference = ("requestReferenceId", JSONNode.string(requestReferenceId.description))
        let given = document.root.member("requestInfo").map { $0.members } ?? []
        let info = given.filter { $0.name != reference.0 }.map { ($0.name, JSONNode($0.value)) }
        let rest = document.root.members.filter { !own.contains($0.name) }
            .map { ($0.name, JSONNode($0.value)) }
        return JSONNode.object(
            [
                ("operation", .string(operation)), ("version", .string(version)),
                ("requestInfo", .object([reference] + info)), ("transactionId", .string(transactionId)),
            ] + rest
        ).serialized()
    }

    static func data(around token: String) -> String {
        let object = JSONNode.object([("signatureInfo", .object([("token", .string(token))]))]).serialized()
        return String(decoding: Base64.encode(object.span), as: UTF8.self)
    }
}
