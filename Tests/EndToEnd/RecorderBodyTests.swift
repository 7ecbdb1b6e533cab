import HTTPLoad
import SQL
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Notifications that come badly")
    struct RecorderBodyTests {
        @Test("hold up no others while they come byte by byte, and are stored when they are complete")
        func slow() throws {
            try RecorderTester.run { recorder in
                let bodies = try (1...40).map { try recorder.body(UInt64($0)) }
                // Some have not sent their header yet, others only a part of the body.
                let slow = try bodies.enumerated().map { index, body in
                    let count = [10, SlowPost.headCount(body), SlowPost.headCount(body) + 2000][index % 3]
                    return try SlowPost(recorder.tester, body, sending: count)
                }
                for number in 101...120 as ClosedRange<UInt64> {
                    for post in slow { try post.send() }
                    #expect(recorder.post(try recorder.body(number))?.status == 200)
                }
                let others = (101...120).map { RecorderTester.uuid($0) }
                #expect(try recorder.rows() == others)
                for post in slow { #expect(try post.finish() == 200) }
                #expect(
                    try Set(recorder.rows()) == Set(others + (1...40).map { RecorderTester.uuid($0) })
                )
            }
        }

        @Test("leave nothing in the store when the connection ends before the body does")
        func aborted() throws {
            try RecorderTester.run { recorder in
                var number: UInt64 = 0
                for part in 0..<8 {
                    let body = try recorder.body(1000 + UInt64(part))
                    let all = SlowPost.headCount(body) + body.count
                    let count = [1, SlowPost.headCount(body), all / 2, all - 1][part % 4]
                    _ = try SlowPost(recorder.tester, body, sending: count)
                    number += 1
                    #expect(recorder.post(try recorder.body(number))?.status == 200)
                }
                #expect(try recorder.rows() == (1...number).map { RecorderTester.uuid($0) })
                #expect(recorder.answersPing)
            }
        }

        /// What makes each database refuse the notification number 5, and what ends that.
        private static let refusals: [String: (begin: SQLText, end: SQLText)] = [
            "SQLite": (
                """
                CREATE TRIGGER refused BEFORE INSERT ON notifications
                WHEN NEW.uuid = '3db5c98d-8acf-4e29-831e-000000000005'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """, "DROP TRIGGER refused"
            ),
            "PostgreSQL": (
                """
                ALTER TABLE notifications ADD CONSTRAINT refused
                CHECK (uuid <> '3db5c98d-8acf-4e29-831e-000000000005')
                """, "ALTER TABLE notifications DROP CONSTRAINT refused"
            ),
        ]

        @Test(
            "hold up no others when the database refuses a row, and are stored once it does not",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func refusedRow(system: String) throws {
            let store = try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            let refusal = try #require(Self.refusals[system])
            try RecorderTester.run(store: store) { recorder in
                #expect(recorder.post(try recorder.body(1000))?.status == 200)
                try recorder.connect().run(refusal.begin)
                // One of the senders sends this notification again and again, beside the others.
                let load = try NotificationLoad(recorder, senders: 8)
                try load.awaitAcknowledgements(200)
                #expect(!load.acknowledged.contains(5) && load.refusalCount > 0)
                #expect(try recorder.recorder.waitForLog("the store refuses a notification"))
                #expect(try !recorder.rows().contains(RecorderTester.uuid(5)))
                try recorder.connect().run(refusal.end)
                #expect(Patience.wait(seconds: 60) { load.acknowledged.contains(5) })
                #expect(load.finish())
                let rows = try recorder.rows()
                #expect(Set(rows).isSuperset(of: load.acknowledged.map { RecorderTester.uuid($0) }))
                #expect(Set(rows).count == rows.count)
            }
        }
    }
}
