internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import Reply
internal import System

/// The options of `verify` about the signature of an offer.
struct OfferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key that signed an offer: a .p8 file, or a public key in PEM.", valueName: "file"),
        completion: .file(extensions: ["p8", "pem"])
    )
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The app that made the offer. A V1 signature does not contain it, so V1 needs this option.",
            valueName: "id")
    )
    var bundleId: String?

    /// Verifies the signature of an offer; nil when the text is none.
    func verify(_ text: [UInt8]) throws -> (Report, isGood: Bool)? {
        let offer: UnverifiedOffer
        do throws(ToolError) {
            offer = try UnverifiedOffer(text)
        } catch {
            if key == nil { return nil }
            throw error
        }
        guard let key else {
            throw ValidationError("This is the signature of an offer: --key names the key that made it.")
        }
        let isGood = try isGood(offer, try Self.verifier(key))
        return (offer.report(isGood: isGood), isGood)
    }

    private func isGood(_ offer: UnverifiedOffer, _ verifier: ES256Verifier) throws -> Bool {
        switch offer {
        case .fields(let fields):
            // No member of a V1 signature holds the app, with which the text begins that it signs.
            guard let bundleId else {
                throw ValidationError("A V1 signature does not say of which app it is: --bundle-id does.")
            }
            let text = try PromotionalOfferSignatureV1.signedText(
                bundleId: bundleId, keyId: fields.keyId, offer: fields.offer,
                appAccountToken: fields.appAccountToken, nonce: fields.nonce, timestamp: fields.timestamp)
            let encoded = Array(fields.encodedSignature.utf8)
            guard let signature = Base64.decode(encoded.span) else {
                throw ToolError.badField("encodedSignature")
            }
            return verifier.isValid(derSignature: signature, for: text.span)
        case .token(let token):
            return verifier.isValid(signature: token.signature.span, for: token.signedText.span)
        }
    }

    /// Reads the file of `--key`. A public key may be readable by everybody, so its permissions are not checked.
    private static func keyText(_ key: String) throws -> [UInt8] {
        let file = try FileDescriptor.openForReading(path: key)
        guard try FileStatus(of: file).kind == .regular else { throw SigningKeyProblem.notRegular }
        do throws(SystemCallError) {
            return try file.readAll(limitBytes: SigningKeyFile.byteLimit)
        } catch {
            // A file of that size cannot be a key.
            if error.isFileTooLarge { throw SigningKeyProblem.malformed }
            throw error
        }
    }

    private static func verifier(_ key: String) throws -> ES256Verifier {
        let text = try ToolError.about(key) { try keyText(key) }
        do throws(CryptographyError) {
            return try ES256Verifier(publicKeyPEM: text.span)
        } catch {
            // A private key must meet the same requirements as in the service.
            let isPrivateKey = String(decoding: text, as: UTF8.self).contains("PRIVATE KEY-----")
            guard error == .keyMalformed, isPrivateKey else { throw ToolError(error, file: key) }
        }
        return try ToolError.about(key) { try ES256Verifier(keyOf: try SigningKeyFile.key(path: key)) }
    }
}

/// A signature as it was presented, before anything in it is verified.
enum UnverifiedOffer {
    case fields(PromotionalOfferSignatureV1)
    /// A promotionalOfferSignatureV2, or the token in advancedCommerceData.
    case token(UnverifiedToken)

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

    private var form: OfferForm {
        switch self {
        case .fields: .v1
        case .token(let token): token.form
        }
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
    func report(isGood: Bool) -> Report {
        func name(_ text: String) -> String {
            isGood ? text : "unverified\(text.prefix(1).uppercased())\(text.dropFirst())"
        }
        var members: [(String, JSONNode)] = [
            ("verified", .boolean(isGood)), ("form", .string(form.rawValue)),
        ]
        if let time = signedAtMilliseconds {
            members.append((name("signedAt"), .string(CivilTime(milliseconds: time).description)))
        }
        switch self {
        case .fields(let fields):
            var json = TextBuffer()
            fields.append(to: &json)
            members.append((name("claims"), JSONNode(parsing: json.bytes) ?? .null))
        case .token(let token):
            members += [(name("header"), token.header), (name("claims"), token.claims)]
            if let request = token.request { members.append((name("request"), request)) }
        }
        let title = isGood ? "good signature" : "bad signature: this key has not signed what is there"
        return Report(members, title: title)
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
