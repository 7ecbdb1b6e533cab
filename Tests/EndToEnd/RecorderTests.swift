import AppStoreSimulator
import HTTPLoad
import NotificationStore
import SQL
import Support
import Synchronization
import System
import Testing

extension EndToEnd {
    @Suite("The recorder behind nginx")
    struct RecorderTests {
        @Test(
            "stores a notification that comes over TLS once, and answers 200", arguments: StoreSystem.allCases
        )
        func stored(system: StoreSystem) throws {
            try RecorderTester.run(store: system.makeStore()) { recorder in
                let trust = try TLSTrust(
                    authoritiesFile: recorder.tester.folder.path(of: "nginx/server.pem"),
                    serverName: "localhost")
                let request = RequestText.post(RecorderTester.path, try recorder.body(1))
                for _ in 0..<2 {
                    let answer = PlainAnswer.exchange(request, port: recorder.tester.tlsPort, tls: trust)
                    #expect(answer?.status == 200 && answer?.body == "")
                }
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        @Test("refuses what is too long, no POST, or version 1, and answers 503 while it is down")
        func requests() throws {
            try RecorderTester.run { recorder in
                for count in [(512 << 10) + 1, 700_000] {
                    let answer = recorder.post([UInt8](repeating: 0x20, count: count))
                    #expect(answer?.status == 413 && answer?.code == "body-too-large")
                }
                #expect(recorder.tester.get(RecorderTester.path)?.status == 405)
                let old = recorder.post(Array(#"{"notification_type":"CANCEL","unified_receipt":{}}"#.utf8))
                #expect(old?.status == 400 && old?.code == "notification-version-1")
                try recorder.kill()
                let answer = recorder.post(try recorder.body(1))
                #expect(answer?.status == 503 && answer?.code == "recorder-unavailable")
                try recorder.start()
                try recorder.expectStored(1...1)
                #expect(recorder.tester.get("/notifications-status")?.body.contains("store state") == true)
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        @Test(
            "and the pool pass no request above nginx's limit for one address, but all of Apple's",
            arguments: [false, true])
        func limit(isApple: Bool) throws {
            let changes = ["retentiond", "retentiond-notifications"].flatMap { name in
                [
                    ("\(name)-upstream.conf", "127.0.0.1/32 here;", ""),
                    ("\(name)-upstream.conf", "17.0.0.0/8 ", isApple ? "127.0.0.0/8 " : "17.0.0.0/8 "),
                    ("\(name)-upstream.conf", "rate=50r/s", "rate=1r/m"),
                    ("\(name).conf", "burst=100", "burst=2"),
                ].map { (file: $0.0, old: $0.1, new: $0.2) }
            }
            try RecorderTester.run(besidePool: true, nginxChanges: changes) { recorder in
                let tester = recorder.tester
                try TestRules.old.push(to: tester)
                try tester.startDaemon()
                let body = try tester.forge.body(tester.forge.payload)
                let expected = isApple ? [200, 200, 200, 200, 200] : [200, 200, 200, 429, 429]
                #expect((1...5).map { _ in tester.post(body)?.status } == expected)
                #expect(try (1...5).map { recorder.post(try recorder.body($0))?.status } == expected)
                #expect((tester.post(body)?.code == "address-limited") == !isApple)
                #expect(tester.get("/retention-ping")?.status == 200 && recorder.answersPing)
                #expect(try recorder.rows().count == (isApple ? 5 : 3))
            }
        }

        @Test("reloads, refuses a reload as a whole, and finishes what is in flight when it is told to stop")
        func signals() throws {
            try RecorderTester.run { recorder in
                let program = try Programs.recorder()
                let arguments = ["--allow-root", "--config", recorder.tester.configurationPath]
                let loaded = try Programs.run(program, arguments + ["--reload"])
                #expect(loaded.status == 0, "\(loaded.errors)")
                let good = String(decoding: try recorder.tester.folder.read("retentiond.json"), as: UTF8.self)
                try recorder.tester.folder.write(
                    good.replacing("anchor.pem", with: "no.pem"), to: "retentiond.json")
                let refused = try Programs.run(program, arguments + ["--reload"])
                #expect(refused.status != 0 && refused.errors.contains("anchor"), "\(refused.errors)")
                try recorder.expectStored(1000...1000)
                try recorder.tester.folder.write(good, to: "retentiond.json")
                let load = try NotificationLoad(recorder, senders: 4)
                try load.awaitAcknowledgements(20)
                try recorder.quit()
                try load.expectRows(in: recorder)
            }
        }

        @Test("goes on answering while signals come faster than it can reload")
        func signalFlood() throws {
            try RecorderTester.run { recorder in
                let process = try recorder.recorder
                let isOver = Mutex(false)
                let flood = try JoinableThread {
                    while !isOver.withLock({ $0 }) {
                        for signal in [Signal.hangup, .user1, .hangup, .child] {
                            try? process.send(signal)
                        }
                    }
                    return true
                }
                defer {
                    isOver.withLock { $0 = true }
                    _ = flood.join()
                }
                #expect(process.waitForLog("message=reloaded", count: 3))
                try recorder.expectStored(1...5)
                let before = process.logCount("message=reloaded")
                #expect(process.waitForLog("message=reloaded", count: before + 3))
                #expect(recorder.answersPing && !process.hasEnded)
            }
        }

        @Test(
            "lets notifications wait in the socket of systemd while it restarts, and loses nothing when it is killed",
            arguments: [Signal.quit, .kill])
        func restarts(signal: Signal) throws {
            try RecorderTester.run(inheritsSocket: true) { recorder in
                let senders = 4
                let load = try NotificationLoad(recorder, senders: senders)
                for _ in 0..<3 {
                    try load.awaitAcknowledgements(20)
                    if signal == .kill {
                        try recorder.kill()
                    } else {
                        try recorder.quit()
                        // Every sender waits for an answer that nobody can give.
                        #expect(Patience.wait(seconds: 10) { load.inFlight.count == senders })
                    }
                    try recorder.start()
                }
                try load.awaitAcknowledgements(20)
                try load.expectRows(in: recorder)
                // In a restart nothing was refused, left without an answer and sent again.
                #expect(signal == .kill || load.attemptCount == load.acknowledged.count)
            }
        }

        /// What makes each database refuse the notification number 5, and what ends that.
        private static let refusals: [StoreSystem: (begin: SQLText, end: SQLText)] = [
            .sqlite: (
                """
                CREATE TRIGGER refused BEFORE INSERT ON notifications
                WHEN NEW.uuid = '3db5c98d-8acf-4e29-831e-000000000005'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """, "DROP TRIGGER refused"
            ),
            .postgreSQL: (
                """
                ALTER TABLE notifications ADD CONSTRAINT refused
                CHECK (uuid <> '3db5c98d-8acf-4e29-831e-000000000005')
                """, "ALTER TABLE notifications DROP CONSTRAINT refused"
            ),
        ]

        @Test("lets a row that the database refuses hold up no others", arguments: StoreSystem.allCases)
        func refusedRow(system: StoreSystem) throws {
            let refusal = try #require(Self.refusals[system])
            try RecorderTester.run(store: system.makeStore()) { recorder in
                try recorder.expectStored(1000...1000)
                try recorder.connect().run(refusal.begin)
                // One of the senders sends this notification again and again, beside the others.
                let load = try NotificationLoad(recorder, senders: 8)
                try load.awaitAcknowledgements(200)
                #expect(!load.acknowledged.contains(5) && load.refusalCount > 0)
                #expect(try recorder.recorder.waitForLog("the store refuses a notification"))
                #expect(try !recorder.rows().contains(RecorderTester.uuid(5)) && recorder.answersPing)
                try recorder.connect().run(refusal.end)
                #expect(Patience.wait(seconds: 60) { load.acknowledged.contains(5) })
                try load.expectRows(in: recorder)
            }
        }

        @Test("goes on beside an erasure with --compact, which leaves no trace of the subscriber")
        func erasure() throws {
            let subscriber: Int64 = 2_000_000_777_001
            try RecorderTester.run { recorder in
                let forge = recorder.tester.forge
                var sample = forge.subscription
                sample.originalTransactionId = subscriber
                let bodies = try (0..<6).map { number in
                    sample.period = Int64(number + 1)
                    let notification = try forge.notification(
                        "DID_RENEW", nil, of: sample, number: 1 << 40 | UInt64(number))
                    return try forge.body(notification)
                }
                let identifiers =
                    (0..<6).map { String(subscriber + $0) }
                    + (0..<6).map { RecorderTester.uuid(1 << 40 | $0) }
                func found() -> [String] {
                    let bytes = ["", "-wal", "-shm", "-journal"].flatMap {
                        (try? recorder.tester.folder.read("notifications.db\($0)")) ?? []
                    }
                    return identifiers.filter { RawIdentifier.occurs($0, in: bytes) }
                }
                for body in bodies { #expect(recorder.post(body)?.status == 200) }
                let load = try NotificationLoad(recorder, senders: 4)
                try load.awaitAcknowledgements(200)
                #expect(found().contains(String(subscriber)))
                let words = [
                    "store", "erase", "--compact", "--confirm", "--subscriber", "\(subscriber)", "--store",
                    recorder.store.description,
                ]
                let erase = try Programs.run(Programs.tool(), words)
                #expect(erase.status == 0, "\(erase.errors)")
                try load.awaitAcknowledgements(100)
                #expect(found() == [])
                // Apple's retries are acknowledged and dropped.
                for body in bodies { #expect(recorder.post(body)?.status == 200) }
                let metrics = recorder.tester.get("/notifications-metrics")?.body ?? ""
                #expect(metrics.contains(#"{type="DID_RENEW",outcome="tombstoned"} 6"#), "\(metrics)")
                try load.expectRows(in: recorder)
                try recorder.quit()
                #expect(found() == [])
            }
        }
    }
}
