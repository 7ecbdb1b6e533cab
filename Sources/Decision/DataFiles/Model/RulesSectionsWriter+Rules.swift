internal import System

extension RulesSectionsWriter {
    /// Writes segments, holdout, caps, rules and all that they refer to. Splits and arms are taken in the order in
    /// which they are referred to.
    mutating func writeRules() {
        var conditions = ConditionWriter(pool: pool)
        for segment in model.segments {
            let record = SegmentRecord(name: pool[segment.name], condition: conditions.add(segment.condition))
            append(record, to: .segments)
        }
        var splitCount: UInt32 = 0
        writeExposure(&splitCount)
        var armCount: UInt32 = 0
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
            append(record, to: .rules)
        }
        for node in conditions.nodes { append(node, to: .conditions) }
        for string in conditions.strings { append(ReferenceRecord(reference: string), to: .stringLists) }
        for number in conditions.numbers { append(NumberRecord(number: number), to: .numberLists) }
        writeIndex(conditions)
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

    private mutating func writeIndex(_ conditions: ConditionWriter) {
        let roots = ProductIndex.Roots(
            segments: roots(in: .segments, SegmentRecord.self, \.condition),
            rules: roots(in: .rules, RuleRecord.self, \.condition)
        )
        let index = ProductIndex(
            roots,
            node: { conditions.nodes.indices.contains($0) ? conditions.nodes[$0] : nil },
            listed: { conditions.strings.indices.contains($0) ? conditions.strings[$0].number : nil }
        )
        for entry in index.entries { append(entry, to: .productRules) }
        for rule in index.rules { append(ReferenceRecord(reference: EntryReference(rule)), to: .ruleLists) }
    }

    /// Reads back from entries that are written already what roots they have.
    private func roots<Record: FileRecord>(
        in section: RulesSection,
        _ type: Record.Type,
        _ root: (Record) -> EntryReference
    ) -> [EntryReference] {
        let bytes = buffers[section]?.bytes ?? []
        return stride(from: 0, to: bytes.count, by: Record.byteCount).compactMap { offset in
            bytes.span.withRawBytes { Record(reading: $0, at: offset) }.map(root)
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
