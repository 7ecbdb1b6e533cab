import NotificationStore
import Testing

@Suite("The lock for the states of subscribers", .timeLimit(.minutes(5)))
struct StatesLockTests {
    /// Holds a lock until a test takes it out.
    private final class Holder {
        var lock: StatesLock?
        var waits: Int64 = 0

        init(_ lock: consuming StatesLock) { self.lock = consume lock }
    }

    @Test("lets a second program wait until the first one is ready", arguments: StoreSystem.allCases)
    func waits(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let holder = Holder(try store.lockStates(app: "a", environment: "Sandbox"))
        var timing = StoreTiming.system
        timing.elapsed = { 0 }
        timing.sleep = { _ in
            holder.waits += 1
            if holder.waits == 3, let lock = holder.lock.take() { try? lock.release() }
        }
        let other = try place.open(timing: timing)
        try other.lockStates(app: "a", environment: "Sandbox").release()
        #expect(holder.waits == 3)
        // A lock that is given up by an error ends as well.
        do { _ = try store.lockStates(app: "a", environment: "Sandbox") }
        try other.lockStates(app: "a", environment: "Sandbox").release()
        #expect(holder.waits == 3)
    }

    @Test("is refused when the first program takes too long", arguments: StoreSystem.allCases)
    func refused(system: StoreSystem) throws {
        let place = try TestStore(system)
        let lock = try place.open().lockStates(app: "a", environment: "Sandbox")
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { clock.time += $0 }
        let other = try place.open(timing: timing)
        do {
            try other.lockStates(app: "a", environment: "Sandbox", waitingFor: 1000).release()
            Issue.record("two programs have the lock")
        } catch {
            #expect(error == .statesLocked)
        }
        #expect(clock.time == 1000)
        try lock.release()
    }

    private final class Clock { var time: Int64 = 0 }
}
