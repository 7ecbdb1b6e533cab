internal import Rules

struct DecisionComparison {
    struct Change: Hashable {
        let old: NamedDecision
        let new: NamedDecision
    }

    struct Group {
        let change: Change
        var count: Int
        var examples: [SampleRequest]
    }

    private let old: RulesFile
    private let new: RulesFile
    private var groups: [Group] = []
    private var places: [Change: Int] = [:]
    private var sources: [NamedDecision.Source: (old: Int, new: Int)] = [:]

    private(set) var requestCount = 0
    private(set) var changedCount = 0
    /// Requests with the same answer but another rule, arm or reason, or with other draws before the decision.
    private(set) var sameAnswerCount = 0
    private(set) var pseudonymCount = 0
    /// Requests without a source for the subscriber's facts, although the rules read facts.
    private(set) var factsUnknownCount = 0

    init(old: RulesFile, new: RulesFile) {
        (self.old, self.new) = (old, new)
    }

    var dependsOnFacts: Bool { old.dependsOnFacts || new.dependsOnFacts }

    /// `areFactsKnown` is false when `facts` has no record only because no source was given.
    mutating func add(
        _ request: SampleRequest, atMilliseconds now: Int64,
        facts: (old: SubscriberFacts, new: SubscriberFacts), areFactsKnown: Bool
    ) {
        func decision(_ file: RulesFile, _ facts: SubscriberFacts) -> NamedDecision {
            let request = DecisionRequest(
                appAppleId: file.appAppleId, environment: file.environment,
                productId: request.productId, userLocale: request.userLocale,
                originalTransactionId: request.subscriber.unit, nowMilliseconds: now, signing: .all)
            return NamedDecision(decide(request, facts: facts, using: file), in: file)
        }
        let change = Change(old: decision(old, facts.old), new: decision(new, facts.new))
        requestCount += 1
        if !areFactsKnown, dependsOnFacts { factsUnknownCount += 1 }
        sources[change.old.source, default: (0, 0)].old += 1
        sources[change.new.source, default: (0, 0)].new += 1
        if case .pseudonym = request.subscriber { pseudonymCount += 1 }
        if !change.old.hasSameAnswer(change.new) {
            changedCount += 1
            add(request, change)
        } else if !change.old.hasSameDecision(change.new) {
            sameAnswerCount += 1
        }
    }

    private mutating func add(_ request: SampleRequest, _ change: Change) {
        let place = places[change, default: groups.count]
        if place == groups.count {
            places[change] = place
            groups.append(Group(change: change, count: 0, examples: []))
        }
        groups[place].count += 1
        if groups[place].examples.count < 3 { groups[place].examples.append(request) }
    }

    /// The changes: the most frequent first, then in the order of the sample.
    var changes: [Group] {
        groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }

    /// How many requests each rule decided: in the order of the files, then the default and the reasons for no message.
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
