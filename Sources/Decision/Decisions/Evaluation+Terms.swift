internal import DataFiles

extension Evaluation {
    /// Returns the next candidate that is switched on, in its window and true. The server evaluates candidates this
    /// way, by their heads and terms. The heads rule most candidates out.
    @inline(__always)
    mutating func nextByTerms(_ candidates: inout CandidateRules, _ bytes: RawSpan) -> Int? {
        while true {
            let candidate = candidates.next(bytes) { rules, limit in
                passOver(&rules, below: limit, bytes)
            }
            guard candidate != CandidateRules.end,
                let head = file.tables.ruleHeads.record(at: Int(candidate), in: bytes)
            else {
                return nil
            }
            guard let isMatch = matchesByTerms(Int(candidate), head, bytes) else { return nil }
            if isMatch { return Int(candidate) }
        }
    }

    /// Drops rules that are switched off, outside their windows, or false by the comparison in their heads. Stops at a
    /// rule whose head compares a fact that the decision has not read yet.
    ///
    /// This is a function of its own that calls no other function, so everything it needs is in registers. It first
    /// checks that the heads and the list lie inside the file, and then checks each read only against the end of its
    /// section.
    @inline(never)
    private mutating func passOver(_ rules: inout CandidateRules.List, below limit: UInt32, _ bytes: RawSpan)
    {
        guard let headRange = file.tables.ruleHeads.range(from: 0, to: .max, in: bytes),
            let listRange = file.tables.ruleLists.range(from: rules.place, to: rules.end, in: bytes)
        else { return }
        let heads = bytes.extracting(headRange)
        let list = bytes.extracting(listRange)
        let now = request.nowMilliseconds
        var position = 0
        while let rule = ReferenceRecord(reading: list, at: position)?.reference.number, rule < limit,
            let head = RuleHeadRecord(reading: heads, at: Int(rule) &* RuleHeadRecord.byteCount)
        {
            // `now` is in the window when the time since its start is below its length. As unsigned numbers, one
            // comparison checks both ends.
            let passed = UInt64(bitPattern: now &- head.windowFrom)
            let isOpen = passed < UInt64(bitPattern: head.windowTo &- head.windowFrom)
            if head.term.kind == TermKind.comparison {
                if isOpen {
                    guard let value = facts.known(inSlot: Int(head.term.slot)),
                        !TermOrder.isAccepted(value, head.term)
                    else { break }
                } else {
                    skipped.outsideWindow &+= 1
                }
            } else if head.term.kind == TermKind.disabled {
                skipped.disabled &+= 1
            } else {
                guard !isOpen else { break }
                skipped.outsideWindow &+= 1
            }
            position &+= ReferenceRecord.byteCount
        }
        let rule = ReferenceRecord(reading: list, at: position)?.reference.number ?? CandidateRules.end
        rules.move(to: rules.place &+ position / ReferenceRecord.byteCount, rule)
    }

    /// Returns whether all terms of a rule are true, beginning with the one in its head; nil when the file is damaged.
    @inline(never)
    private mutating func matchesByTerms(_ index: Int, _ head: RuleHeadRecord, _ bytes: RawSpan) -> Bool? {
        guard let rule = tables.rules.record(at: index, in: bytes) else { return nil }
        var result = Truth.true
        if head.term.kind != TermKind.none { result = evaluate(head.term, bytes) }
        var place = Int(rule.firstTerm)
        let end = place &+ Int(rule.termCount)
        while result != .false, place < end {
            guard let term = tables.terms.record(at: place, in: bytes) else { return nil }
            let truth = evaluate(term, bytes)
            // A false term decides. An unknown term makes the result unknown unless another term is false.
            if truth == .false || result == .true { result = truth }
            place &+= 1
        }
        if result == .unknown {
            skipped.unknownCondition &+= 1
            passedOver?.append(index)
        }
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
        return Truth(TermOrder.isAccepted(value, term))
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
                UInt32(truncatingIfNeeded: value), first: first, count: count, in: bytes)
            : file.tables.numberLists.contains(value, first: first, count: count, in: bytes)
        return Truth(isListed == (term.accepted == TermOrder.equal))
    }
}

extension TermOrder {
    /// Returns true when the comparison holds for a fact with this value.
    @inline(__always)
    fileprivate static func isAccepted(_ value: Int64, _ term: TermRecord) -> Bool {
        // The bits of ``TermOrder`` are in this order: less, equal, greater.
        let place: UInt8 = (value >= term.value ? 1 : 0) &+ (value > term.value ? 1 : 0)
        return term.accepted &>> place & 1 != 0
    }
}
