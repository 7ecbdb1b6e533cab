internal import Facts
public import System

/// The request that a decision is about: which subscriber, of which product, in which locale, at what time.
public struct DecisionRequest: Sendable, Hashable {
    public var appAppleId: Int64
    public var environment: Environment
    public var productId: String
    /// The locale of the subscriber's device, case-sensitive.
    public var userLocale: String
    public var originalTransactionId: String
    /// The time on the server's clock, milliseconds since 1970.
    public var nowMilliseconds: Int64
    public var signing: SigningCapabilities

    /// Makes a request. The strings are shared, not copied.
    public init(
        appAppleId: Int64, environment: Environment, productId: String, userLocale: String,
        originalTransactionId: String, nowMilliseconds: Int64, signing: SigningCapabilities = []
    ) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.productId = productId
        self.userLocale = userLocale
        self.originalTransactionId = originalTransactionId
        self.nowMilliseconds = nowMilliseconds
        self.signing = signing
    }
}

/// What the service can sign for the app of a request. A decision passes over an outcome that needs another signature.
public struct SigningCapabilities: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let offers = SigningCapabilities(rawValue: 1)
    public static let advancedCommerce = SigningCapabilities(rawValue: 2)
    public static let all: SigningCapabilities = [.offers, .advancedCommerce]
}

extension OutcomeKind {
    var neededSigning: SigningCapabilities {
        switch self {
        case .nothing, .message, .switch: []
        case .offer: .offers
        case .advancedCommerce: .advancedCommerce
        }
    }
}

extension Decision.Outcome {
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
