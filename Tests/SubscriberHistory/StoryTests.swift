import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("Facts of a subscriber", .timeLimit(.minutes(5)))
struct StoryTests {
    @Test("of whom nothing is known are missing, but for the history, which is not complete")
    func nothing() {
        let facts = SubscriberFacts(SubscriberPayloads(), now: 0)
        for statement in facts.statements where statement.fact != .historyComplete {
            #expect(statement.value == nil && statement.reason != nil, "\(statement.fact)")
        }
        #expect(facts[.historyComplete].value == .boolean(false))
    }
}
