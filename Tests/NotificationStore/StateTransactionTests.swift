import CRecordingFiles
import SQL
import Support
import Synchronization
import System
import Testing

@testable import NotificationStore

@Suite("A transaction that writes states", .timeLimit(.minutes(5)))
struct StateTransactionTests {
    private final class Clock: Sendable {
        private let passed = Atomic<Int64>(0)
        var time: Int64 { passed.load(ordering: .relaxed) }

        @discardableResult
        func pass(_ milliseconds: Int64) -> Int64 { passed.add(milliseconds, ordering: .relaxed).newValue }
    }

    private static let environment = "Sandbox"

    private func state(_ number: Int, byteCount: Int = 1) -> SubscriberState {
        SubscriberState(
            originalTransactionID: String(number),
            bytes: [UInt8](repeating: 1, count: byteCount),
            sources: [String(number)],
            downloads: []
        )
    }

    /// How often the program waited for the disk while `body` ran.
    private func synchronizations(_ files: RecordingFiles, _ body: () throws -> Void) rethrows -> Int {
        let before = files.records().count { $0.call == RECORDED_SYNC }
        try body()
        return files.records().count { $0.call == RECORDED_SYNC } - before
    }

    private func setCursor(_ position: Int64, of store: NotificationStore) throws {
        try store.setCursor(StoreCursor(position: position), named: "first")
    }

    @Test("does not wait for the disk; the others do, also after one that failed")
    func waiting() throws {
        let files = try RecordingFiles()
        let place = try TestStore(.sqlite)
        let store = try place.open(.create) { $0.fileSystem = files.name }
        // The first transaction confirms the log.
        try setCursor(1, of: store)
        let ofStates = try synchronizations(files) {
            for _ in 0..<3 { try store.write([state(1)], app: Sample.app, environment: Self.environment) }
            try store.removeStates(app: Sample.app, environment: Self.environment)
        }
        #expect(ofStates == 0)
        #expect(try synchronizations(files) { try setCursor(2, of: store) } > 0)
        // Another program has the lock for too long.
        let other = try place.connect()
        try other.begin(isWriting: true)
        let error = #expect(throws: NotificationStoreError.self) {
            try store.write([state(1)], app: Sample.app, environment: Self.environment)
        }
        #expect(error?.code == "sql.busy")
        other.rollback()
        #expect(throws: NotificationStoreError.self) {
            try ShortTransaction.states.run(on: store) { connection throws(SQLError) in
                try connection.run("INSERT INTO nowhere VALUES (1)")
            }
        }
        #expect(try synchronizations(files) { try setCursor(3, of: store) } > 0)
        withExtendedLifetime(place) {}
    }

    @Test("waits for no disk on a server either, and only it")
    func server() throws {
        let place = try TestStore(.postgreSQL)
        let store = try place.open()
        func setting(_ connection: any SQLConnection) throws(SQLError) -> String? {
            try connection.query("SELECT current_setting('synchronous_commit')").first?.text(0)
        }
        for _ in 0..<2 {
            for (kind, wanted) in [(ShortTransaction.states, "off"), (.deletion, "on")] {
                let found = try kind.run(on: store) { connection throws(SQLError) in try setting(connection) }
                #expect(found == wanted)
            }
            let found = try store.change(.shared) { connection throws(SQLError) in try setting(connection) }
            #expect(found == "on")
        }
    }

    @Test(
        "has as many states as ten milliseconds allow",
        arguments: [(Int64(1), 3), (2, 4), (5, 4), (6, 80)]
    )
    func polite(milliseconds: Int64, count: Int) throws {
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { _ in }
        let place = try TestStore(.sqlite)
        let store = try place.open(timing: timing)
        var (left, steps) = (200, 0)
        try store.inShortTransactions(of: .states) { (limit, _) throws(SQLError) in
            let changed = min(limit, left)
            left -= changed
            if changed > 0 { steps += 1 }
            clock.pass(milliseconds)
            return changed
        }
        #expect(left == 0 && steps == count, "\(steps)")
        withExtendedLifetime(place) {}
    }

    @Test("does not become smaller because others held the lock")
    func lockWait() throws {
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { _ in }
        let place = try TestStore(.sqlite)
        let store = try place.open(timing: timing) { $0.lockMilliseconds = 60_000 }
        var limits: [Int] = []
        let path = place.path
        for _ in 0..<3 {
            let holds = try WakeUp()
            let holder = try JoinableThread { () -> Bool in
                guard let other = try? SQLiteConnection(path: path, SQLiteOptions(access: .write)),
                    (try? other.begin(isWriting: true)) != nil
                else { return false }
                holds.announce()
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: 50)
                clock.pass(9)
                other.rollback()
                return true
            }
            _ = try Readiness.wait(for: [holds.descriptor.number], timeoutMilliseconds: 60_000)
            var isFirst = true
            try store.inShortTransactions(of: .states, from: &store.stateLimit) {
                (limit, _) throws(SQLError) in
                if isFirst { limits.append(limit) }
                defer { isFirst = false }
                return isFirst ? 1 : 0
            }
            #expect(holder.join() == true)
        }
        #expect(limits == [64, 128, 256])
        withExtendedLifetime(place) {}
    }
}
