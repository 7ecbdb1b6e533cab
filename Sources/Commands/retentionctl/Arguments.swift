public import AppStoreServerAPI
public import ArgumentParser
public import FactsCompiler
public import HTTPClient
public import OfferSigning
public import Vocabulary

extension Environment: ExpressibleByArgument {}

extension UUID: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension ImageSize: ExpressibleByArgument {}

extension UploadMessageRequestBody.HeaderPosition: ExpressibleByArgument {}

extension FactsFormat: ExpressibleByArgument {}

extension OfferSignature: EnumerableFlag, ExpressibleByArgument {
    /// Returns the help text of `--v1` and of `--v2`.
    public static func help(for value: OfferSignature) -> ArgumentHelp? {
        switch value {
        case .v1: "promotionalOfferSignatureV1: seven fields signed as DER."
        case .v2: "promotionalOfferSignatureV2: a JWS."
        }
    }
}

extension AdvancedCommerceForm: ExpressibleByArgument {}

extension HTTPClientConfiguration.ProtocolVersion: ExpressibleByArgument {}

/// A time on the command line: RFC 3339, or milliseconds since 1970 as Apple writes them.
struct TimeArgument: ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument: String) {
        if let number = Int64(argument) {
            milliseconds = number
        } else if let time = CivilTime(argument) {
            milliseconds = time.milliseconds
        } else {
            return nil
        }
    }
}
