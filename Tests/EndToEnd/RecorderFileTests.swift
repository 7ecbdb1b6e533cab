import HTTPLoad
import NotificationStore
import SQL
import Support
import System
import Testing

extension EndToEnd {
    @Suite("A recorder whose files of SQLite are deleted or restored")
    struct RecorderFileTests {
        private func post(_ numbers: ClosedRange<UInt64>, to recorder: RecorderTester) throws {
            for number in numbers { #expect(recorder.post(try recorder.body(number))?.status == 200) }
        }

        @Test(
            "answers 503 when the log or its index is gone, has all that it acknowledged in the file, and goes on",
            arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]]
        )
        func deletedLog(suffixes: [String]) throws {
            try RecorderTester.run { recorder in
                let path = recorder.tester.folder.path(of: "notifications.db")
                try post(1...5, to: recorder)
                for suffix in suffixes { try Directory.removeFile(path: path + suffix) }
                let answer = recorder.post(try recorder.body(6))
                #expect(answer?.status == 503 && answer?.code == "store-unavailable")
                #expect(try recorder.recorder.waitForLog("code=store.log-deleted"))
                try recorder.kill()
                #expect(try recorder.rows() == (1...5).map { RecorderTester.uuid($0) })
                try recorder.start()
                try post(6...8, to: recorder)
                for suffix in suffixes { try Directory.removeFile(path: path + suffix) }
                // The recorder finds it out also when no notification comes.
                #expect(try recorder.recorder.waitForLog("code=store.log-deleted"))
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                try post(9...10, to: recorder)
                #expect(try recorder.rows() == (1...10).map { RecorderTester.uuid($0) })
                // Nor is anything lost by a stop right afterwards.
                try post(11...12, to: recorder)
                for suffix in suffixes { try Directory.removeFile(path: path + suffix) }
                try recorder.recorder.send(.quit)
                #expect(try recorder.recorder.waitForExit() == .exited(0))
                #expect(try recorder.rows() == (1...12).map { RecorderTester.uuid($0) })
            }
        }

        @Test("serves no backup that was copied beside the log of a killed recorder, until it is restored")
        func copiedBackup() throws {
            try RecorderTester.run { recorder in
                let folder = recorder.tester.folder
                let path = folder.path(of: "notifications.db")
                try post(1...30, to: recorder)
                do {
                    let store = try NotificationStore(recorder.store, StoreOptions(access: .read))
                    try store.backup(to: folder.path(of: "backup.db"))
                }
                try post(31...60, to: recorder)
                _ = try recorder.connect().query("PRAGMA wal_checkpoint(RESTART)")
                try post(61...70, to: recorder)
                try recorder.kill()
                // The negative control: after a kill alone, everything is there, and nothing is refused.
                try recorder.start()
                try post(71...72, to: recorder)
                try recorder.kill()
                let copy = try Programs.run("cp", [folder.path(of: "backup.db"), path])
                #expect(copy.status == 0)
                let bytes = try folder.read("backup.db")
                let test = try Programs.run(
                    Programs.recorder(),
                    ["--allow-root", "-t", "--config", recorder.tester.configurationPath])
                #expect(test.status == 1 && test.errors.contains("retentionctl store restore"), "\(test)")
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("code=store.foreign-log"))
                #expect(recorder.post(try recorder.body(73))?.status == 503)
                #expect(!recorder.answersPing)
                try recorder.kill()
                #expect(try folder.read("notifications.db") == bytes)
                let words = ["store", "restore", folder.path(of: "backup.db"), "--store", "sqlite:\(path)"]
                let restore = try Programs.run(Programs.tool(), words)
                #expect(restore.status == 0 && restore.output.contains("set aside: \(path)."), "\(restore)")
                try recorder.start()
                let refused = try Programs.run(Programs.tool(), words)
                #expect(refused.status == 74 && refused.errors.contains("store.in-use"), "\(refused)")
                try post(73...73, to: recorder)
                #expect(try recorder.rows() == (Array(1...30) + [73]).map { RecorderTester.uuid($0) })
                let store = try NotificationStore(recorder.store, StoreOptions(access: .read))
                #expect(try store.check().isEmpty)
            }
        }
    }
}
