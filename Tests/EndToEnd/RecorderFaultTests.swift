import HTTPLoad
import SQL
import Support
import System
import Testing

extension EndToEnd {
    @Suite("A recorder whose store fails")
    struct RecorderFaultTests {
        /// Posts notifications from `first` on until one is not acknowledged. Returns its number and the answer's body.
        private func postUntilRefused(_ recorder: RecorderTester, from first: UInt64) throws -> (
            number: UInt64, body: String
        ) {
            for number in first..<first + 2000 {
                let answer = try #require(recorder.post(recorder.body(number)))
                guard answer.status != 200 else { continue }
                #expect(answer.status == 503)
                return (number, answer.body)
            }
            throw Complaint("every notification was acknowledged")
        }

        @Test(
            "answers 503 while the disk is full, keeps what it acknowledged, and goes on when there is room"
        )
        func fullDisk() throws {
            try #require(Credentials.isPrivileged, "only root may mount a small disk: run this test as root")
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("disk")
            let disk = folder.path(of: "disk")
            let run = try Programs.run("mount", ["-t", "tmpfs", "-o", "size=1500k", "tmpfs", disk])
            try #require(run.status == 0, "\(run.errors)")
            defer { _ = try? Programs.run("umount", ["-l", disk]) }
            try RecorderTester.run(store: "sqlite:\(disk)/store.db") { recorder in
                let refused = try postUntilRefused(recorder, from: 1)
                #expect(refused.body.contains("store-unavailable"))
                #expect(try recorder.recorder.waitForLog("code=sql.full"))
                #expect(recorder.tester.get("/notifications-ping")?.status == 503)
                // After a refusal there may be room for a smaller row.
                var taken = Array(1..<refused.number)
                let further = refused.number + 1..<refused.number + 20
                taken += try further.filter { recorder.post(try recorder.body($0))?.status == 200 }
                let more = try Programs.run("mount", ["-o", "remount,size=16m", disk])
                #expect(more.status == 0, "\(more.errors)")
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                // What was answered with 503 is in the store only if the counts say so.
                let status = recorder.tester.get("/notifications-status?json")?.body ?? ""
                #expect(status.contains(#""late commits":0"#), "\(status)")
                #expect(try recorder.rows() == taken.map { RecorderTester.uuid($0) })
                #expect(recorder.post(try recorder.body(refused.number))?.status == 200)
                #expect(try recorder.rows() == (taken + [refused.number]).map { RecorderTester.uuid($0) })
            }
        }

        @Test("answers 503 while the disk is read-only, and goes on afterwards")
        func readOnlyDisk() throws {
            try #require(Credentials.isPrivileged, "only root may mount a disk: run this test as root")
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("disk")
            let disk = folder.path(of: "disk")
            let run = try Programs.run("mount", ["-t", "tmpfs", "-o", "size=16m,ro", "tmpfs", disk])
            try #require(run.status == 0, "\(run.errors)")
            defer { _ = try? Programs.run("umount", ["-l", disk]) }
            try RecorderTester.run(store: "sqlite:\(disk)/store.db", starts: false) { recorder in
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("takes no notifications"))
                let answer = recorder.post(try recorder.body(1))
                #expect(answer?.status == 503 && answer?.body.contains("store-unavailable") == true)
                let more = try Programs.run("mount", ["-o", "remount,rw", disk])
                #expect(more.status == 0, "\(more.errors)")
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        @Test(
            "names the directory that is missing, in a test before the start and while it runs",
            arguments: [true, false]
        )
        func missingDirectory(isGoneBefore: Bool) throws {
            let folder = try TemporaryDirectory()
            let directory = folder.path(of: "stores")
            if !isGoneBefore { try folder.makeDirectory("stores") }
            try RecorderTester.run(store: "sqlite:\(directory)/store.db", starts: !isGoneBefore) { recorder in
                if !isGoneBefore {
                    #expect(recorder.post(try recorder.body(1))?.status == 200)
                    #expect(try Programs.run("rm", ["-r", directory]).status == 0)
                }
                func test() throws -> (status: Int32, errors: String) {
                    let arguments = ["-t", "--allow-root", "--config", recorder.tester.configurationPath]
                    let run = try Programs.run(try Programs.recorder(), arguments)
                    return (run.status, run.errors)
                }
                let refused = try test()
                #expect(refused.status == 1 && refused.errors.contains(directory), "\(refused.errors)")
                if isGoneBefore { try recorder.start(waits: false) }
                #expect(recorder.post(try recorder.body(2))?.status == 503)
                #expect(try recorder.recorder.waitForLog("the directory \(directory): "))
                try folder.makeDirectory("stores")
                let accepted = try test()
                #expect(accepted.status == 0 && accepted.errors.contains("the start makes one"))
                if isGoneBefore {
                    #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                    #expect(recorder.post(try recorder.body(2))?.status == 200)
                }
            }
        }

        @Test("answers 503 to what a trigger drops without an error, and goes on afterwards")
        func dropped() throws {
            try RecorderTester.run { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                let connection = try recorder.connect()
                try connection.run(
                    "CREATE TRIGGER dropping BEFORE INSERT ON notifications BEGIN SELECT RAISE(IGNORE); END"
                )
                #expect(recorder.post(try recorder.body(2))?.status == 503)
                #expect(try recorder.recorder.waitForLog("a trigger or a rule of the table notifications"))
                try connection.run("DROP TRIGGER dropping")
                #expect(recorder.post(try recorder.body(2))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1), RecorderTester.uuid(2)])
            }
        }

        @Test("answers 503 while another program locks the store, and goes on afterwards")
        func locked() throws {
            try RecorderTester.run { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                let lock = try SQLiteConnectionLock(path: recorder.tester.folder.path(of: "notifications.db"))
                let answer = recorder.post(try recorder.body(2))
                #expect(answer?.status == 503 && answer?.body.contains("store-unavailable") == true)
                #expect(try recorder.recorder.waitForLog("code=sql.busy"))
                try lock.release()
                #expect(recorder.post(try recorder.body(2))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1), RecorderTester.uuid(2)])
            }
        }

        @Test("answers 503 at the deadline while the commit hangs")
        func deadline() throws {
            try RecorderTester.run(settings: #", "deadlineMilliseconds": 300"#) { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                let lock = try SQLiteConnectionLock(path: recorder.tester.folder.path(of: "notifications.db"))
                let answer = recorder.post(try recorder.body(2))
                #expect(answer?.status == 503 && answer?.body.contains("deadline-passed") == true)
                try lock.release()
                #expect(recorder.post(try recorder.body(2))?.status == 200)
                #expect(try recorder.rows().count == 2)
            }
        }

        @Test("changes nothing in a file that is no store, answers 503, and says why")
        func foreignFile() throws {
            try RecorderTester.run(starts: false) { recorder in
                let content = Array("this is somebody's file, and it has to stay as it is".utf8)
                try recorder.tester.folder.write(content, to: "notifications.db")
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("takes no notifications"))
                #expect(try recorder.recorder.waitForLog("code=store.foreign"))
                #expect(recorder.post(try recorder.body(1))?.status == 503)
                #expect(try recorder.tester.folder.read("notifications.db") == content)
            }
        }

        /// A store that a recorder refuses, and the code.
        enum Refused: String, CaseIterable {
            case corrupt = "sql.corrupt"
            case notADatabase = "sql.not-a-database"
            case newer = "store.newer"
        }

        @Test(
            "changes nothing in a damaged store or in one of a newer release, answers 503, and says why",
            arguments: Refused.allCases
        )
        func refusedFile(refused: Refused) throws {
            try RecorderTester.run { recorder in
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                try recorder.recorder.send(.quit)
                _ = try recorder.recorder.waitForExit()
                let folder = recorder.tester.folder
                if refused == .newer {
                    let connection = try recorder.connect()
                    try connection.run(
                        """
                        INSERT INTO store_migrations (version, compatible_from, applied_at, program)
                        VALUES (1000, 1000, 0, '')
                        """
                    )
                    try connection.run("PRAGMA user_version = 1000")
                } else {
                    // SQLite reads a page from the log as long as the log has it.
                    try recorder.connect().run("PRAGMA wal_checkpoint(TRUNCATE)")
                    var bytes = try folder.read("notifications.db")
                    let damaged = refused == .corrupt ? 4096..<bytes.count : 0..<100
                    for index in damaged { bytes[index] = refused == .corrupt ? 0xAA : 0 }
                    try folder.write(bytes, to: "notifications.db")
                }
                let before = try folder.read("notifications.db")
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=\(refused.rawValue)"))
                let answer = recorder.post(try recorder.body(2))
                #expect(answer?.status == 503 && answer?.code == "store-unavailable")
                try recorder.kill()
                #expect(try folder.read("notifications.db") == before)
            }
        }
    }
}
