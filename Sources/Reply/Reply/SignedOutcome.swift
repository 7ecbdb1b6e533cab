internal import JSON
public import Rules
public import System

/// What is served to one subscriber, with its strings and its signatures. It is made once for a request; the answer and
/// the decision record are both made from it.
public struct SignedOutcome: Sendable, Hashable {
    public let messageIdentifier: UUID
    public let content: Content

    public enum Content: Sendable, Hashable {
        case message
        case `switch`(productId: String, billingPlanType: BillingPlanType?)
        case offer(PromotionalOffer, PromotionalOfferSignature)
        /// Base64.
        case advancedCommerce(String)
    }

    public enum PromotionalOfferSignature: Sendable, Hashable {
        case v1(PromotionalOfferSignatureV1)
        case v2(String)
    }
}

extension SignedOutcome {
    public init?(unsigned outcome: Decision.Outcome, in file: RulesFile) {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message: self.init(messageIdentifier: identifier, content: .message)
        case .switch(let productId, let plan):
            self.init(
                messageIdentifier: identifier,
                content: .switch(productId: file.text(at: productId), billingPlanType: plan))
        case .offer, .advancedCommerce: return nil
        }
    }

    public var kind: OutcomeKind {
        switch content {
        case .message: .message
        case .switch: .switch
        case .offer: .offer
        case .advancedCommerce: .advancedCommerce
        }
    }
}

extension SignedOutcome {
    public var json: [UInt8] {
        var text = TextBuffer(reservingByteCount: 1024)
        switch content {
        case .message: text.append(#"{"message":{"messageIdentifier":""#)
        case .switch: text.append(#"{"alternateProduct":{"messageIdentifier":""#)
        case .offer: text.append(#"{"promotionalOffer":{"messageIdentifier":""#)
        case .advancedCommerce: text.append(#"{"advancedCommerceInfo":{"messageIdentifier":""#)
        }
        text.append(messageIdentifier)
        text.append(UInt8(ascii: "\""))
        switch content {
        case .message: break
        case .switch(let productId, let plan):
            text.append(#","productId":"#, productId)
            if let plan { text.append(#","billingPlanType":"#, plan.rawValue) }
        case .offer(_, .v1(let signature)):
            text.append(#","promotionalOfferSignatureV1":"#)
            signature.append(to: &text)
        case .offer(_, .v2(let token)): text.append(#","promotionalOfferSignatureV2":"#, token)
        case .advancedCommerce(let data): text.append(#","advancedCommerceData":"#, data)
        }
        text.append("}}")
        return text.bytes
    }

    /// Makes an outcome with a placeholder text instead of each signature, for answers that are only shown. Nobody can take
    /// these texts for signatures. Returns the outcome to show; nil for `nothing`.
    public static func placeholder(
        for outcome: Decision.Outcome, in file: RulesFile, answering request: DecisionRequest,
        form: OfferSignature
    ) -> SignedOutcome? {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message, .switch: return SignedOutcome(unsigned: outcome, in: file)
        case .offer(let productId, let offerIdentifier):
            let offer = PromotionalOffer(productId, offerIdentifier, in: file)
            let signature = placeholder(for: offer, request, form)
            return SignedOutcome(messageIdentifier: identifier, content: .offer(offer, signature))
        case .advancedCommerce:
            let words = words("advancedCommerceData")
            return SignedOutcome(messageIdentifier: identifier, content: .advancedCommerce(words))
        }
    }

    private static func placeholder(
        for offer: PromotionalOffer, _ request: DecisionRequest, _ form: OfferSignature
    ) -> PromotionalOfferSignature {
        switch form {
        case .v2: .v2(words("promotionalOfferSignatureV2"))
        case .v1:
            .v1(
                PromotionalOfferSignatureV1(
                    encodedSignature: words("encodedSignature"), offer: offer, nonce: UUID(high: 0, low: 0),
                    timestamp: request.nowMilliseconds, keyId: "<keyId of the key that signs>")
            )
        }
    }

    private static func words(_ member: String) -> String { "<\(member) made for each request>" }
}

public struct SignedDecision: Sendable {
    public let decision: Decision
    public let outcome: SignedOutcome?
    public let failure: OfferSigningError?
    public let signing: SigningCapabilities
    /// How long signing took, in nanoseconds; 0 when nothing had to be signed.
    public var signingNanoseconds: UInt64 = 0
}

/// Decides, and signs what the decision serves. When signing fails, it decides again by the same rules, without the
/// signatures that failed: rules that need them are then passed over with the reason `SIGN_FAILED`. The `signing` of
/// the request is ignored. `signer` is nil when the app has no key or no time is left for signing.
public func decideAndSign(
    _ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile, signer: OfferSigner?
) -> SignedDecision {
    var request = request
    guard let signer else {
        request.signing = []
        let decision = decide(request, facts: facts, using: file)
        let outcome = SignedOutcome(unsigned: decision.outcome, in: file)
        return SignedDecision(decision: decision, outcome: outcome, failure: nil, signing: [])
    }
    request.signing = signer.capabilities
    var failure: OfferSigningError?
    var nanoseconds: UInt64 = 0
    while true {
        let decision = decide(request, facts: facts, using: file)
        let begun = decision.outcome.neededSigning.isEmpty ? nil : Clock.monotonicNanoseconds()
        do throws(OfferSigningError) {
            let outcome = try signer.sign(decision.outcome, in: file, answering: request)
            return SignedDecision(
                decision: decision, outcome: outcome, failure: failure, signing: request.signing,
                signingNanoseconds: nanoseconds + elapsed(since: begun))
        } catch {
            failure = error
            nanoseconds += elapsed(since: begun)
            // `neededSigning` is not empty here, because an outcome that needs no signature cannot fail. So the loop ends.
            request.signing.subtract(decision.outcome.neededSigning)
        }
    }
}

private func elapsed(since begun: UInt64?) -> UInt64 {
    begun.map { Clock.monotonicNanoseconds() &- $0 } ?? 0
}

/// The first form of Apple's promotional-offer signatures: promotionalOfferSignatureV1 of RealtimeResponseBody.
///
/// A signature is valid for one purchase within 24 hours of its timestamp ("Generating a signature for promotional offers").
public struct PromotionalOfferSignatureV1: Sendable, Hashable {
    public let encodedSignature: String
    public let offer: PromotionalOffer
    public let nonce: UUID
    public let timestamp: Int64
    public let keyId: String
    /// The token that the app gave with the purchase; nil when there was none.
    public let appAccountToken: UUID?

    public init(
        encodedSignature: String, offer: PromotionalOffer, nonce: UUID, timestamp: Int64, keyId: String,
        appAccountToken: UUID? = nil
    ) {
        self.encodedSignature = encodedSignature
        self.offer = offer
        self.nonce = nonce
        self.timestamp = timestamp
        self.keyId = keyId
        self.appAccountToken = appAccountToken
    }

    /// Returns the UTF-8 text that is signed: seven fields with U+2063 INVISIBLE SEPARATOR between them, UUIDs in lower
    /// case. The field of an absent token is empty. Throws `offer-signing.bad-identifier` when a field contains the
    /// separator or a control character, so that it could be taken for two fields.
    public static func signedText(
        bundleId: String, keyId: String, offer: PromotionalOffer, appAccountToken: UUID?, nonce: UUID,
        timestamp: Int64
    ) throws(OfferSigningError) -> [UInt8] {
        let fields = [
            bundleId, keyId, offer.productId, offer.offerIdentifier, appAccountToken?.description ?? "",
            nonce.description, String(timestamp),
        ]
        guard fields.allSatisfy(StoreIdentifier.isPossible) else { throw .badIdentifier }
        return Array(fields.joined(separator: "\u{2063}").utf8)
    }

    public func append(to text: inout TextBuffer) {
        text.append(#"{"encodedSignature":"#, encodedSignature)
        text.append(#","productId":"#, offer.productId)
        text.append(#","nonce":""#)
        text.append(nonce)
        text.append(#"","timestamp":"#, timestamp)
        text.append(#","keyId":"#, keyId)
        text.append(#","offerIdentifier":"#, offer.offerIdentifier)
        if let appAccountToken { text.append(#","appAccountToken":"#, appAccountToken.description) }
        text.append(UInt8(ascii: "}"))
    }
}

public struct PromotionalOffer: Sendable, Hashable {
    public let productId: String
    public let offerIdentifier: String

    public init(productId: String, offerIdentifier: String) {
        self.productId = productId
        self.offerIdentifier = offerIdentifier
    }

    init(_ productId: FileString, _ offerIdentifier: FileString, in file: RulesFile) {
        self.init(productId: file.text(at: productId), offerIdentifier: file.text(at: offerIdentifier))
    }
}
