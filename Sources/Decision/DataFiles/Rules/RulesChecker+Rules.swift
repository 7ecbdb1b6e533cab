internal import System

extension RulesChecker {
    /// How many entries are spoken for: splits and arms are referred to in turn, so none is shared and none is left
    /// over.
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
        else { throw error(.badReference, .holdout, offset + 4) }
        guard record.until == .max || DataFileLimits.dateRange.contains(record.until) else {
            throw error(.badValue, .holdout, offset + 8)
        }
    }

    func checkCaps(_ bytes: RawSpan) throws(DataFileError) {
        guard let record = tables.caps.record(at: 0, in: bytes) else { return }
        let offset = tables.caps.offset(of: 0)
        guard record.flags & ~CapsFlags.known == 0 else { throw error(.unknownFeature, .caps, offset) }
        guard isNoneOrDeclared(record.acceptedFact, .integer, bytes) else {
            throw error(.badReference, .caps, offset + 4)
        }
        guard isNoneOrDeclared(record.lastFact, .date, bytes) else {
            throw error(.badReference, .caps, offset + 6)
        }
        guard record.maxAccepted >= -1 else { throw error(.badValue, .caps, offset + 8) }
        guard (-1...DataFileLimits.dayCount).contains(record.minDaysSinceLast) else {
            throw error(.badValue, .caps, offset + 16)
        }
    }

    private func isNoneOrDeclared(_ number: UInt16, _ kind: ValueKind, _ bytes: RawSpan) -> Bool {
        if number == 0 { return true }
        guard case .declared(let index)? = Fact(number: number) else { return false }
        return tables.kind(of: .declared(index), bytes) == kind
    }

    func checkRules(_ bytes: RawSpan, _ taken: inout TakenEntries) throws(DataFileError) {
        let hasSteps = tables.minor >= RulesSection.ruleSteps.firstMinor
        guard !hasSteps || tables.ruleSteps.count == tables.rules.count else {
            throw error(.badSectionLength, .ruleSteps, tables.ruleSteps.offset(of: 0))
        }
        for index in 0..<tables.rules.count {
            guard let record = tables.rules.record(at: index, in: bytes) else { return }
            let offset = tables.rules.offset(of: index)
            try requireString(record.identifier, .rules, offset)
            guard record.flags & ~RuleFlags.known == 0 else {
                throw error(.unknownFeature, .rules, offset + 4)
            }
            guard record.condition.isNone || record.condition.index < tables.conditions.count else {
                throw error(.badReference, .rules, offset + 8)
            }
            let hasArms = hasSteps ? try checkSteps(at: index, bytes, &taken) : false
            guard hasArms ? record.outcome.isNone : record.outcome.index < tables.outcomes.count else {
                throw error(.badReference, .rules, offset + 12)
            }
            guard record.windowFrom < record.windowTo,
                record.windowFrom == .min || DataFileLimits.dateRange.contains(record.windowFrom)
            else { throw error(.badValue, .rules, offset + 16) }
            guard record.windowTo == .max || DataFileLimits.dateRange.contains(record.windowTo) else {
                throw error(.badValue, .rules, offset + 24)
            }
            guard tables.hasTerms || record.firstTerm == 0 && record.termCount == 0 else {
                throw error(.badValue, .rules, offset + 32)
            }
        }
    }

    /// Whether the rule has arms.
    private func checkSteps(
        at index: Int,
        _ bytes: RawSpan,
        _ taken: inout TakenEntries
    ) throws(DataFileError) -> Bool {
        guard let record = tables.ruleSteps.record(at: index, in: bytes) else { return false }
        let offset = tables.ruleSteps.offset(of: index)
        if !record.rollout.isNone { _ = try checkSplit(record.rollout, .ruleSteps, offset, bytes, &taken) }
        guard !record.variants.isNone else {
            guard record.firstArm.isNone else { throw error(.badReference, .ruleSteps, offset + 8) }
            guard record.armCount == 0 else { throw error(.badReference, .ruleSteps, offset + 12) }
            return false
        }
        let split = try checkSplit(record.variants, .ruleSteps, offset + 4, bytes, &taken)
        guard split.basisPoints == UInt32(DataFileLimits.bucketCount) else {
            throw error(.badValue, .splits, tables.splits.offset(of: record.variants.index) + 8)
        }
        guard record.firstArm.index == taken.arms else { throw error(.badReference, .ruleSteps, offset + 8) }
        guard record.armCount > 0, Int(record.armCount) <= tables.arms.count - taken.arms else {
            throw error(.badReference, .ruleSteps, offset + 12)
        }
        let end = taken.arms + Int(record.armCount)
        try checkArms(taken.arms..<end, bytes)
        taken.arms = end
        return true
    }

    /// The arms of one rule take all buckets among them, none of them none.
    private func checkArms(_ range: Range<Int>, _ bytes: RawSpan) throws(DataFileError) {
        var names: Set<UInt32> = []
        var begin: UInt32 = 0
        for index in range {
            guard let record = tables.arms.record(at: index, in: bytes) else { return }
            let offset = tables.arms.offset(of: index)
            try requireString(record.name, .arms, offset)
            guard names.insert(record.name.number).inserted else { throw error(.badValue, .arms, offset) }
            guard record.outcome.index < tables.outcomes.count else {
                throw error(.badReference, .arms, offset + 4)
            }
            let isLast = index == range.upperBound - 1
            guard record.end > begin, record.end <= UInt32(DataFileLimits.bucketCount),
                isLast == (record.end == UInt32(DataFileLimits.bucketCount))
            else { throw error(.badValue, .arms, offset + 8) }
            guard record.reserved == 0 else { throw error(.badValue, .arms, offset + 12) }
            begin = record.end
        }
    }

    /// Checks a reference to a split, from where in the file it is made, and the split.
    private func checkSplit(
        _ reference: EntryReference,
        _ section: RulesSection,
        _ referenceOffset: Int,
        _ bytes: RawSpan,
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
        else { throw error(.badReference, .splits, offset + 4) }
        guard record.basisPoints <= UInt32(DataFileLimits.bucketCount) else {
            throw error(.badValue, .splits, offset + 8)
        }
        guard record.reserved == 0 else { throw error(.badValue, .splits, offset + 12) }
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
