import CRecordingFiles
import SQL
import Support
import Synchronization
import System
import Testing

@testable import NotificationStore

@Suite("A short transaction", .timeLimit(.minutes(5)))
struct ShortTransactionTests {
    private final class Clock: Sendable {
        private let passed = Atomic<Int64>(0)
        var time: Int64 { passed.load(ordering: .relaxed) }

        func pass(_ milliseconds: Int64) { passed.add(milliseconds, ordering: .relaxed) }
    }

    private static let environment = "Sandbox"

    private let state = SubscriberState(
        originalTransactionID: "1",
        bytes: [1],
        sources: ["1"],
        downloads: []
    )

    /// How often the program waited for the disk while `body` ran.
    private func synchronizations(_ files: RecordingFiles, _ body: () throws -> Void) rethrows -> Int {
        let before = files.records().count { $0.call == RECORDED_SYNC }
        try body()
        return files.records().count { $0.call == RECORDED_SYNC } - before
    }

    private func setCursor(_ position: Int64, of store: NotificationStore) throws {
        try store.setCursor(StoreCursor(position: position), named: "first")
    }

    @Test("of states does not wait for the disk; the others do, also after one that failed")
    func waiting() throws {
        let files = try RecordingFiles()
        let place = try TestStore(.sqlite)
        let store = try place.open(.create) { $0.fileSystem = files.name }
        // The first transaction confirms the log.
        try setCursor(1, of: store)
        let ofStates = try synchronizations(files) {
            for _ in 0..<3 { try store.write([state], app: Sample.app, environment: Self.environment) }
            try store.removeStates(app: Sample.app, environment: Self.environment)
        }
        #expect(ofStates == 0)
        #expect(try synchronizations(files) { try setCursor(2, of: store) } > 0)
        // Another program has the lock for too long.
        let other = try place.connect()
        try other.begin(isWriting: true)
        let error = #expect(throws: NotificationStoreError.self) {
            try store.write([state], app: Sample.app, environment: Self.environment)
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

    @Test("of states waits for no disk on a server either, and only it")
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
        "has so many rows that it takes about as long as its kind allows",
        arguments: [
            // Milliseconds that each transaction takes, and the transactions for 200 rows: 64, 128 and 8; 64, 64, 64 and 8; and 64,
            // 32, 16, 8, 4, 2 and then one each.
            (ShortTransaction.deletion, Int64(9), 3), (.deletion, 10, 4), (.deletion, 25, 4),
            (.deletion, 26, 80), (.states, 1, 3), (.states, 2, 4), (.states, 5, 4), (.states, 6, 80),
        ]
    )
    func polite(kind: ShortTransaction, milliseconds: Int64, count: Int) throws {
        let clock = Clock()
        let place = try TestStore(.sqlite)
        let store = try place.open(timing: timing(clock))
        var (left, steps) = (200, 0)
        try store.inShortTransactions(of: kind) { (limit, _) throws(SQLError) in
            let changed = min(limit, left)
            left -= changed
            if changed > 0 { steps += 1 }
            clock.pass(milliseconds)
            return changed
        }
        #expect(left == 0 && steps == count, "\(steps)")
        withExtendedLifetime(place) {}
    }

    private func timing(_ clock: Clock) -> StoreTiming {
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { _ in }
        return timing
    }

    @Test("does not become smaller because others held the lock")
    func lockWait() throws {
        let clock = Clock()
        let place = try TestStore(.sqlite)
        let store = try place.open(timing: timing(clock)) { $0.lockMilliseconds = 60_000 }
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
                return isFirst ? limit : 0
            }
            #expect(holder.join() == true)
        }
        #expect(limits == [64, 128, 256])
        withExtendedLifetime(place) {}
    }
}
