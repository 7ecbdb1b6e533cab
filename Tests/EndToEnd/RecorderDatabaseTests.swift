import HTTPLoad
import SQL
import Support
import System
import Testing

extension EndToEnd {
    @Suite("A recorder whose PostgreSQL database is full, damaged or another one")
    struct RecorderDatabaseTests {
        /// The name of the schema in an address of ``PostgreSQLServer/makeSchema()``.
        private static func schema(of address: String) -> String {
            String(address.split(separator: "%3D").last ?? "")
        }

        /// Expects that a notification is answered with 503, and that a health check says the same.
        private func expectUnavailable(_ recorder: RecorderTester, _ number: UInt64) throws {
            let answer = recorder.post(try recorder.body(number))
            #expect(
                answer?.status == 503 && answer?.code == "store-unavailable", "\(String(describing: answer))")
            #expect(recorder.tester.get("/notifications-ping")?.status == 503)
        }

        /// What somebody has done to a database, the code with which the recorder refuses it, and what mends it.
        private struct Damage {
            let code: String
            let done: String
            let mended: String
        }

        private static let damages = [
            Damage(
                code: "store.foreign",
                done: """
                    ALTER TABLE store_migrations RENAME TO aside; CREATE TABLE store_migrations (version TEXT);
                    INSERT INTO store_migrations VALUES ('theirs'); GRANT SELECT ON store_migrations TO careful
                    """,
                mended: "DROP TABLE store_migrations; ALTER TABLE aside RENAME TO store_migrations"
            ),
            Damage(
                code: "store.newer",
                done: """
                    INSERT INTO store_migrations (version, compatible_from, applied_at, program)
                    VALUES (1000, 1000, 0, '')
                    """,
                mended: "DELETE FROM store_migrations WHERE version = 1000"
            ),
            Damage(
                code: "store.schema-differs", done: "ALTER TABLE renewals RENAME COLUMN product_id TO theirs",
                mended: "ALTER TABLE renewals RENAME COLUMN theirs TO product_id"),
            Damage(
                code: "store.read-only-server",
                done: "ALTER ROLE careful SET default_transaction_read_only = on",
                mended: "ALTER ROLE careful RESET default_transaction_read_only"),
        ]

        /// Reads everything that a recorder might have changed.
        private static let content = """
            SELECT md5(string_agg(CAST(c AS TEXT), '')) FROM (SELECT relname, relkind, relfilenode, relnatts FROM pg_class
            WHERE relnamespace = CAST(current_schema() AS regnamespace) ORDER BY oid) AS c;
            SELECT md5(string_agg(CAST(n AS TEXT), '')) FROM notifications AS n;
            SELECT md5(string_agg(CAST(m AS TEXT), '')) FROM store_migrations AS m
            """

        @Test(
            "changes nothing in a database that it cannot use, answers 503, says why, and goes on once it is mended"
        )
        func refused() throws {
            let server = try PostgreSQLServer.shared()
            let address = try server.makeSchema()
            let schema = Self.schema(of: address)
            func run(_ sql: String) throws -> String {
                try server.command("SET search_path = \(schema); \(sql)", database: "postgres")
            }
            try server.command(
                "CREATE ROLE careful LOGIN; GRANT ALL ON SCHEMA \(schema) TO careful", database: "postgres")
            let store = address.replacing("user=retention", with: "user=careful")
            try RecorderTester.run(store: store) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                try recorder.kill()
                _ = try run(Self.damages[0].done)
                try recorder.start(waits: false)
                for (number, damage) in Self.damages.enumerated() {
                    let before = try run(Self.content)
                    let isLogged = try recorder.recorder.waitForLog("code=\(damage.code)")
                    #expect(isLogged, "\(damage.code)")
                    try expectUnavailable(recorder, 2)
                    #expect(try run(Self.content) == before, "\(damage.code)")
                    // In one transaction: the recorder tries again and again, and finds the next damage.
                    let next = number + 1 < Self.damages.count ? Self.damages[number + 1].done : ""
                    _ = try run("\(damage.mended); \(next)")
                }
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                #expect(recorder.post(try recorder.body(2))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1), RecorderTester.uuid(2)])
            }
        }

        @Test(
            "answers 503 while the disk of the tables is full, keeps what it acknowledged, and goes on when there is room"
        )
        func fullDisk() throws {
            try #require(Credentials.isPrivileged, "only root may mount a small disk: run this test as root")
            let server = try PostgreSQLServer.shared()
            let disk = try server.makeFolder("small")
            let owner = try FileStatus(path: disk)
            let size = "size=1500k,mode=700,uid=\(owner.userID),gid=\(owner.groupID)"
            let run = try Programs.run("mount", ["-t", "tmpfs", "-o", size, "tmpfs", disk])
            try #require(run.status == 0, "\(run.errors)")
            defer { _ = try? Programs.run("umount", ["-l", disk]) }
            try server.command("CREATE TABLESPACE small LOCATION '\(disk)'", database: "postgres")
            let address = try server.makeSchema()
            try RecorderTester.run(store: address + "%20-cdefault_tablespace%3Dsmall") { recorder in
                var number: UInt64 = 1
                var refusals = 0
                // After a refusal there may be room for a smaller row.
                while refusals < 10, number < 2000 {
                    let isTaken = recorder.post(try recorder.body(number))?.status == 200
                    refusals = isTaken ? 0 : refusals + 1
                    number += isTaken ? 1 : 0
                }
                #expect(number > 10 && refusals == 10)
                try expectUnavailable(recorder, number)
                #expect(try recorder.recorder.waitForLog("code=sql.full"))
                let more = try Programs.run("mount", ["-o", "remount,size=16m", disk])
                #expect(more.status == 0, "\(more.errors)")
                #expect(recorder.post(try recorder.body(number))?.status == 200)
                #expect(try recorder.rows() == (1...number).map { RecorderTester.uuid($0) })
            }
            // The server must not miss the disk.
            try server.command("DROP SCHEMA \(Self.schema(of: address)) CASCADE", database: "postgres")
            try server.command("DROP TABLESPACE small", database: "postgres")
        }

        @Test(
            "answers 503 while an index is damaged, writes nothing into it, and goes on once it is made anew"
        )
        func damagedIndex() throws {
            let server = try PostgreSQLServer()
            let store = try server.makeSchema()
            let schema = Self.schema(of: store)
            try RecorderTester.run(store: store) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                let search = "SELECT pg_relation_filepath('\(schema).notifications_identity')"
                let name = try server.command(search, database: "postgres").split(separator: "\n")[0]
                // After a clean stop the server reads every page from the file.
                server.stop(.interrupt)
                let path = server.dataPath(of: String(name))
                var bytes = try SourceFile.read(path)
                let root = 8192..<16_384
                for place in root { bytes[place] = 0xAA }
                let owner = try FileStatus(path: path)
                let file = try FileDescriptor.create(path: path + ".damaged", permissions: 0o600)
                try file.write(bytes.span)
                try file.close()
                try Directory.give(path: path + ".damaged", toUser: owner.userID, group: owner.groupID)
                try Directory.rename(path + ".damaged", to: path)
                try server.start()
                #expect(
                    Patience.wait(seconds: 30) { recorder.post((try? recorder.body(2)) ?? [])?.status == 503 }
                )
                #expect(try recorder.recorder.waitForLog("code=sql.corrupt"))
                try expectUnavailable(recorder, 3)
                try server.command("CHECKPOINT", database: "postgres")
                #expect(try SourceFile.read(path) == bytes)
                try server.command("REINDEX INDEX \(schema).notifications_identity", database: "postgres")
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                for number in 2...3 as ClosedRange<UInt64> {
                    #expect(recorder.post(try recorder.body(number))?.status == 200)
                }
                #expect(try Set(recorder.rows()) == Set((1...3).map { RecorderTester.uuid($0) }))
                #expect(try recorder.rows().count == 3)
            }
        }
    }
}
