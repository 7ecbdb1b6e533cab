import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("A refresh of the states of subscribers")
struct RefreshTests {
    private final class Clock { var time: Int64 = 0 }

    @Test("deletes nothing that another program is about to read")
    func locked() throws {
        let folder = try TemporaryDirectory()
        let address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
        let store = try NotificationStore(address, StoreOptions(access: .create))
        try store.write(
            [SubscriberState(originalTransactionID: "1", bytes: [1], sources: [], downloads: [])],
            app: "a",
            environment: "Sandbox"
        )
        let lock = try HistoryRefresh(store, app: "a", environment: "Sandbox").lock()
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { clock.time += $0 }
        let other = try NotificationStore(address, StoreOptions(access: .write), timing: timing)
        let refresh = HistoryRefresh(other, app: "a", environment: "Sandbox")
        #expect(throws: NotificationStoreError.statesLocked) { try refresh.run(isFull: true) }
        #expect(try store.states(app: "a", environment: "Sandbox").count == 1)
        try lock.release()
        // The subscriber has no rows, so no state either.
        #expect(try refresh.run(isFull: true).derivedCount == 0)
        #expect(try store.states(app: "a", environment: "Sandbox").isEmpty)
    }
}
