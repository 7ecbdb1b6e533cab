internal import System

extension RulesChecker {
    /// How many splits and arms have been referred to. The file refers to them in turn, so no entry is shared and no
    /// entry is left over.
    struct TakenEntries {
        var splits = 0
        var arms = 0
    }

    func checkHoldout(_ bytes: RawSpan, _ taken: inout TakenEntries) throws(DataFileError) {
        guard let record = tables.holdout.record(at: 0, in: bytes) else { return }
        let offset = tables.holdout.offset(of: 0)
        _ = try checkSplit(record.split, .holdout, offset, bytes, &taken)
        guard let outcome = tables.outcomes.record(at: record.outcome.index, in: bytes),
            outcome.kind <= OutcomeKind.message.rawValue
        else { throw error(.badReference, .holdout, field(\HoldoutRecord.outcome, at: offset)) }
        guard record.until == .max || DataFileLimits.dateRange.contains(record.until) else {
            throw error(.badValue, .holdout, field(\HoldoutRecord.until, at: offset))
        }
    }

    func checkCaps(_ bytes: RawSpan) throws(DataFileError) {
        guard let record = tables.caps.record(at: 0, in: bytes) else { return }
        let offset = tables.caps.offset(of: 0)
        guard record.flags & ~CapsFlags.known == 0 else { throw error(.unknownFeature, .caps, offset) }
        guard isNoneOrDeclared(record.acceptedFact, .integer, bytes) else {
            throw error(.badReference, .caps, field(\CapsRecord.acceptedFact, at: offset))
        }
        guard isNoneOrDeclared(record.lastFact, .date, bytes) else {
            throw error(.badReference, .caps, field(\CapsRecord.lastFact, at: offset))
        }
        guard record.maxAccepted >= -1 else {
            throw error(.badValue, .caps, field(\CapsRecord.maxAccepted, at: offset))
        }
        guard (-1...DataFileLimits.dayCount).contains(record.minDaysSinceLast) else {
            throw error(.badValue, .caps, field(\CapsRecord.minDaysSinceLast, at: offset))
        }
    }

    private func isNoneOrDeclared(_ number: UInt16, _ kind: ValueKind, _ bytes: RawSpan) -> Bool {
        if number == 0 { return true }
        guard case .declared(let index)? = Fact(number: number) else { return false }
        return tables.kind(of: .declared(index), bytes) == kind
    }

    func checkRules(_ bytes: RawSpan, _ taken: inout TakenEntries) throws(DataFileError) {
        guard tables.ruleSteps.count == tables.rules.count else {
            throw error(.badSectionLength, .ruleSteps, tables.ruleSteps.offset(of: 0))
        }
        for index in 0..<tables.rules.count {
            guard let record = tables.rules.record(at: index, in: bytes) else { return }
            let offset = tables.rules.offset(of: index)
            try requireString(record.identifier, .rules, offset)
            guard record.flags & ~RuleFlags.known == 0 else {
                throw error(.unknownFeature, .rules, field(\RuleRecord.flags, at: offset))
            }
            guard record.condition.isNone || record.condition.index < tables.conditions.count else {
                throw error(.badReference, .rules, field(\RuleRecord.condition, at: offset))
            }
            let hasArms = try checkSteps(at: index, bytes, &taken)
            guard hasArms ? record.outcome.isNone : record.outcome.index < tables.outcomes.count else {
                throw error(.badReference, .rules, field(\RuleRecord.outcome, at: offset))
            }
            guard record.windowFrom < record.windowTo,
                record.windowFrom == .min || DataFileLimits.dateRange.contains(record.windowFrom)
            else { throw error(.badValue, .rules, field(\RuleRecord.windowFrom, at: offset)) }
            guard record.windowTo == .max || DataFileLimits.dateRange.contains(record.windowTo) else {
                throw error(.badValue, .rules, field(\RuleRecord.windowTo, at: offset))
            }
            guard record.reserved == 0 else {
                throw error(.badValue, .rules, field(\RuleRecord.reserved, at: offset))
            }
        }
    }

    /// Checks the rollout and the arms of a rule. Returns true when the rule has arms.
    private func checkSteps(at index: Int, _ bytes: RawSpan, _ taken: inout TakenEntries)
        throws(DataFileError) -> Bool
    {
        guard let record = tables.ruleSteps.record(at: index, in: bytes) else { return false }
        let offset = tables.ruleSteps.offset(of: index)
        if !record.rollout.isNone { _ = try checkSplit(record.rollout, .ruleSteps, offset, bytes, &taken) }
        guard !record.variants.isNone else {
            guard record.firstArm.isNone else {
                throw error(.badReference, .ruleSteps, field(\RuleStepsRecord.firstArm, at: offset))
            }
            guard record.armCount == 0 else {
                throw error(.badReference, .ruleSteps, field(\RuleStepsRecord.armCount, at: offset))
            }
            return false
        }
        let split = try checkSplit(record.variants, .ruleSteps, offset + 4, bytes, &taken)
        guard split.basisPoints == UInt32(DataFileLimits.bucketCount) else {
            throw error(
                .badValue, .splits,
                field(\SplitRecord.basisPoints, at: tables.splits.offset(of: record.variants.index)))
        }
        guard record.firstArm.index == taken.arms else {
            throw error(.badReference, .ruleSteps, field(\RuleStepsRecord.firstArm, at: offset))
        }
        guard record.armCount > 0, Int(record.armCount) <= tables.arms.count - taken.arms else {
            throw error(.badReference, .ruleSteps, field(\RuleStepsRecord.armCount, at: offset))
        }
        let end = taken.arms + Int(record.armCount)
        try checkArms(taken.arms..<end, bytes)
        taken.arms = end
        return true
    }

    /// Checks that the arms of a rule divide all buckets among them, and that each arm has at least one bucket.
    private func checkArms(_ range: Range<Int>, _ bytes: RawSpan) throws(DataFileError) {
        var names: Set<UInt32> = []
        var begin: UInt32 = 0
        for index in range {
            guard let record = tables.arms.record(at: index, in: bytes) else { return }
            let offset = tables.arms.offset(of: index)
            try requireString(record.name, .arms, offset)
            guard names.insert(record.name.number).inserted else { throw error(.badValue, .arms, offset) }
            guard record.outcome.index < tables.outcomes.count else {
                throw error(.badReference, .arms, field(\ArmRecord.outcome, at: offset))
            }
            let isLast = index == range.upperBound - 1
            guard record.end > begin, record.end <= UInt32(DataFileLimits.bucketCount),
                isLast == (record.end == UInt32(DataFileLimits.bucketCount))
            else { throw error(.badValue, .arms, field(\ArmRecord.end, at: offset)) }
            guard record.reserved == 0 else {
                throw error(.badValue, .arms, field(\ArmRecord.reserved, at: offset))
            }
            begin = record.end
        }
    }

    /// Checks a reference to a split, and returns the split after checking it too. `section` and `referenceOffset` say
    /// where the reference is in the file.
    private func checkSplit(
        _ reference: EntryReference, _ section: RulesSection, _ referenceOffset: Int, _ bytes: RawSpan,
        _ taken: inout TakenEntries
    ) throws(DataFileError) -> SplitRecord {
        guard reference.index == taken.splits,
            let record = tables.splits.record(at: reference.index, in: bytes)
        else { throw error(.badReference, section, referenceOffset) }
        taken.splits += 1
        let offset = tables.splits.offset(of: reference.index)
        try requireString(record.salt, .splits, offset)
        guard let unit = UInt16(exactly: record.unit).flatMap(Fact.init(number:)),
            tables.kind(of: unit, bytes) == .string
        else { throw error(.badReference, .splits, field(\SplitRecord.unit, at: offset)) }
        guard record.basisPoints <= UInt32(DataFileLimits.bucketCount) else {
            throw error(.badValue, .splits, field(\SplitRecord.basisPoints, at: offset))
        }
        guard record.reserved == 0 else {
            throw error(.badValue, .splits, field(\SplitRecord.reserved, at: offset))
        }
        return record
    }

    func checkLeftovers(_ taken: TakenEntries) throws(DataFileError) {
        guard taken.splits == tables.splits.count else {
            throw error(.badReference, .splits, tables.splits.offset(of: taken.splits))
        }
        guard taken.arms == tables.arms.count else {
            throw error(.badReference, .arms, tables.arms.offset(of: taken.arms))
        }
    }
}
