internal import Answers
internal import DataFiles
internal import Decisions
internal import OfferSigning

/// What two rules files make of the same requests.
struct DecisionComparison {
    /// One way from an old decision to a new one.
    struct Change: Hashable {
        let old: Verdict
        let new: Verdict
    }

    /// The requests that went one way.
    struct Group {
        let change: Change
        var count: Int
        /// The first of them, as many as are wanted.
        var examples: [SampleRequest]
        /// What is sent before and after; nil for what would have to be signed.
        let answers: (old: Answer?, new: Answer?)
    }

    private let old: RulesFile
    private let new: RulesFile
    private let exampleCount: Int
    private var groups: [Group] = []
    private var places: [Change: Int] = [:]
    private var sources: [Verdict.Source: (old: Int, new: Int)] = [:]

    /// The requests that were decided.
    private(set) var requestCount = 0
    /// The requests whose answer changes.
    private(set) var changedCount = 0
    /// The requests that another rule or arm decides, or another reason, or for which something else was drawn before,
    /// to the same answer.
    private(set) var sameAnswerCount = 0
    /// The records of the decision log among the requests.
    private(set) var loggedCount = 0
    /// Those which the old rules decide as they were decided.
    private(set) var asLoggedCount = 0
    /// The requests whose subscriber is known by a pseudonym alone.
    private(set) var pseudonymCount = 0
    /// The requests of whose subscriber nobody said what is known, although the rules ask for it.
    private(set) var factsUnknownCount = 0

    init(old: RulesFile, new: RulesFile, exampleCount: Int) {
        self.old = old
        self.new = new
        self.exampleCount = exampleCount
    }

    /// Whether either file asks for what is known of a subscriber.
    var dependsOnFacts: Bool { old.dependsOnFacts || new.dependsOnFacts }

    /// Decides a request by both. `areFactsKnown` is false when `facts` has no record only because nobody looked for one.
    mutating func add(
        _ request: SampleRequest,
        atMilliseconds now: Int64,
        facts: (old: SubscriberFacts, new: SubscriberFacts),
        areFactsKnown: Bool
    ) {
        func asked(_ file: RulesFile, signing: SigningCapabilities = .all) -> DecisionRequest {
            DecisionRequest(
                appAppleId: file.header.appAppleId,
                environment: file.header.environment,
                productId: request.productId,
                userLocale: request.userLocale,
                originalTransactionId: request.subscriber.unit,
                nowMilliseconds: now,
                signing: signing
            )
        }
        let decisions = (
            old: decide(asked(old), facts: facts.old, using: old),
            new: decide(asked(new), facts: facts.new, using: new)
        )
        let change = Change(
            old: Verdict(decisions.old, in: old),
            new: Verdict(decisions.new, in: new)
        )
        requestCount += 1
        if !areFactsKnown, dependsOnFacts { factsUnknownCount += 1 }
        sources[change.old.source, default: (0, 0)].old += 1
        sources[change.new.source, default: (0, 0)].new += 1
        if case .pseudonym = request.subscriber { pseudonymCount += 1 }
        if let logged = request.logged {
            loggedCount += 1
            // The service that wrote the log may have had no key.
            func unsigned() -> Verdict {
                Verdict(decide(asked(old, signing: []), facts: facts.old, using: old), in: old)
            }
            if logged.isSame(as: change.old) || logged.isSame(as: unsigned()) { asLoggedCount += 1 }
        }
        if !change.old.isAnsweredAlike(change.new) {
            changedCount += 1
            let answers = (old: Self.answer(decisions.old, old), new: Self.answer(decisions.new, new))
            note(request, change, answers)
        } else if !change.old.isDecidedAlike(change.new) {
            sameAnswerCount += 1
        }
    }

    private static func answer(_ decision: Decision, _ file: RulesFile) -> Answer? {
        guard decision.outcome.neededSigning.isEmpty else { return nil }
        return Answer(serving: SignedOutcome(unsigned: decision.outcome, in: file))
    }

    private mutating func note(
        _ request: SampleRequest,
        _ change: Change,
        _ answers: (old: Answer?, new: Answer?)
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

    /// The ways, the most frequent first, then in the order of the sample.
    var changes: [Group] {
        groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }

    /// How many requests each rule decided before and after: the rules in the order of the files, then the default
    /// and the reasons for nothing.
    var rules: [(source: Verdict.Source, old: Int, new: Int)] {
        let before = (0..<old.ruleCount).compactMap { old.ruleID(at: $0) }
        let known = Set(before)
        let added = (0..<new.ruleCount).compactMap { new.ruleID(at: $0) }.filter { !known.contains($0) }
        let all =
            (before + added).map { Verdict.Source.rule($0) }
            + DecisionReason.allCases.map { Verdict.Source.reason($0) }
        return all.compactMap { source in sources[source].map { (source, $0.old, $0.new) } }
    }
}

extension Verdict {
    /// Whether rule, arm and reason are the same, and what was drawn before.
    func isDecidedAlike(_ other: Verdict) -> Bool {
        origin == other.origin && reason == other.reason && assigned == other.assigned
    }
}
