internal import DataFiles
internal import Vocabulary

/// One decision while it is made. It reads the mapped file in place: it parses nothing, allocates nothing and makes no
/// strings.
///
/// Whatever the file holds, every lookup is checked and the work is bounded: conditions are trees, and a decision
/// visits each node at most once, so the number of nodes is the budget for all conditions.
///
/// Functions that only read are mutating as well. Otherwise the compiler would pass them a copy of the whole state.
struct Evaluation<Tracer: DecisionTracer> {
    let file: RulesFile
    var tracer: Tracer
    var facts: FactSlots
    var skipped = SkippedRules()
    /// Receives the rules that failed after their condition; nil when nobody wants them.
    var passedOver: PassedOverRules?
    var segments = SegmentMemory()
    var nodeBudget: Int
    /// True when unapproved messages count as approved. Used to find out which tests wait for Apple's approval alone.
    var treatsAllAsApproved = false
    /// The reason why the first outcome failed that the decision came to; nil until an outcome fails. It is the reason
    /// of the decision when nothing can be served.
    private var firstFailure: DecisionReason?
    /// What the first capped offer would have served.
    private var shadow: Shadow?
    /// The draws of rules that then failed a later step.
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

    /// Takes the steps of a decision in their order: the kill switch, the check of app and environment, the holdout,
    /// the rules. For a subscriber in the holdout the rules run as well, for the shadow.
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

    /// Returns the number that a string of the request has in the file, or `none`.
    mutating func string(_ fact: Fact, _ bytes: RawSpan) -> EntryReference {
        let value = facts.value(inSlot: fact.slot, ValueKind.string.rawValue, file, bytes)
        return value.map { EntryReference(UInt32(truncatingIfNeeded: $0)) } ?? .none
    }

    /// Returns the next candidate that is switched on, in its window and true.
    ///
    /// A tracer that records also gets the rules in between that are no candidates. These rules are not counted as
    /// skipped.
    @inline(__always)
    private mutating func next(_ candidates: inout CandidateRules, _ bytes: RawSpan) -> Int? {
        if !Tracer.isRecording {
            return nextByTerms(&candidates, bytes)
        }
        while true {
            let candidate = candidates.next(bytes)
            guard candidate != CandidateRules.end else { break }
            let index = Int(candidate)
            traceNonCandidates(from: candidates.tracedEnd, to: index, bytes)
            candidates.tracedEnd = index &+ 1
            // A tracer that records gets the nodes of the whole condition. The terms give the same result.
            guard let rule = tables.rules.record(at: index, in: bytes) else { break }
            tracer.record(.rule(index: index, isCandidate: true))
            if matches(rule, bytes) { return index }
        }
        traceNonCandidates(from: candidates.tracedEnd, to: tables.rules.count, bytes)
        return nil
    }

    /// Traces rules that cannot match for the product, without counting them as skipped.
    private mutating func traceNonCandidates(from start: Int, to end: Int, _ bytes: RawSpan) {
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

    /// Takes the steps after the condition: rollout, arm, and the steps of the outcome. Returns nil when a step fails.
    @inline(never)
    private mutating func choose(_ rule: RuleRecord, _ index: Int, _ bytes: RawSpan) -> Verdict? {
        var origin = Origin(reason: .targetingMatch, rule: index)
        guard let steps = tables.ruleSteps.record(at: index, in: bytes) else { return nil }
        if !steps.rollout.isNone {
            origin.reason = .split
            let draw = draw(steps.rollout, bytes)
            tracer.record(.rollout(draw))
            guard draw.isIn else {
                skipped.notInRollout &+= 1
                passedOver?.append(index)
                return nil
            }
        }
        guard !steps.variants.isNone else { return serve(rule.outcome, origin, bytes) }
        origin.reason = .split
        let draw = draw(steps.variants, bytes)
        let arm = arm(of: draw, steps, bytes)
        tracer.record(.arm(draw, index: arm))
        guard let arm, let record = tables.arms.record(at: steps.firstArm.index + arm, in: bytes) else {
            skipped.noArm &+= 1
            passedOver?.append(index)
            if !steps.rollout.isNone {
                assigned.append(Assignment(ruleIndex: index, armIndex: nil, step: .arm))
            }
            return nil
        }
        origin.arm = arm
        return serve(record.outcome, origin, bytes)
    }

    /// Returns the verdict of an outcome; nil when a step of the outcome fails.
    private mutating func serve(_ reference: EntryReference, _ origin: Origin, _ bytes: RawSpan) -> Verdict? {
        switch prepare(reference, bytes) {
        case .served(let served):
            return Verdict(served: served, origin: origin)
        case .failed(let reason, let withoutCaps):
            fail(reason)
            if let rule = origin.rule { passedOver?.append(rule) }
            if origin.reason == .split, let rule = origin.rule, let step = Assignment.Step(reason) {
                assigned.append(Assignment(ruleIndex: rule, armIndex: origin.arm, step: step))
            }
            if let withoutCaps, shadow == nil { shadow = Verdict(served: withoutCaps, origin: origin).shadow }
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

    /// Returns what a subscriber in the holdout gets.
    private mutating func outcome(of holdout: HoldoutRecord, _ bytes: RawSpan) -> Verdict {
        var served = Served.nothing
        tracer.record(.holdoutOutcome)
        if case .served(let prepared) = prepare(holdout.outcome, bytes) { served = prepared }
        return Verdict(served: served, origin: Origin(reason: .holdout))
    }

    /// Makes the decision from a verdict and what was counted on the way. `other` is what the rules decided for a
    /// subscriber in the holdout; it becomes the shadow.
    private func decision(_ verdict: Verdict, insteadOf other: Verdict? = nil) -> Decision {
        Decision(
            outcome: verdict.served.outcome, reason: verdict.origin.reason, ruleIndex: verdict.origin.rule,
            armIndex: verdict.origin.arm, messageIndex: verdict.served.message, skipped: skipped,
            isHeldOut: other != nil, shadow: other.map(\.shadow) ?? shadow, assigned: assigned,
            locale: verdict.served.locale)
    }
}

/// What is served, and where it comes from. Small, because several functions return it; the rest of a decision is added
/// once at the end.
private struct Verdict {
    let served: Served
    let origin: Origin

    static func nothing(_ reason: DecisionReason) -> Verdict {
        Verdict(served: .nothing, origin: Origin(reason: reason))
    }

    var shadow: Shadow {
        Shadow(
            reason: origin.reason, ruleIndex: origin.rule, armIndex: origin.arm, messageIndex: served.message,
            outcome: served.outcome)
    }
}

/// Where an outcome comes from: the reason, and the rule and arm if it is a rule's.
private struct Origin {
    var reason: DecisionReason
    var rule: Int?
    var arm: Int?
}
