import HTTPLoad
import Support
import Synchronization
import System
import Testing

extension EndToEnd {
    @Suite("The start of a recorder, and signals")
    struct RecorderStartTests {
        @Test("with a long log answers 503 while the log is made sure of, and takes notifications afterwards")
        func longLog() throws {
            let library = try PreloadedLibrary.holdingLog()
            let folder = try TemporaryDirectory()
            let notify = try NotifySocket(path: folder.path(of: "notify.sock"))
            let environment = [
                library.environment, "HOLD_FILE=" + folder.path(of: "hold"), "NOTIFY_SOCKET=" + notify.path,
            ]
            let settings = #", "deadlineMilliseconds": 300"#
            try RecorderTester.run(settings: settings, environment: environment) { recorder in
                #expect(try notify.wait(for: "READY=1") != nil)
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                try recorder.kill()
                // Behind its frames the log has 70 MB of an older one.
                let log = recorder.tester.folder.path(of: "notifications.db-wal")
                #expect(try Programs.run("truncate", ["-s", "70M", log]).status == 0)
                try folder.write("", to: "hold")
                try recorder.start(waits: false)
                // systemd does not wait for the store.
                #expect(try notify.wait(for: "READY=1") != nil)
                #expect(try recorder.recorder.waitForLog("once its write-ahead log is on the disk"))
                let answer = recorder.post(try recorder.body(2))
                #expect(answer?.status == 503 && answer?.code == "store-unavailable")
                #expect(recorder.tester.get("/notifications-ping")?.status == 503)
                let status = recorder.tester.get("/notifications-status?json")?.body ?? ""
                #expect(status.contains(#""store state":"preparing""#), "\(status)")
                try Directory.removeFile(path: folder.path(of: "hold"))
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                // What came meanwhile was answered with 503, and is there when Apple sends it again.
                for number in 2...3 as ClosedRange<UInt64> {
                    #expect(recorder.post(try recorder.body(number))?.status == 200)
                }
                #expect(try recorder.rows() == (1...3).map { RecorderTester.uuid($0) })
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
                for number in 1...5 as ClosedRange<UInt64> {
                    #expect(recorder.post(try recorder.body(number))?.status == 200)
                }
                let before = process.logCount("message=reloaded")
                #expect(process.waitForLog("message=reloaded", count: before + 3))
                #expect(recorder.answersPing && !process.hasEnded)
            }
        }
    }
}
