internal import Dispatch
internal import Facts
internal import Rules
internal import Synchronization
internal import System

/// Decides for every row of a facts file, on all processors. What it keeps is counts, however many rows there are.
struct Simulation: Sendable {
    let new: (rules: RulesFile, facts: FactsSource)
    let old: (rules: RulesFile, facts: FactsSource)?
    let requests: SimulatedRequests
    let nowMilliseconds: Int64

    var file: FactsFile { new.facts.file }
    var ageSeconds: Int64 { file.ageSeconds(atMilliseconds: nowMilliseconds) }

    func run() -> SimulationCounts {
        let count = ProcessorCount.usable
        let bounds = (0...count).map { file.rowCount * $0 / count }
        let parts = Mutex<[Int: SimulationCounts]>([:])
        DispatchQueue.concurrentPerform(iterations: count) { part in
            let counts = decide(bounds[part], bounds[part + 1])
            parts.withLock { $0[part] = counts }
        }
        let inOrder = parts.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
        return inOrder.reduce(into: SimulationCounts(self)) { $0.add($1) }
    }

    private func decide(_ begin: Int, _ end: Int) -> SimulationCounts {
        var counts = SimulationCounts(self)
        let failures = (new: StepFailures(new.rules), old: old.map { StepFailures($0.rules) })
        var products = requests.productFacts(in: file)
        var storefronts = FactStrings(file, file.column("storefront"))
        let age = ageSeconds
        var request = DecisionRequest(
            appAppleId: new.rules.appAppleId, environment: new.rules.environment, productId: "",
            userLocale: "",
            originalTransactionId: "", nowMilliseconds: nowMilliseconds, signing: .all)
        for row in file.rows.dropFirst(begin).prefix(end - begin) {
            guard let key = file.key(of: row) else { continue }
            request.originalTransactionId = String(key)
            request.productId = requests.product(of: key, fact: products.value(of: row))
            request.userLocale = requests.locale(of: key, product: request.productId)
            let decision = Rules.decide(
                request, facts: new.facts.facts(of: row, ageSeconds: age), using: new.rules,
                counting: failures.new)
            var before: Decision?
            if let old, let counting = failures.old {
                before = Rules.decide(
                    request, facts: old.facts.facts(of: row, ageSeconds: age), using: old.rules,
                    counting: counting)
            }
            let group = counts.add(1, decision, instead: before)
            counts.products.add(request.productId, group)
            counts.locales.add(request.userLocale, group)
            counts.storefronts?.add(storefronts.value(of: row) ?? "", group)
        }
        counts.failures = failures.new.counts
        counts.oldFailures = failures.old?.counts ?? []
        return counts
    }
}

/// How many subscribers were decided alike, and which products, locales and storefronts they have.
struct SimulationCounts: Sendable {
    struct Group: Sendable {
        let new: Decision
        /// Nil without rules to compare with.
        let old: Decision?
        fileprivate(set) var count = 0
    }

    private(set) var groups: [Group] = []
    private var places: [Pair: Int] = [:]
    var products = Breakdown()
    var locales = Breakdown()
    /// Nil when the facts do not say it.
    var storefronts: Breakdown?
    var failures: [Int] = []
    var oldFailures: [Int] = []

    init(_ simulation: Simulation) {
        storefronts = simulation.file.column("storefront").map { _ in Breakdown() }
    }

    /// Numbers of the rules file that tell apart all that is counted apart.
    private struct Key: Hashable {
        let reason: DecisionReason
        let rule: Int
        let arm: Int
        let locale: UInt32
        let shadowRule: Int
        let shadowArm: Int
        let isCapped: Bool
        let isWithoutLocale: Bool

        init(_ decision: Decision) {
            reason = decision.reason
            (rule, arm) = (decision.ruleIndex ?? -1, decision.armIndex ?? -1)
            locale = decision.locale.number
            let shadow = decision.isHeldOut ? decision.shadow : nil
            (shadowRule, shadowArm) = (shadow?.ruleIndex ?? -1, shadow?.armIndex ?? -1)
            isCapped = decision.skipped.capped > 0
            isWithoutLocale = decision.skipped.noLocale > 0
        }

        /// Without the reason, whose text takes longer than the rest.
        func hash(into hasher: inout Hasher) {
            hasher.combine(rule)
            hasher.combine(arm)
            hasher.combine(locale)
            hasher.combine(shadowRule)
        }
    }

    private struct Pair: Hashable {
        let new: Key
        let old: Key?
    }

    /// Returns the place of the group to which the subscribers belong.
    mutating func add(_ count: Int, _ new: Decision, instead old: Decision?) -> Int {
        let pair = Pair(new: Key(new), old: old.map(Key.init))
        let place = places[pair] ?? groups.count
        if place == groups.count {
            places[pair] = place
            groups.append(Group(new: new, old: old))
        }
        groups[place].count += count
        return place
    }

    mutating func add(_ other: SimulationCounts) {
        let moved = other.groups.map { add($0.count, $0.new, instead: $0.old) }
        products.add(other.products, moved)
        locales.add(other.locales, moved)
        if let others = other.storefronts { storefronts?.add(others, moved) }
        failures = Self.sum(failures, other.failures)
        oldFailures = Self.sum(oldFailures, other.oldFailures)
    }

    private static func sum(_ left: [Int], _ right: [Int]) -> [Int] {
        left.isEmpty ? right : zip(left, right).map { $0 + $1 }
    }
}

/// How many subscribers of each value are in each group.
struct Breakdown: Sendable {
    /// A column of a million texts must not fill the memory: those after the first 1,000 are counted together.
    static let limit = 1000
    static let others = "\u{2026}"

    private(set) var counts: [String: [Int]] = [:]

    mutating func add(_ value: String, _ group: Int, count: Int = 1) {
        let name = counts[value] == nil && counts.count >= Self.limit ? Self.others : value
        add(count, to: &counts[name, default: []], at: group)
    }

    private func add(_ count: Int, to counts: inout [Int], at group: Int) {
        while counts.count <= group { counts.append(0) }
        counts[group] += count
    }

    mutating func add(_ other: Breakdown, _ moved: [Int]) {
        for (value, counts) in other.counts {
            for (group, count) in counts.enumerated() where count > 0 {
                add(value, moved[group], count: count)
            }
        }
    }
}
