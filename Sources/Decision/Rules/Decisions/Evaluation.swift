internal import Facts
internal import System

/// Decides what a request gets, by the rules of a file and the facts about the subscriber.
///
/// The function is pure: the same request, facts and file give the same decision. It allocates nothing and never traps,
/// whatever the files hold. It checks each rule that may match for the product, up to the first that matches.
public func decide(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, NoTracer())
        return evaluation.decide(bytes)
    }
}

/// Also counts the steps at which rules failed.
public func decide(
    _ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile, counting failures: StepFailures
) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, failures)
        return evaluation.decide(bytes)
    }
}

func decideAsApproved(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, NoTracer())
        evaluation.treatsAllAsApproved = true
        return evaluation.decide(bytes)
    }
}

/// Also records the steps of rules that cannot match for the product, which the server passes over.
public func explain(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Explanation
{
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, StepRecorder())
        let decision = evaluation.decide(bytes)
        return Explanation(
            request: request, facts: facts, decision: decision, steps: evaluation.tracer.steps, file: file)
    }
}

/// One decision while it is made. It reads the mapped file in place: it parses nothing, allocates nothing and makes no
/// strings.
///
/// Every lookup is checked against the end of the file. Conditions are trees and each segment is evaluated once, so a
/// decision visits each node at most once.
///
/// Functions that only read are mutating as well. Otherwise the compiler would pass them a copy of the whole state.
struct Evaluation<Tracer: DecisionTracer> {
    let file: RulesFile
    var tracer: Tracer
    var facts: FactSlots
    var skipped = SkippedRules()
    var segments = SegmentMemory()
    var treatsAllAsApproved = false
    /// The reason of the decision when nothing can be served; nil until an outcome fails.
    private var firstFailure: DecisionReason?
    private var shadow: Shadow?
    private var assigned = Assignments()

    init(_ request: DecisionRequest, _ facts: SubscriberFacts, _ file: RulesFile, _ tracer: Tracer) {
        self.file = file
        self.tracer = tracer
        self.facts = FactSlots(request, facts)
    }

    var request: DecisionRequest {
        @inline(__always) get { facts.request }
    }

    var tables: RulesTables {
        @inline(__always) get { file.tables }
    }

    /// For a subscriber in the holdout the rules run as well, for the shadow.
    mutating func decide(_ bytes: RawSpan) -> Decision {
        let isKilled = tables.settings.isKilled != 0
        tracer.record(.killSwitch(isOn: isKilled))
        if isKilled { return decision(.nothing(.killSwitch)) }
        let isOurs = file.appAppleId == request.appAppleId && file.environment == request.environment
        tracer.record(.app(matches: isOurs))
        guard isOurs else { return decision(.nothing(.error)) }
        let holdout = holdoutThatApplies(bytes)
        let verdict = decideByRules(bytes)
        guard let holdout else { return decision(verdict) }
        return decision(outcome(of: holdout, bytes), insteadOf: verdict)
    }

    private mutating func decideByRules(_ bytes: RawSpan) -> Verdict {
        var candidates = CandidateRules(file, product: string(.productId, bytes), bytes)
        var tracedEnd = 0
        while let index = candidates.next(bytes), let rule = tables.rules.record(at: index, in: bytes) {
            if Tracer.isRecording {
                traceNonCandidates(tracedEnd..<index, bytes)
                tracedEnd = index + 1
            }
            tracer.record(.rule(index: index, isCandidate: true))
            if matches(rule, index, bytes), let verdict = choose(index, bytes) { return verdict }
        }
        if Tracer.isRecording { traceNonCandidates(tracedEnd..<tables.rules.count, bytes) }
        let outcome = tables.settings.defaultOutcome
        tracer.record(.defaultOutcome(exists: !outcome.isNone))
        if !outcome.isNone, let verdict = serve(outcome, Origin(reason: .default), bytes) { return verdict }
        return .nothing(firstFailure ?? .none)
    }

    mutating func string(_ fact: Fact, _ bytes: RawSpan) -> EntryReference {
        let value = facts.value(of: fact.number, ValueKind.string.rawValue, file, bytes)
        return value.map { EntryReference(UInt32(truncatingIfNeeded: $0)) } ?? .none
    }

    private mutating func traceNonCandidates(_ rules: Range<Int>, _ bytes: RawSpan) {
        let before = skipped
        for index in rules {
            guard let rule = tables.rules.record(at: index, in: bytes) else { break }
            tracer.record(.rule(index: index, isCandidate: false))
            _ = matches(rule, index, bytes)
        }
        skipped = before
    }

    @inline(__always)
    private mutating func matches(_ rule: RuleRecord, _ index: Int, _ bytes: RawSpan) -> Bool {
        let isEnabled = rule.isEnabled != 0
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
        // Most rules of a product are false, and one comparison shows it. A tracer gets the whole condition.
        if !Tracer.isRecording, isRuledOut(rule, bytes) { return false }
        let truth = evaluateCondition(of: rule, bytes)
        if truth == .unknown { skipped.unknownCondition &+= 1 }
        return truth == .true
    }

    private mutating func evaluateCondition(of rule: RuleRecord, _ bytes: RawSpan) -> Truth {
        guard !rule.condition.isNone else {
            tracer.record(.when(nil))
            return .true
        }
        let truth = evaluate(rule.condition.index, bytes)
        tracer.record(.when(truth))
        return truth
    }

    /// Takes the steps after the condition: rollout, arm, and the steps of the outcome. Returns nil when a step fails.
    @inline(never)
    private mutating func choose(_ index: Int, _ bytes: RawSpan) -> Verdict? {
        var origin = Origin(reason: .targetingMatch, rule: index)
        guard let steps = tables.ruleSteps.record(at: index, in: bytes),
            let rule = tables.rules.record(at: index, in: bytes)
        else { return nil }
        if !steps.rollout.isNone {
            origin.reason = .split
            let draw = draw(steps.rollout, bytes)
            tracer.record(.rollout(draw))
            guard draw.isIn else {
                skipped.notInRollout &+= 1
                // Without the fact that is hashed, nothing was drawn.
                if draw.hash != nil {
                    assigned.append(Assignment(ruleIndex: index, armIndex: nil, step: .rollout))
                }
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
            if !steps.rollout.isNone {
                assigned.append(Assignment(ruleIndex: index, armIndex: nil, step: .arm))
            }
            return nil
        }
        origin.arm = arm
        return serve(record.outcome, origin, bytes)
    }

    private mutating func holdoutThatApplies(_ bytes: RawSpan) -> HoldoutRecord? {
        guard let holdout = tables.holdout.record(at: 0, in: bytes) else { return nil }
        guard request.nowMilliseconds < holdout.until else {
            tracer.record(.holdout(nil))
            return nil
        }
        let draw = draw(holdout.split, bytes)
        tracer.record(.holdout(draw))
        return draw.isIn ? holdout : nil
    }

    private mutating func draw(_ reference: EntryReference, _ bytes: RawSpan) -> SplitDraw {
        guard let split = tables.splits.record(at: reference.index, in: bytes),
            let salt = tables.strings.range(of: split.salt, in: bytes),
            let unit = UInt16(exactly: split.unit).flatMap(Fact.init(number:))
        else { return SplitDraw(split: reference, hash: nil, isIn: false) }
        let hash = facts.withBytes(of: unit) { text in
            var hash = MurmurHash3()
            hash.add(bytes, salt)
            hash.add(Bucketing.separator)
            hash.add(text)
            return hash.value
        }
        let isIn = hash.map { Bucketing.bucket(ofHash: $0) < Int(split.basisPoints) } ?? false
        return SplitDraw(split: reference, hash: hash, isIn: isIn)
    }

    private mutating func arm(of draw: SplitDraw, _ steps: RuleStepsRecord, _ bytes: RawSpan) -> Int? {
        guard let bucket = draw.bucket else { return nil }
        for arm in 0..<Int(steps.armCount) {
            guard let record = tables.arms.record(at: steps.firstArm.index + arm, in: bytes) else {
                return nil
            }
            if bucket < Int(record.end) { return arm }
        }
        return nil
    }

    private mutating func serve(_ reference: EntryReference, _ origin: Origin, _ bytes: RawSpan) -> Verdict? {
        switch prepare(reference, bytes) {
        case .served(let served):
            return Verdict(served: served, origin: origin)
        case .failed(let reason, let withoutCaps):
            fail(reason)
            tracer.record(.failed(reason))
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

    private mutating func outcome(of holdout: HoldoutRecord, _ bytes: RawSpan) -> Verdict {
        var served = Served.nothing
        tracer.record(.holdoutOutcome)
        if case .served(let prepared) = prepare(holdout.outcome, bytes) { served = prepared }
        return Verdict(served: served, origin: Origin(reason: .holdout))
    }

    /// `other` is what the rules decided for a subscriber in the holdout; it becomes the shadow.
    private func decision(_ verdict: Verdict, insteadOf other: Verdict? = nil) -> Decision {
        Decision(
            outcome: verdict.served.outcome, reason: verdict.origin.reason, ruleIndex: verdict.origin.rule,
            armIndex: verdict.origin.arm, messageIndex: verdict.served.message, skipped: skipped,
            isHeldOut: other != nil, shadow: other.map(\.shadow) ?? shadow, assigned: assigned,
            locale: verdict.served.locale)
    }
}

/// Small, because several functions return it; the rest of a decision is added once at the end.
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

private struct Origin {
    var reason: DecisionReason
    var rule: Int?
    var arm: Int?
}

extension RecordTable {
    func find(
        _ wanted: EntryReference, in range: Range<Int>, _ bytes: RawSpan, key: (Record) -> EntryReference
    ) -> Record? {
        guard !wanted.isNone else { return nil }
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = record(at: middle, in: bytes) else { return nil }
            let found = key(entry)
            if found == wanted { return entry }
            if found.number < wanted.number { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

/// The file has two ascending lists, the rules that name the product and the rules for any product; this merges them.
struct CandidateRules {
    private struct List {
        private var place: Int
        private let end: Int
        /// The number of the next rule; ``CandidateRules/end`` after the last one.
        private(set) var rule = CandidateRules.end

        init(_ entry: ProductRulesRecord?, _ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place = Int(entry?.first ?? 0)
            end = place + Int(entry?.count ?? 0)
            read(lists, bytes)
        }

        @inline(__always)
        mutating func advance(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            place &+= 1
            read(lists, bytes)
        }

        @inline(__always)
        private mutating func read(_ lists: RecordTable<ReferenceRecord>, _ bytes: RawSpan) {
            let record = place < end ? lists.record(at: place, in: bytes) : nil
            rule = record?.reference.number ?? CandidateRules.end
        }
    }

    private let lists: RecordTable<ReferenceRecord>
    private var always: List
    private var named: List

    private static var end: UInt32 { .max }

    init(_ file: RulesFile, product: EntryReference, _ bytes: RawSpan) {
        lists = file.tables.ruleLists
        let entries = file.tables.productRules
        always = List(entries.record(at: 0, in: bytes), lists, bytes)
        named = List(
            entries.find(product, in: 1..<max(1, entries.count), bytes) { $0.productId }, lists, bytes)
    }

    @inline(__always)
    mutating func next(_ bytes: RawSpan) -> Int? {
        let rule = min(always.rule, named.rule)
        guard rule != Self.end else { return nil }
        if always.rule == rule { always.advance(lists, bytes) } else { named.advance(lists, bytes) }
        return Int(rule)
    }
}

/// Kleene's three-valued logic: a condition that depends on a missing fact is unknown.
public enum Truth: String, Sendable, Hashable {
    case `false`
    case unknown
    case `true`

    init(_ value: Bool) {
        self = value ? .true : .false
    }

    var negated: Truth {
        switch self {
        case .false: .true
        case .unknown: .unknown
        case .true: .false
        }
    }
}

struct SegmentMemory {
    private var words: [8 of UInt64] = .init(repeating: 0)

    subscript(segment: Int) -> Truth? {
        get {
            switch words[segment >> 5] >> UInt64((segment & 31) << 1) & 3 {
            case 1: .false
            case 2: .unknown
            case 3: .true
            default: nil
            }
        }
        set {
            let bits: UInt64 =
                switch newValue {
                case nil: 0
                case .false: 1
                case .unknown: 2
                case .true: 3
                }
            words[segment >> 5] |= bits << UInt64((segment & 31) << 1)
        }
    }
}

extension Evaluation {
    @inline(__always)
    mutating func isRuledOut(_ rule: RuleRecord, _ bytes: RawSpan) -> Bool {
        let index = rule.selectivePredicate.index
        guard let node = tables.conditions.record(at: index, in: bytes) else { return false }
        return evaluate(predicate: node, at: index, bytes) == .false
    }

    mutating func evaluate(_ index: Int, _ bytes: RawSpan) -> Truth {
        guard let node = tables.conditions.record(at: index, in: bytes) else { return .unknown }
        let truth =
            switch ConditionOperation(rawValue: node.operation) {
            case .all: combine(node, decidedBy: .false, bytes)
            case .any: combine(node, decidedBy: .true, bytes)
            case .not: evaluate(node.first.index, bytes).negated
            case .segment: evaluate(segment: node.first.index, bytes)
            default: evaluate(predicate: node, at: index, bytes)
            }
        tracer.record(.node(index: index, truth))
        return truth
    }

    private mutating func combine(_ node: ConditionRecord, decidedBy decisive: Truth, _ bytes: RawSpan)
        -> Truth
    {
        var result = decisive.negated
        for child in node.first.index..<node.first.index + Int(node.count) {
            let truth = evaluate(child, bytes)
            if truth == decisive { return truth }
            if truth == .unknown { result = .unknown }
        }
        return result
    }

    /// The tracer gets a segment's nodes only when a decision first needs it.
    private mutating func evaluate(segment: Int, _ bytes: RawSpan) -> Truth {
        guard let root = tables.segments.record(at: segment, in: bytes)?.condition else { return .unknown }
        if let known = segments[segment] { return known }
        let truth = evaluate(root.index, bytes)
        segments[segment] = truth
        return truth
    }

    @inline(__always)
    private mutating func evaluate(predicate node: ConditionRecord, at index: Int, _ bytes: RawSpan) -> Truth
    {
        guard let value = facts.value(of: node.fact, node.valueKind, file, bytes) else {
            return evaluate(other: index, nil, bytes)
        }
        switch node.operation {
        case ConditionOperation.equal.rawValue: return Truth(value == node.operand)
        case ConditionOperation.notEqual.rawValue: return Truth(value != node.operand)
        case ConditionOperation.greater.rawValue: return Truth(value > node.value)
        case ConditionOperation.greaterOrEqual.rawValue: return Truth(value >= node.value)
        case ConditionOperation.less.rawValue: return Truth(value < node.value)
        case ConditionOperation.lessOrEqual.rawValue: return Truth(value <= node.value)
        default: return evaluate(other: index, value, bytes)
        }
    }

    /// Evaluates a predicate that is no comparison with one value, or whose fact is missing.
    @inline(never)
    private mutating func evaluate(other index: Int, _ value: Int64?, _ bytes: RawSpan) -> Truth {
        guard let node = tables.conditions.record(at: index, in: bytes) else { return .unknown }
        let operation = ConditionOperation(rawValue: node.operation)
        if operation == .exists { return exists(node) }
        guard let value else { return .unknown }
        return switch operation {
        case .isIn: isListed(value, node, bytes)
        case .isNotIn: isListed(value, node, bytes).negated
        case .between: isBetween(value, node, bytes)
        case .olderThanDays: Truth(elapsed(since: value) > node.value &* Self.dayMilliseconds)
        case .youngerThanDays: Truth(elapsed(since: value) < node.value &* Self.dayMilliseconds)
        case .prefix: hasPrefix(node, bytes)
        default: .unknown
        }
    }

    private mutating func exists(_ node: ConditionRecord) -> Truth {
        guard let fact = Fact(number: node.fact) else { return .unknown }
        return Truth(facts.hasValue(fact) == (node.value != 0))
    }

    private mutating func isListed(_ value: Int64, _ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        let first = node.first.index
        let count = Int(node.count)
        if node.valueKind == ValueKind.string.rawValue {
            let table = tables.stringLists
            return Truth(
                table.contains(UInt32(truncatingIfNeeded: value), first: first, count: count, in: bytes))
        }
        return Truth(tables.numberLists.contains(value, first: first, count: count, in: bytes))
    }

    private mutating func isBetween(_ value: Int64, _ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let low = tables.numberLists.record(at: node.first.index, in: bytes)?.number,
            let high = tables.numberLists.record(at: node.first.index + 1, in: bytes)?.number
        else { return .unknown }
        return Truth(low <= value && value <= high)
    }

    private mutating func hasPrefix(_ node: ConditionRecord, _ bytes: RawSpan) -> Truth {
        guard let fact = Fact(number: node.fact) else { return .unknown }
        let strings = tables.strings
        let result = facts.withBytes(of: fact) { strings.isPrefix(node.first, of: $0, in: bytes) }
        return result.map(Truth.init) ?? .unknown
    }
}

extension ConditionRecord {
    @inline(__always)
    fileprivate var operand: Int64 {
        valueKind == ValueKind.string.rawValue ? Int64(first.number) : value
    }
}
