internal import System

/// Counts the steps of the parts of a decision, see ``DecisionCost``.
struct StepCounter {
    private let tables: RulesTables
    /// The greatest number of locales that one search tries: the longest chain of fallbacks and the last resort.
    private let localeCount: Int

    init(_ tables: RulesTables, _ bytes: RawSpan) {
        self.tables = tables
        localeCount = Self.longestFallbackChain(tables, bytes) + 2
    }

    /// Returns the steps that are not part of a rule: the base, the lookups of strings, every segment once, the holdout
    /// and the default.
    func shared(_ bytes: RawSpan) -> Int {
        var steps = DecisionCost.baseStepCount + lookups(bytes)
        for index in 0..<tables.segments.count {
            if let root = tables.segments.record(at: index, in: bytes)?.condition {
                steps += self.steps(ofNode: root.index, 0, bytes)
            }
        }
        if let holdout = tables.holdout.record(at: 0, in: bytes) {
            steps += draw(holdout.split, bytes) + self.steps(ofOutcome: holdout.outcome, bytes)
        }
        return steps + self.steps(ofOutcome: tables.settings.defaultOutcome, bytes)
    }

    /// Returns the most steps that a rule and its outcome can take.
    func steps(ofRule index: Int, _ bytes: RawSpan) -> Int {
        guard let rule = tables.rules.record(at: index, in: bytes) else { return 0 }
        var steps = DecisionCost.ruleStepCount
        guard rule.flags & RuleFlags.enabled != 0,
            let choice = tables.ruleSteps.record(at: index, in: bytes)
        else { return steps }
        if !rule.condition.isNone { steps += self.steps(ofNode: rule.condition.index, 0, bytes) }
        if !choice.rollout.isNone { steps += draw(choice.rollout, bytes) }
        guard !choice.variants.isNone else { return steps + self.steps(ofOutcome: rule.outcome, bytes) }
        steps += draw(choice.variants, bytes) + Int(choice.armCount)
        var most = 0
        for place in 0..<Int(choice.armCount) {
            guard let arm = tables.arms.record(at: choice.firstArm.index + place, in: bytes) else {
                break
            }
            most = max(most, self.steps(ofOutcome: arm.outcome, bytes))
        }
        return steps + most
    }

    private func steps(ofNode index: Int, _ depth: Int, _ bytes: RawSpan) -> Int {
        guard depth <= DataFileLimits.conditionDepth,
            let node = tables.conditions.record(at: index, in: bytes)
        else { return 0 }
        switch ConditionOperation(rawValue: node.operation)?.operand {
        case .conditions:
            var steps = 2
            for child in node.first.index..<node.first.index + Int(node.count) {
                steps += self.steps(ofNode: child, depth + 1, bytes)
            }
            return steps
        case .list:
            // One access to memory brings eight numbers, or sixteen strings.
            return 2 + DecisionCost.cacheMissStepCount * (1 + Self.halvings(Int(node.count) / 8))
        case .part:
            let byteCount = tables.strings.range(of: node.first, in: bytes)?.count ?? 0
            return 2 + DecisionCost.cacheMissStepCount + byteCount / 8
        case .range: return 2 + DecisionCost.cacheMissStepCount
        case .segment, .value, .flag, .days, nil: return 2
        }
    }

    /// Returns the steps to find the numbers of all facts that are strings. It assumes the worst place of the hash
    /// table: the longest run of occupied buckets, each with a string somewhere else in memory, and the free bucket
    /// after them.
    private func lookups(_ bytes: RawSpan) -> Int {
        let buckets = tables.strings.buckets
        var (longest, run, first) = (0, 0, -1)
        for place in 0..<buckets.count {
            guard let bucket = buckets.record(at: place, in: bytes) else { break }
            run = bucket.reference.isNone ? 0 : run + 1
            if bucket.reference.isNone, first < 0 { first = place }
            longest = max(longest, run)
        }
        // The first bucket follows the last one, so a run at the end may continue at the beginning.
        longest = max(longest, run + max(0, first))
        let factCount = Fact.builtIns.count + tables.factDeclarations.count
        return factCount * (longest + 1) * (DecisionCost.cacheMissStepCount + 2)
    }

    /// Returns the steps to draw a split: to hash its salt and its unit.
    private func draw(_ reference: EntryReference, _ bytes: RawSpan) -> Int {
        guard let split = tables.splits.record(at: reference.index, in: bytes) else { return 0 }
        var byteCount = tables.strings.range(of: split.salt, in: bytes)?.count ?? 0
        // A unit from the request is short; only a string of the facts file can be long.
        if split.unit >= UInt32(Fact.declaredBase) { byteCount += DataFileLimits.factStringByteCount }
        return DecisionCost.drawStepCount + byteCount / DecisionCost.hashedByteCount
    }

    /// Returns the steps to look for a message in every locale that can stand in for the subscriber's.
    private func steps(ofOutcome reference: EntryReference, _ bytes: RawSpan) -> Int {
        guard let outcome = tables.outcomes.record(at: reference.index, in: bytes),
            let message = tables.messages.record(at: outcome.message.index, in: bytes)
        else { return 1 }
        let identifierCount = Int(message.identifierCount)
        // The processor may not have this message's list in its cache yet. One access brings two or three entries.
        let first = DecisionCost.cacheMissStepCount * Self.halvings(identifierCount / 2)
        let lookup = 4 + search(identifierCount) + search(tables.localeFallbacks.count)
        return DecisionCost.outcomeStepCount + first + localeCount * lookup
    }

    /// Returns the steps to find a locale in a list that was searched before: the first halvings read memory in the
    /// cache, each further one reads another place.
    private func search(_ count: Int) -> Int {
        let halvings = Self.halvings(count)
        return 2 * halvings + DecisionCost.cacheMissStepCount
            * max(0, halvings - DecisionCost.cachedHalvingCount)
    }

    /// Returns how often a list of `count` entries can be halved.
    private static func halvings(_ count: Int) -> Int {
        count < 2 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
    }

    /// Returns the greatest number of steps from one locale to another. The checker has refused circles.
    private static func longestFallbackChain(_ tables: RulesTables, _ bytes: RawSpan) -> Int {
        var next: [UInt32: UInt32] = [:]
        for index in 0..<tables.localeFallbacks.count {
            if let step = tables.localeFallbacks.record(at: index, in: bytes) {
                next[step.locale.number] = step.fallback.number
            }
        }
        var lengths: [UInt32: Int] = [:]
        for start in next.keys {
            var way: [UInt32] = []
            var current = start
            while lengths[current] == nil, let following = next[current], way.count <= next.count {
                way.append(current)
                current = following
            }
            var length = lengths[current] ?? 0
            for locale in way.reversed() {
                length += 1
                lengths[locale] = length
            }
        }
        return lengths.values.max() ?? 0
    }
}
