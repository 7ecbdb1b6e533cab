import Support
import System
import Testing

extension EndToEnd {
    @Suite("A recorder that is killed")
    struct RecorderKillTests {
        /// What a run of kills found.
        struct Outcome {
            var killCount = 0
            /// The kills at which requests had no answer yet.
            var loadedKillCount = 0
            var acknowledgedCount = 0
            /// The acknowledged notifications that have no row.
            var lost: [UInt64] = []
            /// The rows beyond the first of a notification.
            var repeated: [String] = []
        }

        /// Kills the recorder at random moments under load, and compares what was acknowledged with the rows.
        static func kill(times: Int, _ tester: RecorderTester) throws -> Outcome {
            var outcome = Outcome()
            var random = SeededGenerator(for: "RecorderKillTests")
            let load = try NotificationLoad(tester, senders: 8)
            do {
                for _ in 0..<times {
                    let before = load.acknowledged.count
                    let served = Patience.wait(seconds: 60) { load.acknowledged.count >= before + 8 }
                    guard served else { throw Complaint("no notification is acknowledged") }
                    Patience.pause(milliseconds: Int32.random(in: 0...20, using: &random))
                    if load.inFlightCount > 0 { outcome.loadedKillCount += 1 }
                    try tester.kill()
                    outcome.killCount += 1
                    try tester.start()
                }
                // The last kill may have lost something, too.
                let before = load.acknowledged.count
                _ = Patience.wait(seconds: 60) { load.acknowledged.count >= before + 8 }
                try tester.kill()
            } catch {
                _ = load.finish()
                throw error
            }
            #expect(load.finish())
            var counts: [String: Int] = [:]
            for uuid in try tester.rows() { counts[uuid, default: 0] += 1 }
            outcome.acknowledgedCount = load.acknowledged.count
            outcome.lost = load.acknowledged.filter { counts[RecorderTester.uuid($0)] == nil }
            outcome.repeated = counts.filter { $0.value > 1 }.map(\.key)
            return outcome
        }

        private static var times: Int { Programs.runsLong ? 300 : 6 }

        @Test("loses and repeats no acknowledged notification", arguments: ["SQLite", "PostgreSQL"])
        func kills(system: String) throws {
            let store = try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            let outcome = try RecorderTester.run(store: store) { tester in
                try Self.kill(times: Self.times, tester)
            }
            print(
                "figures: \(system) kills=\(outcome.killCount) loaded=\(outcome.loadedKillCount) "
                    + "acknowledged=\(outcome.acknowledgedCount)"
            )
            #expect(outcome.killCount == Self.times && outcome.acknowledgedCount >= 8 * Self.times)
            #expect(outcome.lost.isEmpty && outcome.repeated.isEmpty)
            #expect(outcome.loadedKillCount * 10 >= outcome.killCount * 8)
        }

        /// A layer below the recorder that says that a commit has ended, and performs it only when the next transaction
        /// begins: the recorder then answers before the commit.
        private static let earlyAnswers = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <string.h>
            typedef struct sqlite3_stmt sqlite3_stmt;
            typedef struct sqlite3 sqlite3;
            const char *sqlite3_sql(sqlite3_stmt *statement);
            sqlite3 *sqlite3_db_handle(sqlite3_stmt *statement);
            int sqlite3_exec(sqlite3 *db, const char *sql, void *row, void *context, char **message);
            static int pending;
            int sqlite3_step(sqlite3_stmt *statement) {
                static int (*step)(sqlite3_stmt *);
                if (!step) step = dlsym(RTLD_NEXT, "sqlite3_step");
                const char *sql = sqlite3_sql(statement);
                if (sql && !strcmp(sql, "COMMIT")) { pending = 1; return 101; }
                if (sql && pending && !strncmp(sql, "BEGIN", 5)) {
                    pending = 0;
                    sqlite3_exec(sqlite3_db_handle(statement), "COMMIT;", 0, 0, 0);
                }
                return step(statement);
            }
            """

        @Test("is caught when it answers before the commit")
        func negativeControl() throws {
            let library = try PreloadedLibrary(source: Self.earlyAnswers)
            let outcome = try RecorderTester.run(environment: [library.environment]) { tester in
                try Self.kill(times: 3, tester)
            }
            #expect(!outcome.lost.isEmpty)
        }
    }
}
