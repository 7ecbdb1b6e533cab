import HTTPLoad
import SQL
import Support
import Synchronization
import System
import Testing

extension EndToEnd {
    @Suite("A recorder whose PostgreSQL server fails")
    struct RecorderServerTests {
        private func expectUnavailable(_ recorder: RecorderTester, _ number: UInt64) throws {
            let answer = recorder.post(try recorder.body(number))
            #expect(
                answer?.status == 503 && answer?.code == "store-unavailable", "\(String(describing: answer))")
        }

        @Test("answers 503 while the server is stopped, and goes on after its restart")
        func restarted() throws {
            let server = try PostgreSQLServer()
            try RecorderTester.run(store: server.makeSchema()) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                server.stop(.interrupt)
                try expectUnavailable(recorder, 2)
                #expect(recorder.tester.get("/notifications-ping")?.status == 503)
                let log = recorder.log
                #expect(log.contains("code=sql.connection-lost") || log.contains("code=sql.unreachable"))
                try server.start()
                #expect(recorder.post(try recorder.body(2))?.status == 200)
                #expect(recorder.answersPing)
                #expect(try recorder.rows() == [RecorderTester.uuid(1), RecorderTester.uuid(2)])
            }
        }

        @Test("goes on with the server that took the place of an old one, which takes no changes any more")
        func failover() throws {
            let primary = try PostgreSQLServer()
            let schema = try primary.makeSchema().split(separator: "%3D").last ?? ""
            let standby = try PostgreSQLServer(following: primary)
            // The address is a link: who connects anew comes to another server, while open sessions stay where they are.
            let place = try TemporaryDirectory()
            let socket = ".s.PGSQL.5432"
            func lead(to server: PostgreSQLServer) throws {
                let link = ["-sfn", "\(server.socketFolder)/\(socket)", place.path(of: socket)]
                #expect(try Programs.run("ln", link).status == 0)
            }
            try lead(to: primary)
            let options = "user=retention&options=-csearch_path%3D\(schema)"
            let store = "postgresql:///postgres?host=\(place.path)&\(options)"
            try RecorderTester.run(store: store) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                try standby.awaitPosition(of: primary)
                let setting = "ALTER SYSTEM SET default_transaction_read_only = on"
                try primary.command(setting, database: "postgres")
                try primary.command("SELECT pg_reload_conf()", database: "postgres")
                #expect(
                    Patience.wait(seconds: 30) { recorder.tester.get("/notifications-ping")?.status == 503 }
                )
                try expectUnavailable(recorder, 2)
                try standby.command("SELECT pg_promote()", database: "postgres")
                try lead(to: standby)
                #expect(recorder.post(try recorder.body(2))?.status == 200)
                // A server that is told to end says so to its sessions, and is there again at once.
                standby.stop(.interrupt)
                try standby.start()
                #expect(recorder.post(try recorder.body(3))?.status == 200)
                #expect(try recorder.rows() == (1...3).map { RecorderTester.uuid($0) })
            }
        }

        @Test("starts while the server cannot be reached, and takes notifications once it can")
        func unreachable() throws {
            let server = try PostgreSQLServer()
            let store = try server.makeSchema()
            server.stop(.interrupt)
            try RecorderTester.run(store: store, starts: false) { recorder in
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=sql.unreachable"))
                try expectUnavailable(recorder, 1)
                try server.start()
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        @Test("answers 503 while the server has no connection left, and takes notifications once it has")
        func crowded() throws {
            // Three connections are for superusers, and the recorder's role is none.
            let server = try PostgreSQLServer(settings: [
                "max_connections=5", "superuser_reserved_connections=3",
            ])
            let store = try server.makeSchema()
            try server.command(
                "CREATE ROLE recorder LOGIN; GRANT ALL ON SCHEMA test1 TO recorder", database: "postgres")
            let address = store.replacing("user=retention", with: "user=recorder")
            var others: [PostgreSQLConnection] = []
            for _ in 0..<2 { others.append(try PostgreSQLConnection(address: address)) }
            try RecorderTester.run(store: address, starts: false) { recorder in
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=sql.too-many-connections"))
                try expectUnavailable(recorder, 1)
                others = []
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        @Test("stays in rotation while the server refuses one row")
        func refusedRow() throws {
            try RecorderTester.run(store: PostgreSQLServer.shared().makeSchema()) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                let connection = try recorder.connect()
                try connection.run(
                    """
                    CREATE FUNCTION refusing() RETURNS TRIGGER LANGUAGE plpgsql AS
                    'BEGIN RAISE EXCEPTION ''no'' USING ERRCODE = ''42501''; END'
                    """
                )
                try connection.run(
                    """
                    CREATE TRIGGER refusing BEFORE INSERT ON notifications FOR EACH ROW
                    WHEN (NEW.uuid = '3db5c98d-8acf-4e29-831e-000000000005') EXECUTE FUNCTION refusing()
                    """
                )
                for _ in 0..<3 {
                    try expectUnavailable(recorder, 5)
                    #expect(recorder.answersPing)
                }
                #expect(try recorder.recorder.waitForLog("code=store.row-refused"))
                #expect(!recorder.log.contains("the store takes no notifications"))
                try connection.run("DROP TRIGGER refusing ON notifications")
                #expect(recorder.post(try recorder.body(5))?.status == 200)
            }
        }

        @Test("answers 200 to a commit whose answer was lost, when it finds the rows")
        func lostAnswer() throws {
            let server = try PostgreSQLServer()
            try RecorderTester.run(store: server.makeSchema()) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                try server.makeCommitsWait()
                let body = try recorder.body(2)
                let sender = try JoinableThread { recorder.post(body)?.status }
                var session = ""
                let isWaiting = Patience.wait(seconds: 30) {
                    let search = PostgreSQLServer.waitingCommits
                    session = (try? server.command(search, database: "postgres")) ?? ""
                    return !session.isEmpty
                }
                try #require(isWaiting)
                try server.endWaitingCommit(of: session.split(separator: "\n")[0])
                #expect(sender.join() == .some(200))
                #expect(try recorder.rows() == [RecorderTester.uuid(1), RecorderTester.uuid(2)])
            }
        }
    }
}
