internal import Cryptography
internal import JSON
internal import OfferSigning

/// A signature as it was presented, before anything in it is verified.
enum UnverifiedOffer {
    /// A promotionalOfferSignatureV1.
    case fields(PromotionalOfferSignatureV1)
    /// A promotionalOfferSignatureV2, or the token in advancedCommerceData.
    case token(UnverifiedToken)

    /// Parses a text. The text may be a JWS, the JSON object of a V1 signature, an object with the member of either,
    /// `advancedCommerceData`, or an answer of the service that contains one of these.
    init(_ text: [UInt8]) throws(OfferProblem) {
        if text.contains(UInt8(ascii: ".")), text.first != UInt8(ascii: "{") {
            self = .token(try UnverifiedToken(text))
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
            self = .token(try UnverifiedToken(Self.bytes(token)))
        } else if let data = holder.member("advancedCommerceData") {
            let text = try Self.bytes(data)
            guard text.first != UInt8(ascii: "{") else { throw .notASignature }
            try self.init(text)
        } else if let info = holder.member("signatureInfo"), let token = info.member("token") {
            self = .token(try UnverifiedToken(Self.bytes(token)))
        } else if holder.member("encodedSignature") != nil {
            self = .fields(try Self.fields(holder))
        } else {
            throw .notASignature
        }
    }

    /// The form of the signature.
    var form: OfferForm {
        switch self {
        case .fields: .v1
        case .token(let token): token.form
        }
    }

    /// The app; nil when the signature does not name it.
    var bundleId: String? { text("bid") }
    /// The product; nil when the signature does not name it.
    var productId: String? {
        if case .fields(let fields) = self { fields.offer.productId } else { text("productId") }
    }
    /// The offer; nil when the signature does not name it.
    var offerIdentifier: String? {
        if case .fields(let fields) = self { fields.offer.offerIdentifier } else { text("offerIdentifier") }
    }
    /// The subscriber's transaction; nil when the signature does not name it.
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

    /// Parses a JSON text; nil when the text is not JSON.
    static func document(_ text: [UInt8]) -> JSONDocument? {
        try? JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
    }

    private static func bytes(_ value: JSONValue) throws(OfferProblem) -> [UInt8] {
        guard let text = value.string else { throw .notASignature }
        return Array(text.utf8)
    }

    private static func fields(_ value: JSONValue) throws(OfferProblem) -> PromotionalOfferSignatureV1 {
        let object = try StrictJSONObject(
            value, OfferForm.v1.rawValue,
            required: ["encodedSignature", "productId", "nonce", "timestamp", "keyId", "offerIdentifier"],
            optional: ["appAccountToken"])
        guard let nonce = try object.lowerCaseUUID("nonce") else { throw .memberMissing("nonce") }
        return PromotionalOfferSignatureV1(
            encodedSignature: try object.string("encodedSignature"),
            offer: PromotionalOffer(
                productId: try object.identifier("productId"),
                offerIdentifier: try object.identifier("offerIdentifier")), nonce: nonce,
            timestamp: try object.integer("timestamp"), keyId: try object.identifier("keyId"),
            appAccountToken: try object.lowerCaseUUID("appAccountToken"))
    }
}
