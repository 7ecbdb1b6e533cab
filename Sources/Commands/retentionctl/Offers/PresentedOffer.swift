internal import Cryptography
internal import JSON
internal import OfferSigning

/// A signature in the form in which it was handed over, before anything about it is believed.
enum PresentedOffer {
    /// promotionalOfferSignatureV1
    case fields(PromotionalOfferSignatureV1)
    /// promotionalOfferSignatureV2, or the token in advancedCommerceData.
    case token(PresentedToken)

    /// Takes a text apart: a JWS, the object of a V1 signature, either one's member, `advancedCommerceData`, or the answer of
    /// a service with one of these in it.
    init(_ text: [UInt8]) throws(OfferProblem) {
        if text.contains(UInt8(ascii: ".")), text.first != UInt8(ascii: "{") {
            self = .token(try PresentedToken(text))
            return
        }
        let isObject = text.first == UInt8(ascii: "{")
        guard let json = isObject ? text : Base64.decode(text.span), let document = Self.document(json)
        else { throw .notASignature }
        let root = document.root
        let holder = root.member("promotionalOffer") ?? root.member("advancedCommerceInfo") ?? root
        if let fields = holder.member("promotionalOfferSignatureV1") {
            self = .fields(try Self.fields(fields))
        } else if let token = holder.member("promotionalOfferSignatureV2") {
            self = .token(try PresentedToken(Self.bytes(token)))
        } else if let data = holder.member("advancedCommerceData") {
            let text = try Self.bytes(data)
            guard text.first != UInt8(ascii: "{") else { throw .notASignature }
            try self.init(text)
        } else if let info = holder.member("signatureInfo"), let token = info.member("token") {
            self = .token(try PresentedToken(Self.bytes(token)))
        } else if holder.member("encodedSignature") != nil {
            self = .fields(try Self.fields(holder))
        } else {
            throw .notASignature
        }
    }

    /// What it is.
    var form: OfferForm {
        switch self {
        case .fields: .v1
        case .token(let token): token.form
        }
    }

    /// The app; nil where it is not said.
    var bundleId: String? { text("bid") }
    /// The product; nil where it is not said.
    var productId: String? {
        if case .fields(let fields) = self { fields.offer.productId } else { text("productId") }
    }
    /// The offer; nil where it is not said.
    var offerIdentifier: String? {
        if case .fields(let fields) = self { fields.offer.offerIdentifier } else { text("offerIdentifier") }
    }
    /// The subscriber's transaction; nil where it is not said.
    var transactionId: String? {
        guard case .token(let token) = self else { return nil }
        return Self.text("transactionId", of: token.request ?? token.claims)
    }

    private func text(_ name: String) -> String? {
        guard case .token(let token) = self else { return nil }
        return Self.text(name, of: token.claims)
    }

    private static func text(_ name: String, of object: JSONNode) -> String? {
        guard case .object(let members) = object,
            case .string(let text)? = members.first(where: { $0.0 == name })?.1
        else { return nil }
        return text
    }

    /// A JSON text; nil for anything else.
    static func document(_ text: [UInt8]) -> JSONDocument? {
        try? JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
    }

    private static func bytes(_ value: JSONValue) throws(OfferProblem) -> [UInt8] {
        guard let text = value.string else { throw .notASignature }
        return Array(text.utf8)
    }

    private static func fields(_ value: JSONValue) throws(OfferProblem) -> PromotionalOfferSignatureV1 {
        let object = try ExactObject(
            value,
            OfferForm.v1.rawValue,
            required: ["encodedSignature", "productId", "nonce", "timestamp", "keyId", "offerIdentifier"],
            optional: ["appAccountToken"]
        )
        guard let nonce = try object.lowerCaseUUID("nonce") else { throw .memberMissing("nonce") }
        return PromotionalOfferSignatureV1(
            encodedSignature: try object.string("encodedSignature"),
            offer: PromotionalOffer(
                productId: try object.identifier("productId"),
                offerIdentifier: try object.identifier("offerIdentifier")
            ),
            nonce: nonce,
            timestamp: try object.integer("timestamp"),
            keyId: try object.identifier("keyId"),
            appAccountToken: try object.lowerCaseUUID("appAccountToken")
        )
    }
}
