internal import DataFiles

extension Evaluation {
    /// The next candidate behind a rule that is switched on, in its window and true, by heads and terms: what the
    /// server asks of each candidate. Most are ruled out by their heads.
    @inline(__always)
    mutating func nextByTerms(_ candidates: inout CandidateRules, _ after: Int, _ bytes: RawSpan) -> Int? {
        let heads = file.tables.ruleHeads
        let now = request.nowMilliseconds
        while true {
            let candidate = candidates.next(bytes) { index in
                guard index > after else { return true }
                guard let head = heads.record(at: index, in: bytes) else { return false }
                return isRuledOut(head, now, bytes)
            }
            guard candidate != CandidateRules.end, let head = heads.record(at: Int(candidate), in: bytes)
            else {
                return nil
            }
            guard let isMatch = matchesByTerms(Int(candidate), head, bytes) else { return nil }
            if isMatch { return Int(candidate) }
        }
    }

    /// Whether a rule is switched off, outside its window, or false by the comparison in its head.
    @inline(__always)
    private mutating func isRuledOut(_ head: RuleHeadRecord, _ now: Int64, _ bytes: RawSpan) -> Bool {
        guard head.term.kind != TermKind.disabled else {
            skipped.disabled &+= 1
            return true
        }
        // Whether it is now from the beginning of the window, below its length: as unsigned numbers both at once.
        let passed = UInt64(bitPattern: now &- head.windowFrom)
        guard passed < UInt64(bitPattern: head.windowTo &- head.windowFrom) else {
            skipped.outsideWindow &+= 1
            return true
        }
        guard head.term.kind == TermKind.comparison else { return false }
        return compare(head.term, bytes) == .false
    }

    /// Whether the terms of a rule are true that its head does not rule out. Nil when it is damaged.
    @inline(never)
    private mutating func matchesByTerms(
        _ index: Int,
        _ head: RuleHeadRecord,
        _ bytes: RawSpan
    ) -> Bool? {
        guard let rule = tables.rules.record(at: index, in: bytes) else { return nil }
        var result = Truth.true
        if head.term.kind != TermKind.none { result = evaluate(head.term, bytes) }
        var place = Int(rule.firstTerm)
        let end = place &+ Int(rule.termCount)
        while result != .false, place < end {
            guard let term = tables.terms.record(at: place, in: bytes) else { return nil }
            let truth = evaluate(term, bytes)
            // False decides; unknown stays unless something is false.
            if truth == .false || result == .true { result = truth }
            place &+= 1
        }
        if result == .unknown { skipped.unknownCondition &+= 1 }
        return result == .true
    }

    @inline(__always)
    private mutating func evaluate(_ term: TermRecord, _ bytes: RawSpan) -> Truth {
        term.kind == TermKind.comparison
            ? compare(term, bytes)
            : evaluateOther(term, bytes)
    }

    @inline(__always)
    private mutating func compare(_ term: TermRecord, _ bytes: RawSpan) -> Truth {
        guard let value = facts.value(inSlot: Int(term.slot), term.valueKind, file, bytes) else {
            return .unknown
        }
        let order =
            value == term.value
            ? TermOrder.equal : value < term.value ? TermOrder.less : TermOrder.greater
        return Truth(order & term.accepted != 0)
    }

    @inline(never)
    private mutating func evaluateOther(_ term: TermRecord, _ bytes: RawSpan) -> Truth {
        if term.kind == TermKind.tree {
            let limit = file.tables.segments.count
            return evaluate(term.first.index, depth: 0, segmentLimit: limit, bytes)
        }
        guard let value = facts.value(inSlot: Int(term.slot), term.valueKind, file, bytes) else {
            return .unknown
        }
        let first = term.first.index
        let count = Int(truncatingIfNeeded: term.value)
        let isListed =
            term.kind == TermKind.strings
            ? file.tables.stringLists.contains(
                UInt32(truncatingIfNeeded: value),
                first: first,
                count: count,
                in: bytes
            ) : file.tables.numberLists.contains(value, first: first, count: count, in: bytes)
        return Truth(isListed == (term.accepted == TermOrder.equal))
    }
}
