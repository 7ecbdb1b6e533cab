import HTTPLoad
import NotificationStore
import SQL
import Support
import System
import Testing

extension EndToEnd {
    @Suite("A recorder whose store fails")
    struct RecorderStoreTests {
        /// Runs `body` with a small disk, which `remount` changes.
        private static func withDisk(
            _ options: String, _ body: (_ path: String, _ remount: (String) throws -> Void) throws -> Void
        ) throws {
            try #require(Credentials.isPrivileged, "only root may mount a disk: run this test as root")
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("disk")
            let disk = folder.path(of: "disk")
            func mount(_ words: [String]) throws {
                let run = try Programs.run("mount", words + [disk])
                try #require(run.status == 0, "\(run.errors)")
            }
            try mount(["-t", "tmpfs", "-o", options, "tmpfs"])
            defer { _ = try? Programs.run("umount", ["-l", disk]) }
            try body(disk) { try mount(["-o", "remount,\($0)"]) }
        }

        @Test(
            "answers 503 while the disk is full, keeps what it acknowledged, and goes on when there is room")
        func fullDisk() throws {
            try Self.withDisk("size=1500k") { disk, remount in
                try RecorderTester.run(store: "sqlite:\(disk)/store.db") { recorder in
                    var taken: [UInt64] = []
                    var refused: [UInt64] = []
                    // After a refusal there may be room for a smaller row.
                    for number in 1...2000 as ClosedRange<UInt64> where refused.count < 20 {
                        let isTaken = recorder.post(try recorder.body(number))?.status == 200
                        if isTaken { taken.append(number) } else { refused.append(number) }
                    }
                    #expect(try recorder.recorder.waitForLog("code=sql.full"))
                    try recorder.expectUnavailable(refused[0])
                    #expect(!recorder.answersPing)
                    try remount("size=16m")
                    #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                    #expect(try recorder.rows() == taken.map { RecorderTester.uuid($0) })
                    try recorder.expectStored(refused[0]...refused[0])
                    #expect(try recorder.rows() == (taken + [refused[0]]).map { RecorderTester.uuid($0) })
                }
            }
        }

        @Test(
            "starts on a read-only disk or in a folder that is not there, answers 503, and goes on afterwards"
        )
        func noStore() throws {
            try Self.withDisk("size=16m,ro") { disk, remount in
                for place in [disk, disk + "/later"] {
                    try RecorderTester.run(store: "sqlite:\(place)/store.db", starts: false) { recorder in
                        try recorder.start(waits: false)
                        #expect(try recorder.recorder.waitForLog("takes no notifications"))
                        try recorder.expectUnavailable(1)
                        try remount("rw")
                        if place != disk { try Directory.make(path: place, permissions: 0o700) }
                        #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                        try recorder.expectStored(1...1)
                        #expect(try recorder.rows() == [RecorderTester.uuid(1)])
                    }
                }
            }
        }

        @Test(
            "answers 503 while another program locks the store, at the deadline at the latest, and goes on afterwards"
        )
        func locked() throws {
            for (settings, code) in [
                ("", "store-unavailable"), (#", "deadlineMilliseconds": 300"#, "deadline-passed"),
            ] {
                try RecorderTester.run(settings: settings) { recorder in
                    try recorder.expectStored(1...1)
                    let lock = try recorder.connect()
                    _ = try lock.query("BEGIN IMMEDIATE")
                    let answer = recorder.post(try recorder.body(2))
                    #expect(answer?.status == 503 && answer?.code == code, "\(String(describing: answer))")
                    _ = try lock.query("ROLLBACK")
                    try recorder.expectStored(2...2)
                    #expect(try recorder.rows() == [RecorderTester.uuid(1), RecorderTester.uuid(2)])
                }
            }
        }

        /// What is done to a file of SQLite, by the code with which the recorder refuses the file then.
        private static let damages: [(code: String, damage: @Sendable (inout [UInt8]) -> Void)] = [
            ("sql.corrupt", { bytes in for place in 4096..<bytes.count { bytes[place] = 0xAA } }),
            ("sql.not-a-database", { bytes in for place in 0..<100 { bytes[place] = 0 } }),
            ("store.foreign", { $0 = Array("this is somebody's file, and it has to stay as it is".utf8) }),
        ]

        @Test(
            "changes nothing in a file that it cannot use, answers 503, and says why",
            arguments: damages.indices)
        func refusedFile(index: Int) throws {
            let (code, damage) = Self.damages[index]
            try RecorderTester.run { recorder in
                try recorder.expectStored(1...1)
                try recorder.quit()
                // SQLite reads a page from the log as long as the log has it.
                try recorder.connect().run("PRAGMA wal_checkpoint(TRUNCATE)")
                let folder = recorder.tester.folder
                var bytes = try folder.read("notifications.db")
                damage(&bytes)
                try folder.write(bytes, to: "notifications.db")
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=\(code)"))
                try recorder.expectUnavailable(2)
                try recorder.kill()
                #expect(try folder.read("notifications.db") == bytes)
            }
        }

        @Test(
            "answers 503 when the log of SQLite or its index is gone, has all that it acknowledged, and goes on",
            arguments: [["-wal"], ["-shm"]])
        func deletedLog(suffixes: [String]) throws {
            try RecorderTester.run { recorder in
                let path = recorder.tester.folder.path(of: "notifications.db")
                func delete() throws {
                    for suffix in suffixes { try Directory.removeFile(path: path + suffix) }
                }
                try recorder.expectStored(1...5)
                try delete()
                try recorder.expectUnavailable(6)
                #expect(try recorder.recorder.waitForLog("code=store.log-deleted"))
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                try recorder.expectStored(6...8)
                // Nor is anything lost by a stop right afterwards.
                try delete()
                try recorder.quit()
                #expect(try recorder.rows() == (1...8).map { RecorderTester.uuid($0) })
            }
        }

        @Test("serves no backup that was copied beside the log of a killed recorder, until it is restored")
        func copiedBackup() throws {
            try RecorderTester.run { recorder in
                let folder = recorder.tester.folder
                let path = folder.path(of: "notifications.db")
                try recorder.expectStored(1...30)
                do {
                    let store = try NotificationStore(recorder.store, StoreOptions(access: .read))
                    try store.backup(to: folder.path(of: "backup.db"))
                }
                try recorder.expectStored(31...60)
                _ = try recorder.connect().query("PRAGMA wal_checkpoint(RESTART)")
                try recorder.expectStored(61...70)
                try recorder.kill()
                // The negative control: after a kill alone, everything is there, and nothing is refused.
                try recorder.start()
                try recorder.expectStored(71...72)
                try recorder.kill()
                let bytes = try folder.read("backup.db")
                try folder.write(bytes, to: "notifications.db")
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=store.foreign-log"))
                try recorder.expectUnavailable(73)
                try recorder.kill()
                #expect(try folder.read("notifications.db") == bytes)
                let words = [
                    "store", "restore", "--confirm", folder.path(of: "backup.db"), "--store",
                    "sqlite:\(path)",
                ]
                let restore = try Programs.run(Programs.tool(), words)
                #expect(restore.status == 0, "\(restore)")
                try recorder.start()
                let refused = try Programs.run(Programs.tool(), words)
                #expect(refused.status != 0 && refused.errors.contains("store.in-use"), "\(refused)")
                try recorder.expectStored(73...73)
                #expect(try recorder.rows() == (Array(1...30) + [73]).map { RecorderTester.uuid($0) })
            }
        }

        @Test(
            "changes nothing in a database of PostgreSQL that it cannot use, answers 503, and goes on once it is mended"
        )
        func refusedDatabase() throws {
            let server = try PostgreSQLServer.shared()
            let address = try server.makeSchema()
            let schema = address.split(separator: "%3D").last ?? ""
            func run(_ sql: String) throws -> String {
                try server.command("SET search_path = \(schema); \(sql)", database: "postgres")
            }
            _ = try run("CREATE ROLE careful LOGIN; GRANT ALL ON SCHEMA \(schema) TO careful")
            let newer = "INSERT INTO store_migrations (version, compatible_from, applied_at, program)"
            let damages = [
                (
                    "store.newer", "\(newer) VALUES (1000, 1000, 0, '')",
                    "DELETE FROM store_migrations WHERE version = 1000"
                ),
                (
                    "store.read-only-server", "ALTER ROLE careful SET default_transaction_read_only = on",
                    "ALTER ROLE careful RESET default_transaction_read_only"
                ),
            ]
            let content = """
                SELECT md5(string_agg(CAST(c AS TEXT), '')) FROM (SELECT relname, relkind, relfilenode, relnatts FROM pg_class
                WHERE relnamespace = CAST(current_schema() AS regnamespace) ORDER BY oid) AS c;
                SELECT md5(string_agg(CAST(n AS TEXT), '')) FROM notifications AS n
                """
            try RecorderTester.run(store: address.replacing("user=retention", with: "user=careful")) {
                recorder in
                try recorder.expectStored(1...1)
                for (number, (code, damage, mended)) in zip((2 as UInt64)..., damages) {
                    try recorder.kill()
                    _ = try run(damage)
                    let before = try run(content)
                    try recorder.start(waits: false)
                    #expect(try recorder.recorder.waitForLog("code=\(code)"))
                    try recorder.expectUnavailable(number)
                    #expect(try run(content) == before, "\(code)")
                    _ = try run(mended)
                    #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                    try recorder.expectStored(number...number)
                }
                #expect(try recorder.rows() == (1...3).map { RecorderTester.uuid($0) })
            }
        }

        @Test(
            "answers 503 while the server of PostgreSQL is stopped, also at a start, and goes on afterwards")
        func stoppedServer() throws {
            let server = try PostgreSQLServer()
            try RecorderTester.run(store: server.makeSchema()) { recorder in
                try recorder.expectStored(1...1)
                server.stop(.interrupt)
                try recorder.expectUnavailable(2)
                #expect(!recorder.answersPing)
                try server.start()
                try recorder.expectStored(2...2)
                try recorder.quit()
                server.stop(.interrupt)
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=sql.unreachable"))
                try recorder.expectUnavailable(3)
                try server.start()
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                try recorder.expectStored(3...3)
                #expect(try recorder.rows() == (1...3).map { RecorderTester.uuid($0) })
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
            try RecorderTester.run(store: "postgresql:///postgres?host=\(place.path)&\(options)") {
                recorder in
                try recorder.expectStored(1...1)
                try standby.awaitPosition(of: primary)
                let setting = "ALTER SYSTEM SET default_transaction_read_only = on"
                try primary.command(setting, database: "postgres")
                try primary.command("SELECT pg_reload_conf()", database: "postgres")
                #expect(Patience.wait(seconds: 30) { !recorder.answersPing })
                try recorder.expectUnavailable(2)
                try standby.command("SELECT pg_promote()", database: "postgres")
                try lead(to: standby)
                try recorder.expectStored(2...2)
                // A server that is told to end says so to its sessions, and is there again at once.
                standby.stop(.interrupt)
                try standby.start()
                try recorder.expectStored(3...3)
                #expect(try recorder.rows() == (1...3).map { RecorderTester.uuid($0) })
            }
        }
    }
}
