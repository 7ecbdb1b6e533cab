import SQL
import Support
import System
import Testing

extension EndToEnd {
    /// The recorder and its files, not a disk: a library between them keeps what was synchronized. NotificationStoreTests cut the
    /// power at every call.
    @Suite("A power cut under the recorder")
    struct RecorderPowerTests {
        /// What a run of power cuts found.
        struct Outcome {
            var acknowledgedCount = 0
            /// The cuts at which a request that the recorder may have had got no answer before the kill.
            var loadedCutCount = 0
            /// The acknowledged notifications that have no row.
            var lost: [UInt64] = []
            /// The UUIDs of more than one row.
            var repeated: [String] = []
        }

        /// Kills the recorder and leaves in the files of its store only what was synchronized.
        ///
        /// - Returns: true when a request that was in flight before the kill was still in flight after it.
        private static func cut(_ tester: RecorderTester, _ load: NotificationLoad) throws -> Bool {
            let before = load.inFlight
            try tester.recorder.send(.kill)
            let isLoaded = !load.inFlight.isDisjoint(with: before)
            try tester.kill()
            let folder = tester.tester.folder
            try Directory.removeFile(path: folder.path(of: "notifications.db-shm"))
            for name in ["notifications.db", "notifications.db-wal"] {
                if let durable = try? folder.read("\(name).durable") {
                    try folder.write(durable, to: name, permissions: 0o600)
                } else {
                    try Directory.removeFile(path: folder.path(of: name))
                }
            }
            return isLoaded
        }

        /// Cuts the power at random moments under load, and compares what was acknowledged with the rows.
        private static func cut(times: Int, _ tester: RecorderTester) throws -> Outcome {
            var outcome = Outcome()
            var random = SeededGenerator(for: "RecorderPowerTests")
            let load = try NotificationLoad(tester, senders: 8)
            do {
                for _ in 0..<times {
                    try load.awaitAcknowledgements(16)
                    Patience.pause(milliseconds: Int32.random(in: 0...20, using: &random))
                    if try cut(tester, load) { outcome.loadedCutCount += 1 }
                    try tester.start()
                }
                try load.awaitAcknowledgements(8)
                _ = try cut(tester, load)
            } catch {
                _ = load.finish()
                throw error
            }
            #expect(load.finish())
            let rows = try remaining(tester)
            let known = Set(rows)
            outcome.acknowledgedCount = load.acknowledged.count
            outcome.lost = load.acknowledged.filter { !known.contains(RecorderTester.uuid($0)) }
            outcome.repeated = known.filter { uuid in rows.count { $0 == uuid } > 1 }
            return outcome
        }

        /// The UUIDs that the store has. A store whose tables never came to the disk has none.
        private static func remaining(_ tester: RecorderTester) throws -> [String] {
            do { return try tester.rows() } catch let error as SQLError where error.fault == .schema {
                return []
            }
        }

        @Test("loses and repeats no acknowledged notification, because the answer waits for the disk")
        func cuts() throws {
            let times = Programs.runsLong ? 100 : 5
            let library = try PreloadedLibrary.keepingDurable()
            let outcome = try RecorderTester.run(environment: [library.environment]) { tester in
                try Self.cut(times: times, tester)
            }
            print(
                "figures: power cuts=\(times + 1) loaded=\(outcome.loadedCutCount) "
                    + "acknowledged=\(outcome.acknowledgedCount) lost=\(outcome.lost.count)"
            )
            #expect(outcome.lost.isEmpty && outcome.repeated.isEmpty)
            #expect(outcome.acknowledgedCount >= 16 * times)
            // How many of a few cuts hit a request without an answer is chance, of many it is not.
            #expect(outcome.loadedCutCount * 10 >= (Programs.runsLong ? times * 8 : 10))
        }

        @Test("is seen to lose notifications when SQLite runs with synchronous=OFF")
        func notSynchronized() throws {
            let library = try PreloadedLibrary.keepingDurable([
                ("PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF")
            ])
            let outcome = try RecorderTester.run(environment: [library.environment]) { tester in
                try Self.cut(times: 1, tester)
            }
            #expect(!outcome.lost.isEmpty)
        }
    }
}
