internal import ArgumentParser
internal import Cryptography
internal import JSON
internal import OfferSigning
internal import System
internal import Vocabulary

/// Checks a signature with the key that should have made it.
struct VerifyOffer: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-offer",
        abstract: "Checks the signature of an offer, or of an Advanced Commerce request.",
        discussion: """
            Takes a V2 signature or another JWS of the same kind, the JSON object of a V1 signature, \
            advancedCommerceData, or a whole answer of the service that contains one of these. Ends with 0 for a good \
            signature. Ends with 1 for a bad signature, and for a signature of something other than the options say. \
            Ends with 65 if the input is not a signature: the command cannot read it, or its members are not exactly \
            those that Apple documents.

            Examples:
              retentionctl verify-offer --key key.p8 eyJhbGciOiJFUzI1NiIs…
              retentionctl sign offer --v1 … \\
                | retentionctl verify-offer --key public.pem \\
                  --bundle-id com.example.app
            """
    )

    @Argument(help: "The signature; - for standard input.")
    var signature = "-"

    @Flag(exclusivity: .exclusive)
    var form: OfferSignature?

    @Option(
        help: ArgumentHelp("The key that signed: a .p8 file, or a public key in PEM.", valueName: "file"),
        completion: .file(extensions: ["p8", "pem"])
    )
    var key: String

    @Option(
        help: ArgumentHelp(
            "The app's bundle ID. A V1 signature does not contain it, so V1 needs this option; other signatures are compared with it.",
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
    var transaction: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard form != .v1 || bundleId != nil else { throw Self.bundleIdMissing }
        try IdentifierOption.check("--bundle-id", bundleId)
        try IdentifierOption.check("--product", product)
        try IdentifierOption.check("--offer", offer)
        try IdentifierOption.check("--transaction", transaction)
    }

    /// The text that V1 signs begins with the bundle identifier, and no member of a V1 signature holds that identifier.
    private static let bundleIdMissing = ValidationError(
        "A V1 signature does not say of which app it is: --bundle-id does."
    )

    func run() throws {
        let verifier = try verifier()
        let text =
            signature == "-" ? try Input.read("-", limitBytes: Self.inputByteCount) : Array(signature.utf8)
        let offer = try UnverifiedOffer(Whitespace.trimmed(text))
        guard form == nil || form?.name == offer.form else { throw OfferProblem.otherForm(offer.form) }
        let differences = try differences(in: offer)
        let refusal = try isGood(offer, verifier) ? differences.first : .badSignature
        let report = OfferReport(offer: offer, refusal: refusal)
        if output.json { Console.print(report.json) } else { Console.print(lines: report.lines) }
        if refusal != nil { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// The largest input in bytes. An answer of the service has a few kilobytes.
    private static let inputByteCount = 1 << 20

    /// Returns the ways in which the signature differs from what the user asked for.
    ///
    /// - Throws: when the user asked for a value that this form of signature does not have.
    private func differences(in presented: UnverifiedOffer) throws -> [OfferReport.Refusal] {
        // V1 does not name its app. With another app the signed text differs, so the signature is bad.
        let app = presented.bundleId ?? bundleId
        let wanted: [(String, String?, String?, OfferReport.Refusal)] = [
            ("--bundle-id", bundleId, app, OfferReport.Refusal.otherApp),
            ("--product", product, presented.productId, .otherProduct),
            ("--offer", offer, presented.offerIdentifier, .otherOffer),
            ("--transaction", transaction, presented.transactionId, .otherTransaction),
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
                throw OfferProblem.memberWrong("encodedSignature", expected: "base64")
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
    private func keyText() throws -> SecretMemory {
        let failure = { (error: SystemCallError) in
            // A file of that size cannot be a key.
            error.isFileTooLarge
                ? ToolFailure(SigningKeyProblem.malformed(nil), path: key) : ToolFailure(error, file: key)
        }
        let file = try SystemCallError.mapped(to: failure, try FileDescriptor.openForReading(path: key))
        let status = try SystemCallError.mapped(to: failure, try FileStatus(of: file))
        guard status.kind == .regular else { throw ToolFailure(SigningKeyProblem.notRegular, path: key) }
        return try SystemCallError.mapped(
            to: failure, try SecretMemory.reading(file, limitBytes: SigningKeyFile.byteLimit))
    }

    private func verifier() throws -> ES256Verifier {
        let text = try keyText()
        do throws(CryptographyError) {
            return try text.withBytes { bytes throws(CryptographyError) in
                try ES256Verifier(publicKeyPEM: bytes)
            }
        } catch {
            if let mistake = text.withBytes({ SigningKeyMistake($0) }) {
                throw ToolFailure(SigningKeyProblem.malformed(mistake), path: key)
            }
            // A private key must meet the same requirements as in the service.
            guard error == .keyMalformed, text.withBytes({ Self.isPrivateKey($0) }) else {
                throw ToolFailure(error, file: key)
            }
        }
        return try ES256Verifier(keyOf: try SigningKeyOptions.key(key))
    }
}

extension OfferSignature {
    fileprivate var name: OfferForm {
        switch self {
        case .v1: .v1
        case .v2: .v2
        }
    }
}
