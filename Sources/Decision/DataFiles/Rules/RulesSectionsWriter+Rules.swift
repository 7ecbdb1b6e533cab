extension RulesSectionsWriter {
    /// Writes the segments, the holdout, the caps, the rules, and all records that they refer to. Splits and arms are
    /// written in the order in which they are referred to.
    mutating func writeRules() {
        var conditions = ConditionWriter(pool: pool)
        var segments: [EntryReference] = []
        for segment in model.segments {
            let root = conditions.add(segment.condition)
            let record = SegmentRecord {
                $0.name = pool[segment.name]
                $0.condition = root
            }
            append(record, to: .segments)
            segments.append(root)
        }
        var splitCount: UInt32 = 0
        writeExposure(&splitCount)
        var armCount: UInt32 = 0
        var rules: [RuleRecord] = []
        for rule in model.rules {
            let steps = writeSteps(of: rule, &splitCount, &armCount)
            append(steps.record, to: .ruleSteps)
            let record = RuleRecord {
                $0.identifier = pool[rule.id]
                $0.flags = rule.isEnabled ? RuleFlags.enabled : 0
                $0.condition = rule.condition.map { conditions.add($0) } ?? .none
                $0.outcome = steps.outcome
                $0.windowFrom = rule.windowFrom ?? .min
                $0.windowTo = rule.windowTo ?? .max
            }
            rules.append(record)
        }
        for node in conditions.nodes { append(node, to: .conditions) }
        for string in conditions.strings {
            append(ReferenceRecord { $0.reference = string }, to: .stringLists)
        }
        for number in conditions.numbers { append(NumberRecord { $0.number = number }, to: .numberLists) }
        writeIndex(conditions, segments: segments, &rules)
        for rule in rules { append(rule, to: .rules) }
    }

    private mutating func writeExposure(_ splitCount: inout UInt32) {
        if let holdout = model.holdout {
            let record = HoldoutRecord {
                $0.split = writeSplit(holdout.split, &splitCount)
                $0.outcome = reference(to: holdout.outcome)
                $0.until = holdout.until ?? .max
            }
            append(record, to: .holdout)
        }
        if let caps = model.caps {
            let record = CapsRecord {
                $0.flags = caps.allowsUnknown ? CapsFlags.allowsUnknown : 0
                $0.acceptedFact = caps.acceptedFact?.number ?? 0
                $0.lastFact = caps.lastFact?.number ?? 0
                $0.maxAccepted = caps.maxAccepted ?? -1
                $0.minDaysSinceLast = caps.minDaysSinceLast ?? -1
            }
            append(record, to: .caps)
        }
    }

    private mutating func writeSplit(_ split: RulesModel.Split, _ splitCount: inout UInt32) -> EntryReference
    {
        let record = SplitRecord {
            $0.salt = pool[split.salt]
            $0.unit = UInt32(split.unit.number)
            $0.basisPoints = UInt32(clamping: split.basisPoints)
        }
        append(record, to: .splits)
        splitCount += 1
        return EntryReference(splitCount - 1)
    }

    /// Writes the rollout and the arms of a rule. Also returns the rule's outcome, which is none for a rule with arms.
    private mutating func writeSteps(
        of rule: RulesModel.Rule, _ splitCount: inout UInt32, _ armCount: inout UInt32
    ) -> (record: RuleStepsRecord, outcome: EntryReference) {
        var record = RuleStepsRecord()
        if let rollout = rule.rollout { record.rollout = writeSplit(rollout, &splitCount) }
        switch rule.choice {
        case .outcome(let outcome): return (record, reference(to: outcome))
        case .variants(let variants):
            let split = RulesModel.Split(
                salt: variants.salt, unit: variants.unit, basisPoints: DataFileLimits.bucketCount)
            record.variants = writeSplit(split, &splitCount)
            record.firstArm = EntryReference(armCount)
            record.armCount = UInt32(variants.arms.count)
            var end = 0
            for arm in variants.arms {
                end = end.addingReportingOverflow(arm.weight).partialValue
                let entry = ArmRecord {
                    $0.name = pool[arm.name]
                    $0.outcome = reference(to: arm.outcome)
                    $0.end = UInt32(clamping: end)
                }
                append(entry, to: .arms)
            }
            armCount += record.armCount
            return (record, .none)
        }
    }

    /// Writes the sections that follow from the conditions, and stores in each rule its selective predicate.
    private mutating func writeIndex(
        _ conditions: ConditionWriter, segments: [EntryReference], _ rules: inout [RuleRecord]
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
        for rule in index.rules {
            append(ReferenceRecord { $0.reference = EntryReference(rule) }, to: .ruleLists)
        }
        for (rule, predicate) in selectivePredicates(of: roots, node: node).enumerated() {
            rules[rule].selectivePredicate = predicate
        }
    }
}
