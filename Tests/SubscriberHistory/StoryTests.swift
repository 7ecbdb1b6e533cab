import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("Facts of a subscriber")
struct StoryTests {
    @Test("of whom nothing is known are missing, but for the history, which is not complete")
    func nothing() {
        let facts = HistoryFacts(SubscriberPayloads(), now: 0)
        for statement in facts.statements where statement.fact != .historyComplete {
            #expect(statement.value == nil && statement.reason != nil, "\(statement.fact)")
        }
        #expect(facts[.historyComplete].value == .boolean(false))
    }

    @Test("are those of the golden files", arguments: try Story.groups.get().map(\.path))
    func text(_ path: String) throws {
        let stories = try Story.groups.get().first { $0.path == path }?.stories ?? []
        #expect(!stories.isEmpty)
        let text = stories.map { StoryText(story: $0).description }.joined(separator: "\n")
        try GoldenFile.check(text, path.replacing("/Stories/", with: "/Golden/"))
    }

    @Test(
        "do not depend on the order of arrival, nor on repetition",
        arguments: try Story.groups.get().flatMap(\.stories))
    func arrival(_ story: Story) {
        var generator = SeededGenerator(for: "SubscriberHistory.arrival")
        let payloads = story.payloads
        let shuffled = payloads.shuffled(&generator)
        for now in story.days.map({ Life.time($0) }) {
            #expect(HistoryFacts(shuffled, now: now) == HistoryFacts(payloads, now: now))
        }
    }

    @Test(
        "have evidence: a known fact names payloads, and a missing one names none",
        arguments: try Story.groups.get().flatMap(\.stories))
    func evidence(_ story: Story) {
        let payloads = story.payloads
        let names = Set(
            payloads.transactions.map(\.evidence) + payloads.renewals.map(\.evidence)
                + payloads.notifications.map(\.evidence)
        )
        for now in story.days.map({ Life.time($0) }) {
            for statement in HistoryFacts(payloads, now: now).statements {
                #expect(statement.evidence.allSatisfy { names.contains($0) && $0.signedAt <= now })
                #expect((statement.value == nil) == (statement.reason != nil))
                if statement.value == nil { #expect(statement.evidence.isEmpty) }
                if statement.fact != .historyComplete, !statement.isNumberOfNothing, statement.value != nil {
                    #expect(!statement.evidence.isEmpty, "\(statement.fact)")
                }
            }
        }
    }
}

extension FactStatement {
    /// True for a count of 0, which has no payloads to name.
    fileprivate var isNumberOfNothing: Bool { value == .integer(0) }
}

extension HistoryFacts {
    /// The known facts.
    var values: [SubscriberFact: HistoryValue] {
        Dictionary(uniqueKeysWithValues: statements.compactMap { one in one.value.map { (one.fact, $0) } })
    }
}

extension SubscriberPayloads {
    /// Returns the same payloads in another order, with some of them repeated.
    func shuffled(_ generator: inout SeededGenerator) -> Self {
        var result = self
        result.transactions += transactions.filter { _ in Bool.random(using: &generator) }
        result.renewals += renewals.filter { _ in Bool.random(using: &generator) }
        result.notifications += notifications.filter { _ in Bool.random(using: &generator) }
        result.transactions.shuffle(using: &generator)
        result.renewals.shuffle(using: &generator)
        result.notifications.shuffle(using: &generator)
        return result
    }
}
