extension RulesSectionsWriter {
    /// Writes segments, holdout, caps, rules and all that they refer to. Splits and arms are taken in the order in
    /// which they are referred to.
    mutating func writeRules() {
        var conditions = ConditionWriter(pool: pool)
        var segments: [EntryReference] = []
        for segment in model.segments {
            let root = conditions.add(segment.condition)
            append(SegmentRecord(name: pool[segment.name], condition: root), to: .segments)
            segments.append(root)
        }
        var splitCount: UInt32 = 0
        writeExposure(&splitCount)
        var armCount: UInt32 = 0
        var rules: [RuleRecord] = []
        for rule in model.rules {
            let steps = writeSteps(of: rule, &splitCount, &armCount)
            append(steps.record, to: .ruleSteps)
            let record = RuleRecord(
                identifier: pool[rule.id],
                flags: rule.isEnabled ? RuleFlags.enabled : 0,
                condition: rule.condition.map { conditions.add($0) } ?? .none,
                outcome: steps.outcome,
                windowFrom: rule.windowFrom ?? .min,
                windowTo: rule.windowTo ?? .max
            )
            rules.append(record)
        }
        for node in conditions.nodes { append(node, to: .conditions) }
        for string in conditions.strings { append(ReferenceRecord(reference: string), to: .stringLists) }
        for number in conditions.numbers { append(NumberRecord(number: number), to: .numberLists) }
        writeIndex(conditions, segments: segments, &rules)
        for rule in rules { append(rule, to: .rules) }
    }

    private mutating func writeExposure(_ splitCount: inout UInt32) {
        if let holdout = model.holdout {
            let record = HoldoutRecord(
                split: writeSplit(holdout.split, &splitCount),
                outcome: reference(to: holdout.outcome),
                until: holdout.until ?? .max
            )
            append(record, to: .holdout)
        }
        if let caps = model.caps {
            let record = CapsRecord(
                flags: caps.allowsUnknown ? CapsFlags.allowsUnknown : 0,
                acceptedFact: caps.acceptedFact?.number ?? 0,
                lastFact: caps.lastFact?.number ?? 0,
                maxAccepted: caps.maxAccepted ?? -1,
                minDaysSinceLast: caps.minDaysSinceLast ?? -1
            )
            append(record, to: .caps)
        }
    }

    private mutating func writeSplit(_ split: RulesModel.Split, _ splitCount: inout UInt32) -> EntryReference
    {
        let record = SplitRecord(
            salt: pool[split.salt],
            unit: UInt32(split.unit.number),
            basisPoints: UInt32(clamping: split.basisPoints)
        )
        append(record, to: .splits)
        splitCount += 1
        return EntryReference(splitCount - 1)
    }

    /// Writes rollout and arms of a rule; answers the outcome of one that has no arms.
    private mutating func writeSteps(
        of rule: RulesModel.Rule,
        _ splitCount: inout UInt32,
        _ armCount: inout UInt32
    ) -> (record: RuleStepsRecord, outcome: EntryReference) {
        var record = RuleStepsRecord(rollout: .none, variants: .none, firstArm: .none, armCount: 0)
        if let rollout = rule.rollout { record.rollout = writeSplit(rollout, &splitCount) }
        switch rule.choice {
        case .outcome(let outcome): return (record, reference(to: outcome))
        case .variants(let variants):
            let split = RulesModel.Split(
                salt: variants.salt,
                unit: variants.unit,
                basisPoints: DataFileLimits.bucketCount
            )
            record.variants = writeSplit(split, &splitCount)
            record.firstArm = EntryReference(armCount)
            record.armCount = UInt32(variants.arms.count)
            var end = 0
            for arm in variants.arms {
                end = end.addingReportingOverflow(arm.weight).partialValue
                let entry = ArmRecord(
                    name: pool[arm.name],
                    outcome: reference(to: arm.outcome),
                    end: UInt32(clamping: end)
                )
                append(entry, to: .arms)
            }
            armCount += record.armCount
            return (record, .none)
        }
    }

    /// Writes what follows from the conditions, and into the rules where it stands.
    private mutating func writeIndex(
        _ conditions: ConditionWriter,
        segments: [EntryReference],
        _ rules: inout [RuleRecord]
    ) {
        func node(_ index: Int) -> ConditionRecord? {
            conditions.nodes.indices.contains(index) ? conditions.nodes[index] : nil
        }
        let roots = rules.map(\.condition)
        let index = ProductIndex(
            ProductIndex.Roots(segments: segments, rules: roots),
            node: node,
            listed: { conditions.strings.indices.contains($0) ? conditions.strings[$0].number : nil }
        )
        for entry in index.entries { append(entry, to: .productRules) }
        for rule in index.rules { append(ReferenceRecord(reference: EntryReference(rule)), to: .ruleLists) }
        let derived = RuleTerms(rules, isNamed: index.isNamed, node: node)
        for head in derived.heads { append(head, to: .ruleHeads) }
        for term in derived.terms { append(term, to: .terms) }
        for (rule, range) in derived.ranges.enumerated() {
            rules[rule].firstTerm = UInt32(truncatingIfNeeded: range.lowerBound)
            rules[rule].termCount = UInt32(truncatingIfNeeded: range.count)
        }
    }
}

extension RulesModel {
    /// Whether a reader of format 1.0 would decide differently.
    var needsLanguage: Bool {
        if !facts.isEmpty || !segments.isEmpty || holdout != nil || caps != nil { return true }
        if messages.contains(where: { $0.identifiers.contains(where: \.isMasked) }) { return true }
        let served = rules.flatMap(\.choice.outcomes) + (defaultOutcome.map { [$0] } ?? [])
        if served.contains(where: { !$0.isInFirstFormat }) { return true }
        return rules.contains { rule in
            if case .variants = rule.choice { return true }
            return rule.rollout != nil || !(rule.condition?.isInFirstFormat ?? true)
        }
    }
}

extension RulesModel.Outcome {
    fileprivate var isInFirstFormat: Bool {
        switch self {
        case .nothing, .message: true
        case .switch, .offer, .advancedCommerce: false
        }
    }
}

extension Condition {
    fileprivate var isInFirstFormat: Bool {
        func isKnown(_ fact: Fact) -> Bool { fact.number <= Fact.now.number }
        switch self {
        case .all(let children), .any(let children): return children.allSatisfy(\.isInFirstFormat)
        case .not(let child): return child.isInFirstFormat
        case .equal(let fact, _), .notEqual(let fact, _), .isIn(let fact, _), .isNotIn(let fact, _),
            .prefix(let fact, _):
            return isKnown(fact)
        default: return false
        }
    }
}
