internal import ArgumentParser
internal import JSON
internal import OfferSigning
internal import System
internal import Vocabulary

/// Signs a promotional offer.
struct SignOffer: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer",
        abstract: "Prints the signature of a promotional offer.",
        discussion: """
            A V2 signature is one line, a JWS. A V1 signature is a JSON object. With --json the output is, for both \
            forms, the member of promotionalOffer that Apple expects. The key is an In-App Purchase key of App Store \
            Connect in its .p8 file; only the owner and the group of the file may use it. Each signature is good for \
            one purchase: a V1 signature within 24 hours, a V2 signature within a time that Apple does not publish.

            Examples:
              retentionctl sign offer --key key.p8 --key-id 2X9R4HXF34 \\
                --bundle-id com.example.app \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a \\
                --product pro_monthly --offer save50_3m \\
                --transaction 2000000001
              retentionctl sign offer --v1 --key key.p8 --key-id 2X9R4HXF34 \\
                --bundle-id com.example.app \\
                --product pro_monthly --offer save50_3m
            """
    )

    @Flag(exclusivity: .exclusive)
    var form = OfferSignature.v2

    @Option(
        help: ArgumentHelp("The In-App Purchase key.", valueName: "file"),
        completion: .file(extensions: ["p8"])
    )
    var key: String

    @Option(help: ArgumentHelp("The key's identifier in App Store Connect.", valueName: "id"))
    var keyId: String

    @Option(
        help: ArgumentHelp(
            "The issuer ID above the keys in App Store Connect; only V2 needs it.", valueName: "id")
    )
    var issuerId: String?

    @Option(help: ArgumentHelp("The app's bundle ID.", valueName: "id"))
    var bundleId: String

    @Option(help: ArgumentHelp("The product that is offered.", valueName: "id"))
    var product: String

    @Option(help: ArgumentHelp("The offer's identifier in App Store Connect.", valueName: "id"))
    var offer: String

    @Option(
        help: ArgumentHelp(
            "The subscriber's originalTransactionId; only a V2 signature contains it.", valueName: "id")
    )
    var transaction: String?

    @Option(help: ArgumentHelp("The nonce; a new one if absent.", valueName: "uuid"))
    var nonce: UUID?

    @Option(
        help: ArgumentHelp(
            "The time of the signature: RFC 3339 or milliseconds since 1970; now if absent.",
            valueName: "time")
    )
    var at: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "The appAccountToken that the app gave with the purchase; only a V1 signature contains it.",
            valueName: "uuid")
    )
    var appAccountToken: UUID?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try IdentifierOption.checkKey("--key-id", keyId)
        try IdentifierOption.checkKey("--issuer-id", issuerId)
        try IdentifierOption.check("--bundle-id", bundleId)
        try IdentifierOption.check("--product", product)
        try IdentifierOption.check("--offer", offer)
        try IdentifierOption.check("--transaction", transaction)
        if let at, !Self.times.contains(at.milliseconds) {
            throw ValidationError("--at must be of the years 1970 to 9999.")
        }
        switch form {
        case .v1:
            guard issuerId == nil, transaction == nil else {
                throw ValidationError("--issuer-id and --transaction are of V2; a V1 signature has neither.")
            }
        case .v2:
            guard appAccountToken == nil else {
                throw ValidationError("--app-account-token is of V1; a V2 signature has none.")
            }
            guard issuerId != nil, transaction != nil else {
                throw ValidationError(
                    "A V2 signature needs --issuer-id and --transaction; --v1 makes one without."
                )
            }
        }
    }

    /// The times that `--at` accepts: the years 1970 to 9999, in milliseconds since 1970.
    private static let times: Range<Int64> = 0..<253_402_300_800_000

    func run() throws {
        let signer = try OfferSigner(
            key: try SigningKeyOptions.key(key), keyId: keyId, issuerId: issuerId ?? "", bundleId: bundleId,
            form: form)
        let context = try context()
        let offer = PromotionalOffer(productId: product, offerIdentifier: offer)
        var member = JSONObjectWriter()
        let alone: [UInt8]
        switch form {
        case .v1:
            let signature = try signer.signatureV1(of: offer, on: context, appAccountToken: appAccountToken)
            member.add("promotionalOfferSignatureV1", signature.object)
            alone = signature.object.finished()
        case .v2:
            let token = try signer.signatureV2(of: offer, on: context)
            member.add("promotionalOfferSignatureV2", token)
            alone = Array(token.utf8)
        }
        // Printed as bytes: text would be escaped for a terminal, and escaped JSON is no longer the same JSON.
        Console.print(bytes: (output.json ? member.finished() : alone) + [UInt8(ascii: "\n")])
    }

    private func context() throws -> OfferSigner.SigningContext {
        let now = at?.milliseconds ?? Clock.wallMilliseconds()
        guard let nonce else {
            return try OfferSigner.SigningContext(transactionId: transaction ?? "", nowMilliseconds: now)
        }
        return OfferSigner.SigningContext(
            transactionId: transaction ?? "", nowMilliseconds: now, nonce: nonce)
    }
}
