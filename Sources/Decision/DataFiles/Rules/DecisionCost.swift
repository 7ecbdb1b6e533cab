internal import System

/// The steps of the costliest decision that a rules file can make. Counted from the file alone, by whoever loads it and
/// by the compiler, so that no file makes the server slow.
///
/// A step is what 5 nanoseconds pay for with a margin: a comparison in memory that the processor has at hand. Looking at
/// memory that it has not counts ``missStepCount`` of them.
public struct DecisionCost: Sendable, Hashable {
    /// The steps for the product whose rules cost most.
    public private(set) var stepCount = 0
    /// The first rule with which the steps are more than ``DataFileLimits/decisionStepCount``; nil when they never are.
    public private(set) var ruleIndex: Int?
    /// The first embedded test with which all tests together could take more steps than
    /// ``DataFileLimits/testsStepCount``; nil when they never do.
    public private(set) var testIndex: Int?

    /// A look at memory that the processor does not have at hand, about 80 nanoseconds.
    static let missStepCount = 16
    /// How often a list is halved in memory at hand when it is looked into again and again: a thousand entries are 24 KB.
    static let halvingsAtHand = 10
    /// What every decision costs: the facts, the holdout, the default, the candidates of the product.
    static let baseStepCount = 2_000
    /// The rule's records, and whether it is switched on and in its window.
    static let ruleStepCount = 3
    /// A share or an arm that is drawn, beside its salt.
    static let drawStepCount = 2 * missStepCount
    /// The bytes of a salt or a unit that are hashed in a step.
    static let hashedByteCount = 4
    /// Caps, message and signing of an outcome, and keeping why it failed.
    static let outcomeStepCount = 2 * missStepCount

    /// Counts the steps of a file whose conditions have been checked.
    public init(of file: RulesFile) {
        self = file.withBytes { DecisionCost(file.tables, $0) }
    }

    init(_ tables: RulesTables, _ bytes: RawSpan) {
        countRules(tables, bytes)
        guard ruleIndex == nil else { return }
        // Whoever runs a test that fails decides once more, as if everything were approved.
        let count = DataFileLimits.testsStepCount / (2 * stepCount)
        if tables.tests.count > count { testIndex = count }
    }

    private mutating func countRules(_ tables: RulesTables, _ bytes: RawSpan) {
        let counter = StepCounter(tables, bytes)
        let base = counter.shared(bytes)
        var costs: [Int] = []
        costs.reserveCapacity(tables.rules.count)
        for index in 0..<tables.rules.count { costs.append(counter.steps(ofRule: index, bytes)) }
        let always = Self.rules(0, tables, bytes)
        let common = always.reduce(base) { $0 + costs[$1] }
        // All products together cost as many steps as the lists are long.
        var (worst, most) = (0, common)
        for entry in 1..<max(1, tables.productRules.count) {
            let own = Self.rules(entry, tables, bytes).reduce(common) { $0 + costs[$1] }
            if own > most { (worst, most) = (entry, own) }
        }
        stepCount = most
        guard most > DataFileLimits.decisionStepCount else { return }
        add((worst == 0 ? always : always + Self.rules(worst, tables, bytes)).sorted(), costs, base)
    }

    /// Adds rules in their order and notes the first one that is too much.
    private mutating func add(_ rules: [Int], _ costs: [Int], _ base: Int) {
        stepCount = base
        if base > DataFileLimits.decisionStepCount { ruleIndex = rules.first ?? 0 }
        for rule in rules {
            stepCount += costs[rule]
            if ruleIndex == nil, stepCount > DataFileLimits.decisionStepCount { ruleIndex = rule }
        }
    }

    /// The rules in an entry of the index.
    private static func rules(_ entry: Int, _ tables: RulesTables, _ bytes: RawSpan) -> [Int] {
        guard let record = tables.productRules.record(at: entry, in: bytes) else { return [] }
        return (0..<Int(record.count)).compactMap { place in
            let rule = tables.ruleLists.record(at: Int(record.first) + place, in: bytes)?.reference.index
            return rule.flatMap { $0 < tables.rules.count ? $0 : nil }
        }
    }
}
