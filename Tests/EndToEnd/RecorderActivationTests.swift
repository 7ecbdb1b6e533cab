import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("A recorder with the socket of systemd")
    struct RecorderActivationTests {
        @Test("lets notifications wait in the socket while it restarts, and answers each with 200")
        func restarts() throws {
            try RecorderTester.run(inheritsSocket: true) { recorder in
                let senders = 4
                let load = try NotificationLoad(recorder, senders: senders)
                for _ in 0..<3 {
                    try load.awaitAcknowledgements(20)
                    let process = try recorder.recorder
                    try process.send(.quit)
                    #expect(process.waitForExit() == .exited(0))
                    // Every sender waits for an answer that nobody can give.
                    #expect(Patience.wait(seconds: 10) { load.inFlight.count == senders })
                    let waiting = load.inFlight
                    Patience.pause(milliseconds: 100)
                    #expect(load.inFlight == waiting)
                    try recorder.start()
                }
                try load.awaitAcknowledgements(20)
                // Nothing was refused, left without an answer and sent again.
                #expect(load.finish() && load.attemptCount == load.acknowledged.count)
                #expect(
                    try recorder.rows().sorted() == load.acknowledged.map { RecorderTester.uuid($0) }.sorted()
                )
            }
        }

        @Test("loses nothing when it is killed")
        func kills() throws {
            try RecorderTester.run(inheritsSocket: true) { recorder in
                let load = try NotificationLoad(recorder, senders: 4)
                for _ in 0..<3 {
                    try load.awaitAcknowledgements(20)
                    #expect(Patience.wait(seconds: 10) { !load.inFlight.isEmpty })
                    try recorder.kill()
                    try recorder.start()
                }
                try load.awaitAcknowledgements(20)
                #expect(load.finish())
                let rows = try recorder.rows()
                #expect(Set(rows).count == rows.count)
                #expect(Set(rows).isSuperset(of: load.acknowledged.map { RecorderTester.uuid($0) }))
            }
        }

        @Test("stores no notification above the limit for one address, which nginx answers with 503")
        func limit() throws {
            let changes = [
                ("retentiond-notifications-upstream.conf", "#limit_req_zone", "limit_req_zone"),
                ("retentiond-notifications-upstream.conf", "rate=500r/s", "rate=1r/m"),
                ("retentiond-notifications.conf", "#limit_req ", "limit_req "),
                ("retentiond-notifications.conf", "burst=1000", "burst=2"),
            ].map { (file: $0.0, old: $0.1, new: $0.2) }
            try RecorderTester.run(nginxChanges: changes) { recorder in
                let statuses = try (1...5).map { recorder.post(try recorder.body($0))?.status }
                #expect(statuses == [200, 200, 200, 503, 503])
                #expect(try recorder.rows().count == 3 && recorder.answersPing)
            }
        }
    }
}
