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
            "The app that made the offer. A V1 signature does not contain it, so V1 needs this option; other signatures are compared with it.",
            valueName: "id")
    )
    var bundleId: String?

    @Option(help: ArgumentHelp("The product that must have been offered.", valueName: "id"))
    var product: String?

    @Option(help: ArgumentHelp("The offer that must have been made.", valueName: "id"))
    var offer: String?

    @Option(
        help: ArgumentHelp(
            "The subscriber's originalTransactionId; a V1 signature does not contain it.", valueName: "id")
    )
    var subscriber: String?

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
        let verifier = try Self.verifier(key)
        let differences = try differences(in: offer)
        let refusal = try isGood(offer, verifier) ? differences.first : .badSignature
        return (offer.report(refusal), refusal == nil)
    }

    /// The text that V1 signs begins with the bundle identifier, and no member of a V1 signature holds that identifier.
    private static let bundleIdMissing = ValidationError(
        "A V1 signature does not say of which app it is: --bundle-id does."
    )

    /// Returns the ways in which the signature differs from what the user asked for.
    ///
    /// - Throws: when the user asked for a value that this form of signature does not have.
    private func differences(in presented: UnverifiedOffer) throws -> [UnverifiedOffer.Refusal] {
        // V1 does not name its app. With another app the signed text differs, so the signature is bad.
        let app = presented.bundleId ?? bundleId
        let wanted: [(String, String?, String?, UnverifiedOffer.Refusal)] = [
            ("--bundle-id", bundleId, app, .otherApp),
            ("--product", product, presented.productId, .otherProduct),
            ("--offer", offer, presented.offerIdentifier, .otherOffer),
            ("--subscriber", subscriber, presented.transactionId, .otherTransaction),
        ]
        return try wanted.compactMap { option, asked, found, refusal in
            guard let asked else { return nil }
            guard let found else {
                throw ValidationError(
                    "\(option) cannot be checked: \(presented.form.rawValue) does not contain this value."
                )
            }
            return asked == found ? nil : refusal
        }
    }

    private func isGood(_ offer: UnverifiedOffer, _ verifier: ES256Verifier) throws -> Bool {
        switch offer {
        case .fields(let fields):
            guard let bundleId else { throw Self.bundleIdMissing }
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

    /// Returns true when the text looks like a private key in PEM, of any kind and even if damaged.
    private static func isPrivateKey(_ text: Span<UInt8>) -> Bool {
        let words = Array("PRIVATE KEY-----".utf8)
        guard text.count >= words.count else { return false }
        return (0...text.count - words.count).contains { start in
            ByteComparison.areEqual(text.extracting(start..<start + words.count), words.span)
        }
    }

    /// Reads the file of `--key`. A public key may be readable by everybody, so its permissions are not checked.
    private static func keyText(_ key: String) throws -> SecretMemory {
        let file = try FileDescriptor.openForReading(path: key)
        guard try FileStatus(of: file).kind == .regular else { throw SigningKeyProblem.notRegular }
        do throws(SystemCallError) {
            return try SecretMemory.reading(file, limitBytes: SigningKeyFile.byteLimit)
        } catch {
            // A file of that size cannot be a key.
            if error.isFileTooLarge { throw SigningKeyProblem.malformed(nil) }
            throw error
        }
    }

    private static func verifier(_ key: String) throws -> ES256Verifier {
        let text = try ToolError.about(key) { try keyText(key) }
        do throws(CryptographyError) {
            return try text.withBytes { bytes throws(CryptographyError) in
                try ES256Verifier(publicKeyPEM: bytes)
            }
        } catch {
            if let mistake = text.withBytes({ SigningKeyMistake($0) }) {
                throw ToolError(SigningKeyProblem.malformed(mistake), file: key)
            }
            // A private key must meet the same requirements as in the service.
            guard error == .keyMalformed, text.withBytes({ isPrivateKey($0) }) else {
                throw ToolError(error, file: key)
            }
        }
        return try ES256Verifier(keyOf: try SigningKeyOptions.key(key))
    }
}
