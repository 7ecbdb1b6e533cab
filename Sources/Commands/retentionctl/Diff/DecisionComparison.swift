internal import Reply
internal import Rules

/// Compares the decisions that two rules files make for the same requests.
struct DecisionComparison {
    /// A pair of an old decision and a new one.
    struct Change: Hashable {
        let old: NamedDecision
        let new: NamedDecision
    }

    /// The requests with the same pair of decisions.
    struct Group {
        let change: Change
        var count: Int
        /// The first of these requests, at most as many as the user asked for.
        var examples: [SampleRequest]
        /// The answers with the old and with the new rules; nil for an answer that would have to be signed.
        let answers: (old: Answer?, new: Answer?)
    }

    private let old: RulesFile
    private let new: RulesFile
    private let exampleCount: Int
    private var groups: [Group] = []
    private var places: [Change: Int] = [:]
    private var sources: [NamedDecision.Source: (old: Int, new: Int)] = [:]

    private(set) var requestCount = 0
    private(set) var changedCount = 0
    /// The number of requests with the same answer but another rule, arm or reason, or with other draws before the
    /// decision.
    private(set) var sameAnswerCount = 0
    private(set) var loggedCount = 0
    /// The number of those records that the old rules decide as the log says.
    private(set) var asLoggedCount = 0
    /// The number of requests whose subscriber is known only by a pseudonym.
    private(set) var pseudonymCount = 0
    /// The number of requests without a source for the subscriber's facts, although the rules read facts.
    private(set) var factsUnknownCount = 0

    init(old: RulesFile, new: RulesFile, exampleCount: Int) {
        self.old = old
        self.new = new
        self.exampleCount = exampleCount
    }

    /// True when at least one of the files reads facts of subscribers.
    var dependsOnFacts: Bool { old.dependsOnFacts || new.dependsOnFacts }

    /// Decides a request with both files. `areFactsKnown` is false when `facts` has no record only because no source
    /// was given.
    mutating func add(
        _ request: SampleRequest, atMilliseconds now: Int64,
        facts: (old: SubscriberFacts, new: SubscriberFacts), areFactsKnown: Bool
    ) {
        func asked(_ file: RulesFile, signing: SigningCapabilities = .all) -> DecisionRequest {
            DecisionRequest(
                appAppleId: file.appAppleId, environment: file.environment,
                productId: request.productId, userLocale: request.userLocale,
                originalTransactionId: request.subscriber.unit, nowMilliseconds: now, signing: signing)
        }
        let decisions = (
            old: decide(asked(old), facts: facts.old, using: old),
            new: decide(asked(new), facts: facts.new, using: new)
        )
        let change = Change(
            old: NamedDecision(decisions.old, in: old), new: NamedDecision(decisions.new, in: new))
        requestCount += 1
        if !areFactsKnown, dependsOnFacts { factsUnknownCount += 1 }
        sources[change.old.source, default: (0, 0)].old += 1
        sources[change.new.source, default: (0, 0)].new += 1
        if case .pseudonym = request.subscriber { pseudonymCount += 1 }
        if let logged = request.logged {
            loggedCount += 1
            // The service that wrote the log may not have had a signing key.
            func unsigned() -> NamedDecision {
                NamedDecision(decide(asked(old, signing: []), facts: facts.old, using: old), in: old)
            }
            if logged.isSame(as: change.old) || logged.isSame(as: unsigned()) { asLoggedCount += 1 }
        }
        if !change.old.hasSameAnswer(change.new) {
            changedCount += 1
            let answers = (old: Self.answer(decisions.old, old), new: Self.answer(decisions.new, new))
            note(request, change, answers)
        } else if !change.old.hasSameDecision(change.new) {
            sameAnswerCount += 1
        }
    }

    private static func answer(_ decision: Decision, _ file: RulesFile) -> Answer? {
        guard decision.outcome.neededSigning.isEmpty else { return nil }
        return Answer(serving: SignedOutcome(unsigned: decision.outcome, in: file))
    }

    private mutating func note(
        _ request: SampleRequest, _ change: Change, _ answers: (old: Answer?, new: Answer?)
    ) {
        guard let place = places[change] else {
            places[change] = groups.count
            let examples = exampleCount > 0 ? [request] : []
            groups.append(Group(change: change, count: 1, examples: examples, answers: answers))
            return
        }
        groups[place].count += 1
        if groups[place].examples.count < exampleCount { groups[place].examples.append(request) }
    }

    /// The changes: the most frequent first, then in the order of the sample.
    var changes: [Group] {
        groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }

    /// The number of requests that each rule decided before and after: the rules in the order of the files, then the
    /// default and the reasons for no message.
    var rules: [(source: NamedDecision.Source, old: Int, new: Int)] {
        let before = (0..<old.ruleCount).compactMap { old.ruleID(at: $0) }
        let known = Set(before)
        let added = (0..<new.ruleCount).compactMap { new.ruleID(at: $0) }.filter { !known.contains($0) }
        let all =
            (before + added).map { NamedDecision.Source.rule($0) }
            + DecisionReason.allCases.map { NamedDecision.Source.reason($0) }
        return all.compactMap { source in sources[source].map { (source, $0.old, $0.new) } }
    }
}

extension NamedDecision {
    /// Returns true when rule, arm and reason are the same, and also the draws before the decision.
    func hasSameDecision(_ other: NamedDecision) -> Bool {
        origin == other.origin && reason == other.reason && assigned == other.assigned
    }
}
