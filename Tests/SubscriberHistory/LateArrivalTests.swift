import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("Payloads that arrive late", .timeLimit(.minutes(5)))
struct LateArrivalTests {
    @Test("change the facts to what they had been if all had come in time", arguments: LateStory.all)
    func late(_ story: LateStory) {
        var generator = SeededGenerator(for: "SubscriberHistory.late")
        let (inTime, late) = story.payloads
        #expect(late.newest != nil)
        let now = Life.time(story.day)
        expect(story.before, HistoryFacts(inTime, now: now))
        var whole = inTime
        whole.transactions += late.transactions
        whole.renewals += late.renewals
        whole.notifications += late.notifications
        expect(story.after, HistoryFacts(whole, now: now))
        for _ in 0..<10 {
            #expect(HistoryFacts(whole.shuffled(&generator), now: now) == HistoryFacts(whole, now: now))
        }
    }

    private func expect(_ expected: [SubscriberFact: Expected], _ facts: HistoryFacts) {
        for (fact, value) in expected { #expect(Expected(facts[fact]) == value, "\(fact)") }
    }
}
