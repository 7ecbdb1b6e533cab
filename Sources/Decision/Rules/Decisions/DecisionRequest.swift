internal import Facts
package import System

/// The request that a decision is about: which subscriber, of which product, in which locale, at what time.
package struct DecisionRequest: Sendable, Hashable {
    package var appAppleId: Int64
    package var environment: Environment
    package var productId: String
    /// The locale of the subscriber's device, case-sensitive.
    package var userLocale: String
    package var originalTransactionId: String
    /// The time on the server's clock, milliseconds since 1970.
    package var nowMilliseconds: Int64
    package var signing: SigningCapabilities

    /// Makes a request. The strings are shared, not copied.
    package init(
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
package struct SigningCapabilities: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let offers = SigningCapabilities(rawValue: 1)
    package static let advancedCommerce = SigningCapabilities(rawValue: 2)
    package static let all: SigningCapabilities = [.offers, .advancedCommerce]
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
    package var neededSigning: SigningCapabilities {
        switch self {
        case .nothing: []
        case .serve(let content, _): content.kind.neededSigning
        }
    }
}

extension RulesFile {
    /// The signatures that some outcome of the file needs; empty for most files.
    package var neededSigning: SigningCapabilities {
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
