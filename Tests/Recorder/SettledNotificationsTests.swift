import NotificationStore
import Testing

@testable import Recorder

@Suite("Answers after a commit")
struct SettledNotificationsTests {
    private func batch(_ numbers: ClosedRange<UInt64>) -> StoreMailbox.Finished {
        StoreMailbox.Finished(
            numbers: Array(numbers),
            outcomes: numbers.map { _ in .stored },
            microseconds: 0
        )
    }

    @Test("are spread over turns, in order, and none is left out or given twice")
    func spread() {
        var settled = SettledNotifications()
        #expect(settled.isEmpty && settled.take(all: false).isEmpty && settled.take(all: true).isEmpty)
        settled.add(batch(1...64))
        #expect(settled.take(all: false).map(\.number) == [1, 2, 3, 4])
        settled.add(batch(65...4000))
        // Many must not take the room of new ones.
        #expect(settled.take(all: false).map(\.number) == Array(5...3872))
        var numbers: [UInt64] = []
        var turnCount = 0
        while !settled.isEmpty {
            let taken = settled.take(all: false)
            #expect(!taken.isEmpty && taken.count <= 8)
            numbers += taken.map(\.number)
            turnCount += 1
        }
        #expect(numbers == Array(3873...4000))
        #expect(turnCount > 30 && turnCount < 60)
    }

    @Test("are all given when the recorder leaves")
    func all() {
        var settled = SettledNotifications()
        settled.add(batch(1...100))
        _ = settled.take(all: false)
        settled.add(batch(101...120))
        #expect(settled.take(all: true).map(\.number) == Array(7...120))
        #expect(settled.isEmpty)
    }
}
