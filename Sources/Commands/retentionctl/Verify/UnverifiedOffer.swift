internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import Reply
internal import System

/// A signature as it was presented, before anything in it is verified.
enum UnverifiedOffer {
    case fields(PromotionalOfferSignatureV1)
    /// A promotionalOfferSignatureV2, or the token in advancedCommerceData.
    case token(UnverifiedToken)

    /// Why the signature of an offer is refused.
    enum Refusal: String {
        /// The key did not sign this text.
        case badSignature = "bad-signature"
        /// The signature is for another app than the user asked for.
        case otherApp = "other-app"
        /// The signature is for another product.
        case otherProduct = "other-product"
        /// The signature is for another offer.
        case otherOffer = "other-offer"
        /// The signature is for another subscriber's transaction.
        case otherTransaction = "other-transaction"
    }

    /// Parses a text. The text may be a JWS, the JSON object of a V1 signature, an object with the member of either,
    /// `advancedCommerceData`, or an answer of the service that contains one of these.
    init(_ text: [UInt8]) throws(ToolError) {
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

    /// When the signature was made, milliseconds since 1970.
    private var signedAtMilliseconds: Int64? {
        switch self {
        case .fields(let fields): return fields.timestamp
        case .token(let token):
            guard let (time, overflows) = token.issuedAtSeconds?.multipliedReportingOverflow(by: 1000) else {
                return nil
            }
            return overflows ? nil : time
        }
    }

    /// Returns the report on the verification. What is not verified has another name than what is.
    func report(_ refusal: Refusal?) -> Report {
        func name(_ text: String) -> String {
            refusal == nil ? text : "unverified\(text.prefix(1).uppercased())\(text.dropFirst())"
        }
        var members: [(String, JSONNode)] = [
            ("verified", .boolean(refusal == nil)), ("form", .string(form.rawValue)),
        ]
        if let refusal { members.append(("refusal", .string(refusal.rawValue))) }
        if let time = signedAtMilliseconds {
            members.append((name("signedAt"), .string(CivilTime(milliseconds: time).description)))
        }
        switch self {
        case .fields(let fields):
            members.append((name("claims"), JSONNode(parsing: fields.object.finished()) ?? .null))
        case .token(let token):
            members += [(name("header"), token.header), (name("claims"), token.claims)]
            if let request = token.request { members.append((name("request"), request)) }
        }
        let title =
            switch refusal {
            case .badSignature?: "bad signature: this key has not signed what is there"
            case let other?: "good signature, of \(other.rawValue.replacing("other-", with: "another "))"
            case nil: "good signature"
            }
        return Report(members, title: title)
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

    private static func bytes(_ value: JSONValue) throws(ToolError) -> [UInt8] {
        guard let text = value.string else { throw .notASignature }
        return Array(text.utf8)
    }

    private static func fields(_ value: JSONValue) throws(ToolError) -> PromotionalOfferSignatureV1 {
        func text(_ name: String) throws(ToolError) -> String {
            guard value.kind == .object, let text = value.member(named: name)?.string else {
                throw .badField(name)
            }
            return text
        }
        // Apple requires UUIDs in lower case, and the signature is of that spelling.
        func uuid(_ name: String) throws(ToolError) -> UUID {
            let text = try text(name)
            guard let uuid = UUID(text), uuid.description == text else { throw .badField(name) }
            return uuid
        }
        let offer = PromotionalOffer(
            productId: try text("productId"), offerIdentifier: try text("offerIdentifier"))
        guard let timestamp = value.member("timestamp")?.int64 else { throw .badField("timestamp") }
        return PromotionalOfferSignatureV1(
            encodedSignature: try text("encodedSignature"), offer: offer, nonce: try uuid("nonce"),
            timestamp: timestamp, keyId: try text("keyId"),
            appAccountToken: value.member("appAccountToken") == nil ? nil : try uuid("appAccountToken"))
    }
}

/// A compact JWS (RFC 7515 section 7.1) with the claim `aud` of a signature for an offer.
struct UnverifiedToken {
    let form: OfferForm
    let header: JSONNode
    let claims: JSONNode
    /// The claim `iat`, in seconds since 1970.
    let issuedAtSeconds: Int64?
    /// The decoded claim `request` of the Advanced Commerce API; nil for a promotional offer.
    let request: JSONNode?
    /// The signed text: header and claims in base64url, joined by a dot.
    let signedText: [UInt8]
    /// The signature, 64 bytes: r‖s.
    let signature: [UInt8]

    init(_ text: [UInt8]) throws(ToolError) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Array($0) }
        guard parts.count == 3, let signature = Self.decoded(parts[2]),
            signature.count == ES256Verifier.signatureByteCount, let header = Self.document(parts[0]),
            let claims = Self.document(parts[1])
        else { throw .jwsMalformed }
        let audience = claims.root.kind == .object ? claims.root.member("aud")?.string : nil
        switch audience {
        case "promotional-offer": form = .v2
        case "advanced-commerce-api": form = .advancedCommerce
        default: throw .notASignature
        }
        issuedAtSeconds = claims.root.member("iat")?.int64
        let encoded = Array((claims.root.member("request")?.string ?? "").utf8)
        let decoded = Base64.decode(encoded.span)
        request = decoded.flatMap { JSONNode(parsing: $0) }
        self.header = JSONNode(header.root)
        self.claims = JSONNode(claims.root)
        signedText = parts[0] + [UInt8(ascii: ".")] + parts[1]
        self.signature = signature
    }

    private static func document(_ part: [UInt8]) -> JSONDocument? {
        decoded(part).flatMap { UnverifiedOffer.document($0) }
    }

    private static func decoded(_ part: [UInt8]) -> [UInt8]? { Base64URL.decode(part.span) }
}

extension ToolError {
    static let notASignature = ToolError(
        code: "offer.malformed", "neither a JWS for an offer nor a JSON object with a signature in it")
    static let jwsMalformed = ToolError(
        code: "offer.malformed", "not three parts in base64url, the first two JSON and the third 64 bytes")

    static func badField(_ name: String) -> ToolError {
        ToolError(code: "offer.malformed", "\(name) is missing, or is not as Apple documents it")
    }
}

/// The forms of signatures in a RealtimeResponseBody. The raw values are the names of their members.
enum OfferForm: String {
    case v1 = "promotionalOfferSignatureV1"
    case v2 = "promotionalOfferSignatureV2"
    case advancedCommerce = "advancedCommerceData"
}
