internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import Reply
internal import Rules
internal import System

/// The options for the signing key of a command that shows answers. Without them the command signs nothing.
struct SigningKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The In-App Purchase key that signs, so that the signature shown is real.", valueName: "file"),
        completion: .file(extensions: ["p8"])
    )
    var key: String?

    @Option(help: ArgumentHelp("The identifier of that key in App Store Connect.", valueName: "id"))
    var keyId: String?

    @Option(
        help: ArgumentHelp(
            "The issuer ID above the keys in App Store Connect; not needed with --offer-signature v1.",
            valueName: "id")
    )
    var issuerId: String?

    @Flag(help: "Decide like a service without a signing key: skip rules whose outcome needs a signature.")
    var noKey = false

    @Option(help: ArgumentHelp("The service's offerSignature: v1 or v2.", valueName: "form"))
    var offerSignature = OfferSignature.v2

    @Option(
        help: ArgumentHelp(
            "The service's advancedCommerce: off or signatureInfo. The default is signatureInfo, and off for a key without an issuer ID.",
            valueName: "form")
    )
    var advancedCommerce: AdvancedCommerceForm?

    func validate() throws {
        guard key == nil || !noKey else {
            throw ValidationError("--key and --no-key contradict each other.")
        }
        let isIssuerNeeded =
            key != nil && (offerSignature != .v1 || advancedCommerce == .signatureInfo)
        guard (key == nil) == (keyId == nil), issuerId == nil || key != nil,
            issuerId != nil || !isIssuerNeeded
        else { throw ValidationError("--key, --key-id and --issuer-id go together.") }
        try IdentifierOption.checkKey("--key-id", keyId)
        try IdentifierOption.checkKey("--issuer-id", issuerId)
    }

    /// Returns the signer for the app of these rules; nil when no key was given.
    func signer(for rules: RulesFile) throws -> OfferSigner? {
        guard let key, let keyId else { return nil }
        return try OfferSigner(
            key: try Self.key(key), keyId: keyId, issuerId: issuerId ?? "", bundleId: rules.bundleId,
            form: offerSignature, capabilities: capabilities)
    }

    /// What the service signs. The claims of an Advanced Commerce request contain the issuer, so a key without an
    /// issuer signs none.
    var capabilities: SigningCapabilities {
        if noKey { return [] }
        let isIssuerMissing = key != nil && issuerId == nil
        return (advancedCommerce ?? (isIssuerMissing ? .off : .signatureInfo)).capabilities
    }

    /// Returns the key in a file. Throws when the service would not accept the key.
    static func key(_ path: String) throws -> SigningKey {
        try ToolError.about(path) { try SigningKeyFile.key(path: path) }
    }
}
