import SQL
import Support
import Synchronization
import System
import Testing

@Suite("Faults of SQLite")
struct SQLiteFaultTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path(of: "test.db") }

    init() throws { folder = try TemporaryDirectory() }

    private func connect(_ change: (inout SQLiteOptions) -> Void = { _ in }) throws -> SQLiteConnection {
        var options = SQLiteOptions(access: .create)
        options.busyMilliseconds = 0
        change(&options)
        return try SQLiteConnection(path: path, options)
    }

    private func expect(_ code: String, retry: SQLRetry, _ body: () throws -> Void) {
        let error = #expect(throws: SQLError.self, performing: body)
        #expect(error?.code == code && error?.fault.retry == retry, "\(String(describing: error))")
        #expect(error?.detail.contains("SQLite") ?? false)
    }

    @Test(
        "a trigger refuses a row, or calls a function that fails; the words are left out",
        arguments: [
            ("RAISE(ABORT, 'a secret')", SQLError(.constraint), "SQLite 1811"),
            ("ABS(-9223372036854775807 - LENGTH(NEW.name))", SQLError(.refused), "SQLite 1"),
        ]
    )
    func trigger(call: SQLText, expected: SQLError, detail: String) throws {
        let connection = try connect()
        try connection.makeSamples()
        try connection.run("CREATE TRIGGER refusing AFTER INSERT ON samples BEGIN SELECT " + call + "; END")
        let error = #expect(throws: expected) {
            try connection.run("INSERT INTO samples (name) VALUES (?)", [.text("a")])
        }
        #expect(error?.detail == detail)
    }

    @Test("busy: each statement waits for as long as it may, and goes on when the lock is free")
    func waiting() throws {
        let one = try connect()
        try one.makeSamples()
        try one.begin(isWriting: true)
        let other = try connect { $0.busyMilliseconds = 60 }
        for _ in 1...2 {
            let begun = Clock.monotonicNanoseconds()
            expect("sql.busy", retry: .later) { try other.begin(isWriting: true) }
            #expect(Clock.monotonicNanoseconds() - begun >= 60_000_000)
        }
        try one.commit()
        // A holder in another thread has the lock when the wait begins, and frees it meanwhile.
        let isHeld = Atomic(false)
        let holder = try JoinableThread { [path] () -> Bool in
            do {
                let connection = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
                try connection.begin(isWriting: true)
                isHeld.store(true, ordering: .releasing)
                Clock.sleep(milliseconds: 30)
                try connection.commit()
                return true
            } catch {
                isHeld.store(true, ordering: .releasing)
                return false
            }
        }
        while !isHeld.load(ordering: .acquiring) { Clock.sleep(milliseconds: 1) }
        let patient = try connect { $0.busyMilliseconds = 60_000 }
        try patient.transaction { () throws(SQLError) in }
        #expect(holder.join() == true)
    }

    @Test("timed-out: a statement runs longer than its limit, and the connection can be used on")
    func timedOut() throws {
        let connection = try connect { $0.statementMilliseconds = 20 }
        let endless: SQLText = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n
            """
        expect("sql.timed-out", retry: .later) { _ = try connection.query(endless) }
        #expect(try connection.query("SELECT 1").count == 1)
    }

    @Test("bad-value: more or fewer values than question marks")
    func valueCount() throws {
        let connection = try connect()
        for values in [[], [SQLValue.null, .null]] {
            #expect(throws: SQLError(.badValue)) { try connection.query("SELECT ?", values) }
        }
    }
}
