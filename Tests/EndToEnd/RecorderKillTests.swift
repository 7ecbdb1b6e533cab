import HTTPLoad
import SQL
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Kills on the way of a notification")
    struct RecorderKillTests {
        /// What a run of kills found.
        struct Outcome {
            var kills: [KillScene.Target: Int] = [:]
            /// The kills at which requests had no answer yet.
            var loadedKillCount = 0
            var acknowledgedCount = 0
            /// The acknowledged notifications that have no row.
            var lost: [UInt64] = []
            /// The UUIDs of more than one row.
            var repeated: [String] = []

            var killCount: Int { kills.values.reduce(0, +) }
        }

        /// Kills each target in turn with SIGKILL, at random moments under load, and compares what was acknowledged with the
        /// rows.
        static func kill(times: Int, _ targets: [KillScene.Target], _ scene: KillScene) throws -> Outcome {
            var outcome = Outcome()
            var random = SeededGenerator(for: "RecorderKillTests")
            let tester = scene.tester
            let load = try NotificationLoad(tester, senders: 8)
            do {
                for number in 0..<times {
                    try load.awaitAcknowledgements(8)
                    Patience.pause(milliseconds: Int32.random(in: 0...20, using: &random))
                    let target = targets[number % targets.count]
                    let victims = try scene.victims(target, using: &random)
                    let before = load.inFlight
                    // A session or a worker may have ended by itself.
                    for victim in victims { try? Processes.send(.kill, to: victim) }
                    if !load.inFlight.isDisjoint(with: before) { outcome.loadedKillCount += 1 }
                    outcome.kills[target, default: 0] += 1
                    try scene.restore(target, victims)
                }
                // The last kill may have lost something, too.
                try load.awaitAcknowledgements(8)
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
            if outcome.lost.isEmpty, outcome.repeated.isEmpty {
                // Each row has the bytes that its sender sent.
                let (sent, kept) = (load.bodyHashes, try tester.bodyHashes())
                #expect(load.acknowledged.allSatisfy { number in sent[number].map(kept.contains) == true })
                #expect(kept.isSubset(of: sent.values))
            }
            return outcome
        }

        /// How often each target is killed: in the long run 300 kills on each store.
        private static func rounds(_ scene: KillScene) -> Int {
            Programs.runsLong ? 300 / scene.targets.count : 2
        }

        @Test(
            "of the recorder, nginx and the database lose and repeat no acknowledged notification",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func kills(system: String) throws {
            // A server of its own: others use the shared one at the same time.
            let server = try system == "SQLite" ? nil : PostgreSQLServer()
            let outcome = try RecorderTester.run(store: server?.makeSchema()) { tester in
                let scene = KillScene(tester: tester, server: server)
                let times = Self.rounds(scene) * scene.targets.count
                let outcome = try Self.kill(times: times, scene.targets, scene)
                #expect(outcome.killCount == times && outcome.kills.count == scene.targets.count)
                return outcome
            }
            print(
                "figures: \(system) kills=\(outcome.killCount) loaded=\(outcome.loadedKillCount) "
                    + "acknowledged=\(outcome.acknowledgedCount) lost=\(outcome.lost.count) "
                    + "repeated=\(outcome.repeated.count)"
            )
            #expect(outcome.acknowledgedCount >= 8 * outcome.killCount)
            #expect(outcome.lost.isEmpty && outcome.repeated.isEmpty)
            // How many of a few kills hit a request without an answer is chance, of many it is not.
            #expect(outcome.loadedKillCount * 10 >= (Programs.runsLong ? outcome.killCount * 8 : 10))
        }

        @Test(
            "find lost notifications when the recorder answers before the commit",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func earlyAnswer(system: String) throws {
            let store = try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            let library = try PreloadedLibrary.answeringBeforeCommit()
            let outcome = try RecorderTester.run(store: store, environment: [library.environment]) { tester in
                try Self.kill(times: 3, [.recorder], KillScene(tester: tester))
            }
            #expect(!outcome.lost.isEmpty)
        }

        @Test(
            "find repeated rows when the store has no unique index",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func noUniqueIndex(system: String) throws {
            let store = try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            let library = try PreloadedLibrary.replacingSQL([
                ("CREATE UNIQUE INDEX notifications_identity", "CREATE INDEX notifications_identity"),
                (" ON CONFLICT (app, environment, uuid) DO NOTHING", ""),
            ])
            let outcome = try RecorderTester.run(store: store, environment: [library.environment]) { tester in
                // What the recorder commits after nginx is gone has no answer, so the senders send it again.
                try Self.kill(times: 12, [.nginx], KillScene(tester: tester))
            }
            #expect(!outcome.repeated.isEmpty && outcome.lost.isEmpty)
        }

        /// A kill of the server shows this, because its log is then partly in memory that dies with it. It does not show
        /// `fsync=off`, which loses something only when the machine fails; the store refuses such a server (`store.fsync-off`).
        @Test("of the server find lost notifications when its commits do not wait for the disk")
        func asynchronousCommits() throws {
            let server = try PostgreSQLServer()
            let careless = try PreloadedLibrary.replacingSQL([
                ("ELSE 'on' END, true)", "ELSE 'off' END, true)")
            ])
            for library in [careless, nil] {
                let environment = library.map { [$0.environment] } ?? []
                try RecorderTester.run(store: server.makeSchema(), environment: environment) { tester in
                    #expect(tester.post(try tester.body(1))?.status == 200)
                    // What does not come to the disk with its own commit stays away from it from here on.
                    let writers = try server.holdLogWriters()
                    for number in 2...5 as ClosedRange<UInt64> {
                        #expect(tester.post(try tester.body(number))?.status == 200)
                    }
                    server.kill(with: writers)
                    try server.start()
                    let rows = try Set(tester.rows())
                    let lost = (1...5).filter { !rows.contains(RecorderTester.uuid($0)) }
                    #expect(lost.isEmpty == (library == nil), "\(lost)")
                }
            }
        }

        @Test(
            "cannot repeat rows in a store whose unique index was dropped, because the recorder refuses it",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func droppedIndex(system: String) throws {
            let store = try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            try RecorderTester.run(store: store) { tester in
                #expect(tester.post(try tester.body(1))?.status == 200)
                try tester.kill()
                try tester.connect().run("DROP INDEX notifications_identity")
                try tester.start(waits: false)
                #expect(try tester.recorder.waitForLog("code=store.schema-differs"))
                for number in 1...2 as ClosedRange<UInt64> {
                    let answer = tester.post(try tester.body(number))
                    #expect(answer?.status == 503 && answer?.code == "store-unavailable")
                }
                #expect(try tester.rows() == [RecorderTester.uuid(1)])
            }
        }
    }
}
