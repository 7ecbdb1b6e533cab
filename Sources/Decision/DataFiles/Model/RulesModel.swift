public import Vocabulary

/// The contents of a rules source as typed values. The evaluator does not use them; it walks the ``RulesFile`` that is
/// made from them.
public struct RulesModel: Sendable, Hashable {
    /// The app that the rules serve, as Apple's number.
    public var appAppleId: Int64
    /// The app's bundle identifier.
    public var bundleId: String
    /// The environment that the rules serve.
    public var environment: Environment
    /// The author's metadata about the file, in the order of the source.
    public var metadata: [Metadatum] = []
    /// True when the kill switch is on, so that every request gets no message.
    public var killSwitch = false
    /// The locale fallbacks: for a locale, the locale to try next. At most one for each locale.
    public var localeFallbacks: [LocaleFallback] = []
    /// The locale to try when all others had no message; nil when there is none.
    public var lastLocale: String?
    /// The products that the author declares, in the order of the source.
    public var products: [Product] = []
    /// The declared facts; ``Fact/declared(_:)`` names them by their place here. At most ``DataFileLimits/factCount``.
    public var facts: [FactDeclaration] = []
    /// The messages; outcomes name them by their place here.
    public var messages: [Message] = []
    /// Conditions with a name. Each refers only to earlier ones; ``Condition/segment(_:)`` names them by their place
    /// here. At most ``DataFileLimits/segmentCount``.
    public var segments: [Segment] = []
    /// The holdout; nil when nobody is held out.
    public var holdout: Holdout?
    /// The limits on how often a subscriber gets an offer; nil for no limit.
    public var caps: OfferCaps?
    /// The rules in the order of evaluation.
    public var rules: [Rule] = []
    /// The outcome when no rule serves; nil when then nothing is served.
    public var defaultOutcome: Outcome?
    /// The tests that the author put into the file.
    public var tests: [EmbeddedTest] = []

    public init(appAppleId: Int64, bundleId: String, environment: Environment) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
    }

    /// The author's name of this version, `metadata.revision`; nil when the source has none.
    public var revision: String? { metadata.first { $0.key == "revision" }?.value }

    /// Returns the fact's name in the rules language. A declared fact that the model does not have gets `#` and its
    /// number.
    public func name(of fact: Fact) -> String {
        if case .declared(let index) = fact, facts.indices.contains(index) { return facts[index].name }
        return fact.builtInName ?? "#\(fact.number)"
    }

    /// Returns the kind of a fact's values; nil for a declared fact that the model does not have.
    public func kind(of fact: Fact) -> ValueKind? {
        if case .declared(let index) = fact { return facts.indices.contains(index) ? facts[index].kind : nil }
        return fact.builtInKind
    }
}
