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

        /// Returns true when a thread of a process has waited for a processor so long that the watch may have seen it.
        private static func hasWaited(_ number: Int32) -> Bool {
            let run = try? Programs.run("sh", ["-c", "cat /proc/\(number)/task/*/schedstat"])
            let waits = (run?.output ?? "").split(separator: "\n").compactMap {
                $0.split(separator: " ").dropFirst().first
            }
            return waits.contains { Int64($0).map { $0 >= 10_000_000 } ?? false }
        }

        @Test("gives way to other programs, but not where it would not run at all")
        func background() throws {
            let mayReturn = BackgroundWork.allowReturn(toNiceness: ServiceThread.niceness(raisedBy: 10))
            try RecorderTester.run { recorder in
                let number = try recorder.recorder.processID
                let threads = try recorder.threads
                guard mayReturn else { return #expect(!threads.contains { BackgroundWork.isSet(of: $0) }) }
                // The third thread is the one that watches, and must always run.
                #expect(threads.count == 3)
                // Where other programs want the processors, too, they may have left the background before anybody looks.
                let entered = Patience.wait(seconds: 60) {
                    threads.count { BackgroundWork.isSet(of: $0) } == 2 || Self.hasWaited(number)
                }
                #expect(entered)
                // The recorder has one processor, and two programs want all of its time.
                #expect(try Programs.run("taskset", ["-a", "-c", "-p", "0", "\(number)"]).status == 0)
                let folder = recorder.tester.folder
                let hogs = try (1...2).map { _ in
                    try RunningProcess(
                        ["/usr/bin/taskset", "-c", "0", "/bin/sh", "-c", "while :; do :; done"],
                        logPath: folder.path(of: "hog.log")
                    )
                }
                defer { for hog in hogs { try? hog.send(.kill) } }
                var posted: UInt64 = 0
                let leaves = Patience.wait(seconds: 60) {
                    posted += 1
                    if let body = try? recorder.body(posted) { _ = recorder.post(body) }
                    return !threads.contains { BackgroundWork.isSet(of: $0) }
                }
                #expect(leaves)
                #expect(recorder.post(try recorder.body(posted + 1))?.status == 200)
            }
        }
    }
}
