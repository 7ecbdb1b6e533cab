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
            "of the recorder, nginx and the database, and power cuts, lose and repeat no acknowledged notification",
            arguments: StoreSystem.allCases
        )
        func kills(system: StoreSystem) throws {
            // A server of its own: others use the shared one at the same time.
            let server = try system == .sqlite ? nil : PostgreSQLServer()
            let library = try PreloadedLibrary.keepingDurable()
            let environment = server == nil ? [library.environment] : []
            let outcome = try RecorderTester.run(store: server?.makeSchema(), environment: environment) {
                tester in
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
            arguments: StoreSystem.allCases
        )
        func earlyAnswer(system: StoreSystem) throws {
            let library = try PreloadedLibrary.answeringBeforeCommit()
            let outcome = try RecorderTester.run(
                store: system.makeStore(), environment: [library.environment]
            ) { tester in
                try Self.kill(times: 3, [.recorder], KillScene(tester: tester))
            }
            #expect(!outcome.lost.isEmpty)
        }

        @Test(
            "find repeated rows when the store has no unique index",
            arguments: StoreSystem.allCases
        )
        func noUniqueIndex(system: StoreSystem) throws {
            let library = try PreloadedLibrary.replacingSQL([
                ("CREATE UNIQUE INDEX notifications_identity", "CREATE INDEX notifications_identity"),
                (" ON CONFLICT (app, environment, uuid) DO NOTHING", ""),
            ])
            let outcome = try RecorderTester.run(
                store: system.makeStore(), environment: [library.environment]
            ) { tester in
                // What the recorder commits after nginx is gone has no answer, so the senders send it again.
                try Self.kill(times: 12, [.nginx], KillScene(tester: tester))
            }
            #expect(!outcome.repeated.isEmpty && outcome.lost.isEmpty)
        }

        @Test("and power cuts find lost notifications when SQLite runs with synchronous=OFF")
        func notSynchronized() throws {
            let library = try PreloadedLibrary.keepingDurable([
                ("PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF")
            ])
            let outcome = try RecorderTester.run(environment: [library.environment]) { tester in
                try Self.kill(times: 1, [.power], KillScene(tester: tester))
            }
            #expect(!outcome.lost.isEmpty)
        }
    }
}

/// The processes on the way of a notification, which a test kills and brings back.
struct KillScene {
    enum Target: Hashable {
        case recorder
        /// The recorder, whose file of SQLite then has only what was synchronized (``PreloadedLibrary``).
        case power
        /// The master of nginx with all its workers.
        case nginx
        /// One of the workers of nginx. The master starts another.
        case nginxWorker
        /// The first process of PostgreSQL, which starts all others.
        case server
        /// The processes of the recorder's sessions. PostgreSQL then ends every session and recovers the database.
        case sessions
    }

    let tester: RecorderTester
    /// The server that has the store; nil when the store is a file.
    var server: PostgreSQLServer?

    /// Everything that can be killed here.
    var targets: [Target] {
        [.recorder, .nginx, .nginxWorker] + (server == nil ? [.power] : [.server, .sessions])
    }

    /// Returns the numbers of the processes to kill, in that order.
    func victims(_ target: Target, using generator: inout SeededGenerator) throws -> [Int32] {
        let victims: [Int32]
        switch target {
        case .recorder, .power: victims = [try tester.recorder.processID]
        case .nginx: victims = [try tester.tester.nginx.processID] + (try workers)
        case .nginxWorker: victims = try workers.randomElement(using: &generator).map { [$0] } ?? []
        case .server: victims = [server?.processID ?? 0].filter { $0 > 0 }
        case .sessions: victims = try server?.sessions() ?? []
        }
        guard !victims.isEmpty else { throw Complaint("there is no process to kill") }
        return victims
    }

    /// Waits until the killed processes are gone, and starts what nobody else starts again.
    func restore(_ target: Target, _ victims: [Int32]) throws {
        switch target {
        case .recorder, .power:
            _ = try tester.recorder.waitForExit()
            if target == .power { try dropUnsynchronized() }
            try tester.start()
        case .nginx:
            _ = try tester.tester.nginx.waitForExit()
            // A worker that lives holds the ports.
            guard Patience.wait(seconds: 30, { !victims.contains { ProcessTree.isAlive($0) } }) else {
                throw Complaint("a killed worker of nginx lives")
            }
            try tester.tester.startNginx()
        case .nginxWorker:
            let count = tester.tester.options.nginxWorkers
            let isComplete = Patience.wait(seconds: 30) {
                guard let workers = try? workers else { return false }
                return workers.count == count && Set(workers).isDisjoint(with: victims)
            }
            guard isComplete else { throw Complaint("nginx starts no other worker") }
        case .server:
            server?.stop(.kill)
            try server?.start()
        case .sessions: break
        }
    }

    private func dropUnsynchronized() throws {
        let folder = tester.tester.folder
        try Directory.removeFile(path: folder.path(of: "notifications.db-shm"))
        for name in ["notifications.db", "notifications.db-wal"] {
            try Directory.removeFile(path: folder.path(of: name))
            if let durable = try? folder.read("\(name).durable") {
                try folder.write(durable, to: name, permissions: 0o600)
            }
        }
    }

    /// The workers of nginx that run now.
    private var workers: [Int32] {
        get throws {
            ProcessTree.children(of: try tester.tester.nginx.processID).filter { ProcessTree.isAlive($0) }
        }
    }
}
