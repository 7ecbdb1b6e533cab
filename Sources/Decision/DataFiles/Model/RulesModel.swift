public import Vocabulary

/// What a rules file says, as typed values: what the compiler makes and the writer writes, and what `dump` reads
/// back. The evaluator never sees it; it reads the file itself.
public struct RulesModel: Sendable, Hashable {
    /// The app, Apple's number.
    public var appAppleId: Int64
    /// The app's bundle identifier.
    public var bundleId: String
    /// The environment served.
    public var environment: Environment
    /// What the author says about the file, in the order of the source.
    public var metadata: [Metadatum] = []
    /// Whether nothing is to be decided.
    public var killSwitch = false
    /// Which locale to try after which; at most one for each.
    public var localeFallbacks: [LocaleFallback] = []
    /// The locale to try when all else had no message.
    public var lastLocale: String?
    /// The products that the author declares, in the order of the source.
    public var products: [Product] = []
    /// The facts that the facts file must have; ``Fact/declared(_:)`` names them by their place here. At most
    /// ``DataFileLimits/factCount``.
    public var facts: [FactDeclaration] = []
    /// The messages; rules name them by their place here.
    public var messages: [Message] = []
    /// Named conditions, in an order in which each refers to earlier ones only; ``Condition/segment(_:)`` names them
    /// by their place here. At most ``DataFileLimits/segmentCount``.
    public var segments: [Segment] = []
    /// Who is kept out of all rules to compare with; nil for nobody.
    public var holdout: Holdout?
    /// How often a subscriber gets an offer; nil for no limit.
    public var caps: OfferCaps?
    /// The rules in the order of evaluation.
    public var rules: [Rule] = []
    /// What is served when no rule matches; nil for nothing.
    public var defaultOutcome: Outcome?
    /// What the author expects of the rules.
    public var tests: [EmbeddedTest] = []

    /// Starts without any rule.
    public init(appAppleId: Int64, bundleId: String, environment: Environment) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
    }

    /// The name of a fact in the rules language; a declared one that is not there gets its number.
    public func name(of fact: Fact) -> String {
        if case .declared(let index) = fact, facts.indices.contains(index) { return facts[index].name }
        return fact.builtInName ?? "#\(fact.number)"
    }

    /// The kind of a fact; nil for a declared one that is not there.
    public func kind(of fact: Fact) -> ValueKind? {
        if case .declared(let index) = fact { return facts.indices.contains(index) ? facts[index].kind : nil }
        return fact.builtInKind
    }
}
