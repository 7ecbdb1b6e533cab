internal import DataFiles
internal import Vocabulary

/// One decision in the making. Walks the file as it is mapped: no parsing, no allocation, no strings made.
///
/// Whatever the file holds, every lookup is checked and the work is bounded: conditions are trees of which each node
/// is visited at most once in a decision, so their number is the budget for all of them.
///
/// What only reads is mutating as well: else it would be lent a copy of the whole state.
struct Evaluation<Tracer: DecisionTracer> {
    let file: RulesFile
    var tracer: Tracer
    var facts: FactSlots
    var skipped = SkippedRules()
    var segments = SegmentMemory()
    var nodeBudget: Int
    /// Whether what Apple has not approved is taken for approved: to tell what waits for that alone.
    var takesAllForApproved = false
    /// Why the first rule that got past its condition failed after all.
    private var firstFailure: DecisionReason?
    /// What the first rule would have served whose offer was capped.
    private var shadow: Shadow?
    /// What was drawn in rules that then failed.
    private var assigned = Assignments()

    init(_ request: DecisionRequest, _ facts: SubscriberFacts, _ file: RulesFile, _ tracer: Tracer) {
        self.file = file
        self.tracer = tracer
        self.facts = FactSlots(request, facts)
        nodeBudget = file.tables.conditions.count
    }

    var request: DecisionRequest {
        @inline(__always) get { facts.request }
    }

    var tables: RulesTables {
        @inline(__always) get { file.tables }
    }

    /// Takes the steps of rules.md section 2 in their order.
    mutating func decide(header: DataFileHeader, _ bytes: RawSpan) -> Decision {
        let isKilled = tables.settings.flags & SettingsFlags.killSwitch != 0
        tracer.record(.killSwitch(isOn: isKilled))
        if isKilled { return decision(.nothing(.killSwitch)) }
        let isOurs = header.appAppleId == request.appAppleId && header.environment == request.environment
        tracer.record(.app(matches: isOurs))
        guard isOurs else { return decision(.nothing(.error)) }
        let holdout = holdoutThatApplies(bytes)
        let verdict = decideByRules(bytes)
        guard let holdout else { return decision(verdict) }
        return decision(outcome(of: holdout, bytes), insteadOf: verdict)
    }

    private mutating func decideByRules(_ bytes: RawSpan) -> Verdict {
        var candidates = CandidateRules(file, product: string(.productId, bytes), bytes)
        while let index = next(&candidates, bytes) {
            guard let rule = tables.rules.record(at: index, in: bytes) else { break }
            if let verdict = choose(rule, index, bytes) { return verdict }
        }
        let outcome = tables.settings.defaultOutcome
        tracer.record(.defaultOutcome(exists: !outcome.isNone))
        if !outcome.isNone, let verdict = serve(outcome, Origin(reason: .default), bytes) { return verdict }
        return .nothing(firstFailure ?? .none)
    }

    /// A string of the request as a string of the file, or none.
    mutating func string(_ fact: Fact, _ bytes: RawSpan) -> EntryReference {
        let value = facts.value(inSlot: fact.slot, ValueKind.string.rawValue, file, bytes)
        return value.map { EntryReference(UInt32(truncatingIfNeeded: $0)) } ?? .none
    }

    /// The next candidate behind a rule that is switched on, in its window and true.
    ///
    /// One who listens hears of the rules in between too, those that are no candidates. Nothing is counted of them.
    @inline(__always)
    private mutating func next(_ candidates: inout CandidateRules, _ bytes: RawSpan) -> Int? {
        if !Tracer.isListening {
            return nextByTerms(&candidates, bytes)
        }
        while true {
            let candidate = candidates.next(bytes)
            guard candidate != CandidateRules.end else { break }
            let index = Int(candidate)
            if Tracer.isListening {
                tell(from: candidates.heard, to: index, bytes)
                candidates.heard = index &+ 1
            }
            // The steps for people are those of the whole condition; the terms come to the same.
            guard let rule = tables.rules.record(at: index, in: bytes) else { break }
            tracer.record(.rule(index: index, isCandidate: true))
            if matches(rule, bytes) { return index }
        }
        if Tracer.isListening { tell(from: candidates.heard, to: tables.rules.count, bytes) }
        return nil
    }

    /// Takes the steps of rules that cannot match for the product.
    private mutating func tell(from start: Int, to end: Int, _ bytes: RawSpan) {
        let before = skipped
        for index in start..<max(start, end) {
            guard let rule = tables.rules.record(at: index, in: bytes) else { break }
            tracer.record(.rule(index: index, isCandidate: false))
            _ = matches(rule, bytes)
        }
        skipped = before
    }

    @inline(__always)
    private mutating func matches(_ rule: RuleRecord, _ bytes: RawSpan) -> Bool {
        let isEnabled = rule.flags & RuleFlags.enabled != 0
        tracer.record(.enabled(isEnabled))
        guard isEnabled else {
            skipped.disabled &+= 1
            return false
        }
        let isOpen = rule.windowFrom <= request.nowMilliseconds && request.nowMilliseconds < rule.windowTo
        tracer.record(.window(isOpen: isOpen))
        guard isOpen else {
            skipped.outsideWindow &+= 1
            return false
        }
        let truth = evaluateTree(of: rule, bytes)
        if truth == .unknown { skipped.unknownCondition &+= 1 }
        return truth == .true
    }

    private mutating func evaluateTree(of rule: RuleRecord, _ bytes: RawSpan) -> Truth {
        guard !rule.condition.isNone else {
            tracer.record(.when(nil))
            return .true
        }
        let limit = tables.segments.count
        let truth = evaluate(rule.condition.index, depth: 0, segmentLimit: limit, bytes)
        tracer.record(.when(truth))
        return truth
    }

    /// Takes the steps behind the condition: rollout, arm, and what the outcome needs.
    @inline(never)
    private mutating func choose(_ rule: RuleRecord, _ index: Int, _ bytes: RawSpan) -> Verdict? {
        var origin = Origin(reason: .targetingMatch, rule: index)
        guard let steps = tables.ruleSteps.record(at: index, in: bytes) else { return nil }
        if !steps.rollout.isNone {
            origin.reason = .split
            let look = look(at: steps.rollout, bytes)
            tracer.record(.rollout(look))
            guard look.isIn else {
                skipped.notInRollout &+= 1
                return nil
            }
        }
        guard !steps.variants.isNone else { return serve(rule.outcome, origin, bytes) }
        origin.reason = .split
        let look = look(at: steps.variants, bytes)
        let arm = arm(of: look, steps, bytes)
        tracer.record(.arm(look, index: arm))
        guard let arm, let record = tables.arms.record(at: steps.firstArm.index + arm, in: bytes) else {
            skipped.noArm &+= 1
            if !steps.rollout.isNone {
                assigned.append(Assignment(ruleIndex: index, armIndex: nil, step: .arm))
            }
            return nil
        }
        origin.arm = arm
        return serve(record.outcome, origin, bytes)
    }

    /// What an outcome comes to; nil when a step of it fails.
    private mutating func serve(
        _ reference: EntryReference,
        _ origin: Origin,
        _ bytes: RawSpan
    ) -> Verdict? {
        switch prepare(reference, bytes) {
        case .served(let served):
            return Verdict(served: served, origin: origin)
        case .failed(let reason, let forgone):
            fail(reason)
            if origin.reason == .split, let rule = origin.rule, let step = Assignment.Step(reason) {
                assigned.append(Assignment(ruleIndex: rule, armIndex: origin.arm, step: step))
            }
            if let forgone, shadow == nil { shadow = Verdict(served: forgone, origin: origin).shadow }
            return nil
        }
    }

    private mutating func fail(_ reason: DecisionReason) {
        switch reason {
        case .capped: skipped.capped &+= 1
        case .unapproved: skipped.unapproved &+= 1
        case .noLocale: skipped.noLocale &+= 1
        case .signFailed: skipped.signFailed &+= 1
        default: break
        }
        if firstFailure == nil { firstFailure = reason }
    }

    /// What one who is held out gets.
    private mutating func outcome(of holdout: HoldoutRecord, _ bytes: RawSpan) -> Verdict {
        var served = Served.nothing
        tracer.record(.holdoutOutcome)
        if case .served(let prepared) = prepare(holdout.outcome, bytes) { served = prepared }
        return Verdict(served: served, origin: Origin(reason: .holdout))
    }

    /// The decision, with what was counted on the way. One who is held out has in the shadow what the rules came to.
    private func decision(_ verdict: Verdict, insteadOf other: Verdict? = nil) -> Decision {
        Decision(
            outcome: verdict.served.outcome,
            reason: verdict.origin.reason,
            ruleIndex: verdict.origin.rule,
            armIndex: verdict.origin.arm,
            messageIndex: verdict.served.message,
            skipped: skipped,
            isHeldOut: other != nil,
            shadow: other.map(\.shadow) ?? shadow,
            assigned: assigned,
            locale: verdict.served.locale
        )
    }
}

/// What is served, and where it comes from. Small: it goes up through several functions, and the rest of a decision is
/// added once at the end.
private struct Verdict {
    let served: Served
    let origin: Origin

    static func nothing(_ reason: DecisionReason) -> Verdict {
        Verdict(served: .nothing, origin: Origin(reason: reason))
    }

    var shadow: Shadow {
        Shadow(
            reason: origin.reason,
            ruleIndex: origin.rule,
            armIndex: origin.arm,
            messageIndex: served.message,
            outcome: served.outcome
        )
    }
}

/// Where an outcome comes from.
private struct Origin {
    var reason: DecisionReason
    var rule: Int?
    var arm: Int?
}
