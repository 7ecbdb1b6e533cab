internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import Reply
internal import System

struct OfferOptions: ParsableArguments {
    @Option(
        help: "The key that signed an offer: a .p8 file, or a public key in PEM.",
        completion: .file(extensions: ["p8", "pem"]))
    var key: String?

    @Option(help: "The app that made the offer. A V1 signature does not contain it, so V1 needs this option.")
    var bundleId: String?

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
            guard let signature = Base64.decode(fields.encodedSignature.utf8Span.span) else {
                throw ToolError.badField("encodedSignature")
            }
            return verifier.isValid(derSignature: signature, for: text.span)
        case .token(_, let jws, let signature):
            return verifier.isValid(signature: signature.span, for: jws.signedText.span)
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
    /// A promotionalOfferSignatureV2, or the token in advancedCommerceData; `form` is the name of that member.
    case token(form: String, UnverifiedJWS, signature: [UInt8])

    /// Parses a text. The text may be a JWS, the JSON object of a V1 signature, an object with the member of either,
    /// `advancedCommerceData`, or an answer of the service that contains one of these.
    init(_ text: [UInt8]) throws(ToolError) {
        if text.contains(UInt8(ascii: ".")), text.first != UInt8(ascii: "{") {
            self = try Self.token(text)
            return
        }
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        guard let json = text.first == UInt8(ascii: "{") ? text : Base64.decode(text.span),
            let root = try? JSONDocument(parsing: json.span, limits: limits).root
        else { throw .notASignature }
        let holder = root.member("promotionalOffer") ?? root.member("advancedCommerceInfo") ?? root
        if let fields = holder.member("promotionalOfferSignatureV1") {
            self = .fields(try Self.fields(fields))
        } else if let token = holder.member("promotionalOfferSignatureV2") {
            self = try Self.token(Self.bytes(token))
        } else if let data = holder.member("advancedCommerceData") {
            let text = try Self.bytes(data)
            guard text.first != UInt8(ascii: "{") else { throw .notASignature }
            try self.init(text)
        } else if let token = holder.member("signatureInfo")?.member("token") {
            self = try Self.token(Self.bytes(token))
        } else if holder.member("encodedSignature") != nil {
            self = .fields(try Self.fields(holder))
        } else {
            throw .notASignature
        }
    }

    /// What is not verified has another name in the report than what is.
    func report(isGood: Bool) -> Report {
        func name(_ text: String) -> String {
            isGood ? text : "unverified\(text.prefix(1).uppercased())\(text.dropFirst())"
        }
        func signedAt(_ milliseconds: Int64) -> (String, JSONNode) {
            (name("signedAt"), .string(CivilTime(milliseconds: milliseconds).description))
        }
        var members: [(String, JSONNode)] = [("verified", .boolean(isGood))]
        switch self {
        case .fields(let fields):
            var json = TextBuffer()
            fields.append(to: &json)
            members += [
                ("form", .string("promotionalOfferSignatureV1")), signedAt(fields.timestamp),
                (name("claims"), JSONNode(parsing: json.bytes) ?? .null),
            ]
        case .token(let form, let jws, _):
            members.append(("form", .string(form)))
            if let (time, overflows) = jws.payload?.member("iat")?.int64?.multipliedReportingOverflow(
                by: 1000),
                !overflows
            {
                members.append(signedAt(time))
            }
            members += [
                (name("header"), jws.header.map { JSONNode($0) } ?? .null),
                (name("claims"), jws.payload.map { JSONNode($0) } ?? .null),
            ]
            let request = (jws.payload?.member("request")?.string).flatMap { Base64.decode($0.utf8Span.span) }
            if let request = request.flatMap({ JSONNode(parsing: $0) }) {
                members.append((name("request"), request))
            }
        }
        let title = isGood ? "good signature" : "bad signature: this key has not signed what is there"
        return Report(members, title: title)
    }

    /// A compact JWS with the claim `aud` of a signature for an offer.
    private static func token(_ text: [UInt8]) throws(ToolError) -> UnverifiedOffer {
        let jws = UnverifiedJWS(text)
        guard let signature = jws.signature, signature.count == ES256Verifier.signatureByteCount,
            jws.header != nil, let claims = jws.payload
        else { throw .jwsMalformed }
        return switch claims.member("aud")?.string {
        case "promotional-offer": .token(form: "promotionalOfferSignatureV2", jws, signature: signature)
        case "advanced-commerce-api": .token(form: "advancedCommerceData", jws, signature: signature)
        default: throw .notASignature
        }
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

extension ToolError {
    fileprivate static let notASignature = ToolError(
        code: "offer.malformed", "neither a JWS for an offer nor a JSON object with a signature in it")
    fileprivate static let jwsMalformed = ToolError(
        code: "offer.malformed", "not three parts in base64url, the first two JSON and the third 64 bytes")

    fileprivate static func badField(_ name: String) -> ToolError {
        ToolError(code: "offer.malformed", "\(name) is missing, or is not as Apple documents it")
    }
}
