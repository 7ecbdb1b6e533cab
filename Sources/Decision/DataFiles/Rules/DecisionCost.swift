internal import System

/// The steps of the costliest decision that a rules file can make. The process that loads a file and the compiler both
/// count them from the file alone, so that no file makes the server slow.
///
/// A step is a comparison in memory that the processor has in its cache, for which 5 nanoseconds are enough with a
/// margin. An access to other memory counts as ``cacheMissStepCount`` steps.
public struct DecisionCost: Sendable, Hashable {
    /// The steps of a decision about the product whose rules cost most.
    public private(set) var stepCount = 0
    /// The first rule at which the sum of the steps exceeds ``DataFileLimits/decisionStepCount``; nil when it never
    /// does.
    public private(set) var ruleIndex: Int?
    /// The first embedded test at which all tests together could take more steps than
    /// ``DataFileLimits/testsStepCount``; nil when they never do.
    public private(set) var testIndex: Int?

    /// The steps of an access to memory that is not in the processor's cache: about 80 nanoseconds.
    static let cacheMissStepCount = 16
    /// How many halvings of a binary search read memory in the cache, when a list is searched again and again: a
    /// thousand entries are 24 KB.
    static let cachedHalvingCount = 10
    /// The steps that every decision takes: the facts, the holdout, the default, the candidate rules of the product.
    static let baseStepCount = 2_000
    /// The steps to read a rule's records, and to check that the rule is switched on and in its window.
    static let ruleStepCount = 3
    /// The steps to draw a rollout or an arm, without those to hash the salt and the unit.
    static let drawStepCount = 2 * cacheMissStepCount
    /// How many bytes of a salt or a unit are hashed in a step.
    static let hashedByteCount = 4
    /// The steps for the caps, the message and the signing of an outcome, and to keep the reason why it failed.
    static let outcomeStepCount = 2 * cacheMissStepCount

    /// Counts the steps of a file whose conditions have been checked.
    public init(of file: RulesFile) {
        self = file.withBytes { DecisionCost(file.tables, $0) }
    }

    init(_ tables: RulesTables, _ bytes: RawSpan) {
        countRules(tables, bytes)
        guard ruleIndex == nil else { return }
        // A test that fails is decided once more, as if Apple had approved everything.
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
        // This loop takes as many steps for all products together as their lists have entries.
        var (worst, most) = (0, common)
        for entry in 1..<max(1, tables.productRules.count) {
            let own = Self.rules(entry, tables, bytes).reduce(common) { $0 + costs[$1] }
            if own > most { (worst, most) = (entry, own) }
        }
        stepCount = most
        guard most > DataFileLimits.decisionStepCount else { return }
        add((worst == 0 ? always : always + Self.rules(worst, tables, bytes)).sorted(), costs, base)
    }

    /// Adds rules in their order and notes the first rule at which the steps exceed the limit.
    private mutating func add(_ rules: [Int], _ costs: [Int], _ base: Int) {
        stepCount = base
        if base > DataFileLimits.decisionStepCount { ruleIndex = rules.first ?? 0 }
        for rule in rules {
            stepCount += costs[rule]
            if ruleIndex == nil, stepCount > DataFileLimits.decisionStepCount { ruleIndex = rule }
        }
    }

    /// Returns the rules in an entry of the index by product.
    private static func rules(_ entry: Int, _ tables: RulesTables, _ bytes: RawSpan) -> [Int] {
        guard let record = tables.productRules.record(at: entry, in: bytes) else { return [] }
        return (0..<Int(record.count)).compactMap { place in
            let rule = tables.ruleLists.record(at: Int(record.first) + place, in: bytes)?.reference.index
            return rule.flatMap { $0 < tables.rules.count ? $0 : nil }
        }
    }
}
