import NotificationStore
import SQL
import Support
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

    @Test("and the writing of states let others add rows to a server meanwhile, and keep erasures out")
    func rowsMeanwhile() throws {
        let place = try TestStore(.postgreSQL)
        let store = try place.open()
        let states = ["1", "2"].map {
            SubscriberState(originalTransactionID: $0, bytes: [1], sources: [$0], downloads: [])
        }
        // As a recorder whose rows wait for their commit.
        let recorder = try place.connect()
        try recorder.begin(isWriting: true)
        let taking: SQLText =
            "SELECT CAST(pg_advisory_xact_lock_shared(1383353939, hashtext(current_schema())) AS TEXT)"
        _ = try recorder.query(taking)
        let lock = try store.lockStates(app: "a", environment: "Sandbox")
        #expect(try store.write(states, app: "a", environment: "Sandbox").isEmpty)
        try store.removeStates(app: "a", environment: "Sandbox")
        let error = #expect(throws: NotificationStoreError.self) {
            try store.erase(.originalTransaction("1"))
        }
        #expect(error?.code == "sql.busy")
        try recorder.commit()
        _ = try store.erase(.originalTransaction("1"))
        try lock.release()
    }

    @Test("is one for all paths that lead to a file over symbolic links")
    func links() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let elsewhere = try TemporaryDirectory()
        let link = elsewhere.path(of: "store.db")
        #expect(try ProgramRun.run("ln", ["-s", place.path, link]).status == 0)
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { clock.time += $0 }
        let other = try NotificationStore(
            StoreAddress("sqlite:\(link)"),
            StoreOptions(access: .write),
            timing: timing
        )
        let lock = try store.lockStates(app: "a", environment: "Sandbox")
        do {
            try other.lockStates(app: "a", environment: "Sandbox", waitingFor: 1000).release()
            Issue.record("two programs have the lock")
        } catch {
            #expect(error == .statesLocked)
        }
        try lock.release()
        try other.lockStates(app: "a", environment: "Sandbox", waitingFor: 1000).release()
        // A link that leads elsewhere later is another store.
        #expect(try ProgramRun.run("ln", ["-sf", elsewhere.path(of: "new.db"), link]).status == 0)
        #expect(throws: NotificationStoreError.replaced) { try other.settledMark() }
    }

    @Test("lets a store be made over a link to a directory, and finds the log beside the file itself")
    func directory() throws {
        let place = try TestStore(.sqlite)
        let elsewhere = try TemporaryDirectory()
        let directory = elsewhere.path(of: "directory")
        #expect(try ProgramRun.run("ln", ["-s", place.files.path, directory]).status == 0)
        let store = try NotificationStore(
            StoreAddress("sqlite:\(directory)/store.db"),
            StoreOptions(access: .create)
        )
        try store.setCursor(StoreCursor(position: 1), named: "a")
        #expect(try place.open(.write).cursor(named: "a")?.position == 1)
        let link = elsewhere.path(of: "store.db")
        #expect(try ProgramRun.run("ln", ["-s", place.path, link]).status == 0)
        let linked = try NotificationStore(StoreAddress("sqlite:\(link)"), StoreOptions(access: .read))
        #expect(try linked.size().logByteCount > 0)
    }

    private final class Clock { var time: Int64 = 0 }
}
