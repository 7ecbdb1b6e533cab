internal import Rules

struct DecisionComparison {
    struct Change: Hashable {
        let old: NamedDecision
        let new: NamedDecision

        var isOfAnswer: Bool { !old.hasSameAnswer(new) }
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
    private var counts: [NamedDecision.Origin: (old: Int, new: Int)] = [:]

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
        if !areFactsKnown, dependsOnFacts { factsUnknownCount += 1 }
        if case .pseudonym = request.subscriber { pseudonymCount += 1 }
        add(change, example: request)
    }

    /// Adds requests that were decided alike.
    mutating func add(_ change: Change, count: Int = 1, example: SampleRequest? = nil) {
        requestCount += count
        for origin in change.old.origins { counts[origin, default: (0, 0)].old += count }
        for origin in change.new.origins { counts[origin, default: (0, 0)].new += count }
        if change.isOfAnswer {
            changedCount += count
            addGroup(change, count, example)
        } else if !change.old.hasSameDecision(change.new) {
            sameAnswerCount += count
        }
    }

    private mutating func addGroup(_ change: Change, _ count: Int, _ example: SampleRequest?) {
        let place = places[change, default: groups.count]
        if place == groups.count {
            places[change] = place
            groups.append(Group(change: change, count: 0, examples: []))
        }
        groups[place].count += count
        if let example, groups[place].examples.count < 3 { groups[place].examples.append(example) }
    }

    /// The changes: the most frequent first, then in the order of the sample.
    var changes: [Group] {
        groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }

    /// How many requests each rule decided: in the order of the files, then the default and the reasons for no message.
    var rules: [(source: NamedDecision.Source, old: Int, new: Int)] {
        sources.compactMap { source in
            counts[NamedDecision.Origin(source, arm: nil)].map { (source, $0.old, $0.new) }
        }
    }

    /// All rules of both files, then all reasons.
    var sources: [NamedDecision.Source] {
        let before = (0..<old.ruleCount).compactMap { old.ruleID(at: $0) }
        let known = Set(before)
        let added = (0..<new.ruleCount).compactMap { new.ruleID(at: $0) }.filter { !known.contains($0) }
        return (before + added).map { .rule($0) } + DecisionReason.allCases.map { .reason($0) }
    }

    /// All arms of a rule, in the order of the files.
    func arms(of source: NamedDecision.Source) -> [String] {
        guard case .rule(let id) = source else { return [] }
        var names: [String] = []
        for file in [old, new] {
            guard let rule = (0..<file.ruleCount).first(where: { file.ruleID(at: $0) == id }) else {
                continue
            }
            let own = (0..<file.armCount(ofRule: rule)).compactMap { file.armName(at: $0, ofRule: rule) }
            names += own.filter { !names.contains($0) }
        }
        return names
    }

    func count(of source: NamedDecision.Source, arm: String? = nil) -> (old: Int, new: Int) {
        counts[NamedDecision.Origin(source, arm: arm)] ?? (0, 0)
    }

    func share(_ count: Int) -> String { NumberText.percent(Double(count) / Double(max(1, requestCount))) }

    /// Changes as paragraphs, each with the lines that `examples` makes of it.
    func lines(of changes: [Group], _ examples: (Group) -> [String] = { _ in [] }) -> [String] {
        changes.flatMap { group -> [String] in
            let (old, new) = (group.change.old, group.change.new)
            return ["", "\(group.count) (\(share(group.count)))", "  old  \(old.text)"]
                + old.assignedLines.map { "       \($0)" } + ["  new  \(new.text)"]
                + new.assignedLines.map { "       \($0)" } + examples(group)
        }
    }
}
