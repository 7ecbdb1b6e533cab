public import DataFiles

/// What can be signed for the app of a request: without it an outcome that needs it is passed over.
public struct SigningCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Promotional offers.
    public static let offers = SigningCapabilities(rawValue: 1)
    /// Requests of the Advanced Commerce API.
    public static let advancedCommerce = SigningCapabilities(rawValue: 2)
    /// Everything.
    public static let all: SigningCapabilities = [.offers, .advancedCommerce]
}

extension OutcomeKind {
    /// What an outcome of the kind needs signed.
    var neededSigning: SigningCapabilities {
        switch self {
        case .nothing, .message, .switch: []
        case .offer: .offers
        case .advancedCommerce: .advancedCommerce
        }
    }
}

extension Decision.Outcome {
    /// What has to be signed for it; empty for most.
    public var neededSigning: SigningCapabilities {
        switch self {
        case .nothing: []
        case .serve(let content, _): content.kind.neededSigning
        }
    }
}

extension RulesFile {
    /// What has to be signed for one outcome or another; empty for most files.
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
