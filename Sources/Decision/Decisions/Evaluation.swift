internal import DataFiles
internal import Vocabulary

/// One decision in the making. Walks the file as it is mapped: no parsing, no allocation, no strings made.
///
/// Whatever the file holds, every lookup is checked and the work is bounded: conditions are trees of which each node
/// is visited at most once in a decision, so their number is the budget for all of them.
struct Evaluation<Tracer: DecisionTracer> {
    let request: DecisionRequest
    let tables: RulesTables
    var tracer: Tracer
    var strings: RequestStrings
    var skipped = SkippedRules()
    var nodeBudget: Int

    init(_ request: DecisionRequest, _ tables: RulesTables, _ tracer: Tracer) {
        self.request = request
        self.tables = tables
        self.tracer = tracer
        strings = RequestStrings(request)
        nodeBudget = tables.conditions.count
    }

    /// Takes the steps of rules.md section 2 in their order.
    mutating func decide(header: DataFileHeader, _ bytes: RawSpan) -> Decision {
        let isKilled = tables.settings.flags & SettingsFlags.killSwitch != 0
        tracer.record(.killSwitch(isOn: isKilled))
        if isKilled { return nothing(.killSwitch) }
        let isOurs = header.appAppleId == request.appAppleId && header.environment == request.environment
        tracer.record(.app(matches: isOurs))
        guard isOurs else { return nothing(.error) }
        for index in 0..<tables.rules.count {
            guard let rule = tables.rules.record(at: index, in: bytes) else { break }
            tracer.record(.rule(index: index))
            guard matches(rule, bytes) else { continue }
            if let decision = serve(rule.outcome, .targetingMatch, rule: index, bytes) { return decision }
        }
        let outcome = tables.settings.defaultOutcome
        tracer.record(.defaultOutcome(exists: !outcome.isNone))
        if !outcome.isNone, let decision = serve(outcome, .default, rule: nil, bytes) { return decision }
        return nothing(skipped.noLocale > 0 ? .noLocale : .none)
    }

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
        guard !rule.condition.isNone else {
            tracer.record(.when(nil))
            return true
        }
        let truth = evaluate(rule.condition.index, depth: 0, bytes)
        tracer.record(.when(truth))
        if truth == .unknown { skipped.unknownCondition &+= 1 }
        return truth == .true
    }

    /// What an outcome comes to; nil when it is a message that has no locale for the subscriber.
    private mutating func serve(
        _ reference: EntryReference,
        _ reason: DecisionReason,
        rule: Int?,
        _ bytes: RawSpan
    ) -> Decision? {
        guard let outcome = tables.outcomes.record(at: reference.index, in: bytes) else { return nil }
        guard outcome.kind == OutcomeKind.message.rawValue else {
            return Decision(
                outcome: .nothing,
                reason: reason,
                ruleIndex: rule,
                messageIndex: nil,
                skipped: skipped,
                locale: .none
            )
        }
        guard let message = tables.messages.record(at: outcome.message.index, in: bytes),
            let entry = localized(message, bytes)
        else {
            skipped.noLocale &+= 1
            return nil
        }
        return Decision(
            outcome: .message(UUID(high: entry.high, low: entry.low)),
            reason: reason,
            ruleIndex: rule,
            messageIndex: outcome.message.index,
            skipped: skipped,
            locale: entry.locale
        )
    }

    private mutating func nothing(_ reason: DecisionReason) -> Decision {
        Decision(
            outcome: .nothing,
            reason: reason,
            ruleIndex: nil,
            messageIndex: nil,
            skipped: skipped,
            locale: .none
        )
    }
}
