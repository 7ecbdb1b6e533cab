public import DataFiles

/// What the service can sign for the app of a request. A decision passes over an outcome that needs another signature.
public struct SigningCapabilities: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Signatures of promotional offers.
    public static let offers = SigningCapabilities(rawValue: 1)
    /// Signatures of requests of the Advanced Commerce API.
    public static let advancedCommerce = SigningCapabilities(rawValue: 2)
    /// Both kinds of signatures.
    public static let all: SigningCapabilities = [.offers, .advancedCommerce]
}

extension OutcomeKind {
    /// The signatures that an outcome of this kind needs.
    var neededSigning: SigningCapabilities {
        switch self {
        case .nothing, .message, .switch: []
        case .offer: .offers
        case .advancedCommerce: .advancedCommerce
        }
    }
}

extension Decision.Outcome {
    /// The signatures that the outcome needs; empty for most outcomes.
    public var neededSigning: SigningCapabilities {
        switch self {
        case .nothing: []
        case .serve(let content, _): content.kind.neededSigning
        }
    }
}

extension RulesFile {
    /// The signatures that some outcome of the file needs; empty for most files.
    public var neededSigning: SigningCapabilities {
        withBytes { bytes in
            var needed: SigningCapabilities = []
            for index in 0..<tables.outcomes.count {
                let kind = tables.outcomes.record(at: index, in: bytes).flatMap {
                    OutcomeKind(rawValue: $0.kind)
                }
                needed.formUnion(kind?.neededSigning ?? [])
            }
            return needed
        }
    }
}
