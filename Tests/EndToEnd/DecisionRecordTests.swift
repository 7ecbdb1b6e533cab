import HTTPLoad
import JSON
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Decision records")
    struct DecisionRecordTests {
        /// Runs a pool that writes its decision records into `decisions.ndjson` of a folder.
        private static func run(
            workers: Int = 2, startsDaemon: Bool = true, _ body: (Tester, TemporaryDirectory) throws -> Void
        ) throws {
            let folder = try TemporaryDirectory()
            defer { LogAudit.check(folder) }
            // The pool writes here, whatever user it runs as.
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let options = TesterOptions().with {
                $0.workers = workers
                $0.startsDaemon = startsDaemon
                $0.configuration = [("log", #"{"decisions": "\#(folder.path(of: name))"}"#)]
            }
            try Tester.run(options) { try body($0, folder) }
        }

        private static let name = "decisions.ndjson"

        private static func send(_ count: Int, to tester: Tester) throws {
            let report = LoadClient(try tester.load(connections: 8).with { $0.requestLimit = count }).run()
            #expect(report.failures == 0 && report.count(status: 200) == count, "\(report)")
        }

        /// Waits until other workers have taken the place of these.
        private static func awaitOthers(than former: [Int32], _ tester: Tester) throws {
            let isReplaced = Patience.wait(seconds: 60) {
                let now = (try? tester.workers) ?? []
                return now.count == former.count && Set(now).isDisjoint(with: former)
            }
            try #require(isReplaced, "\(tester.daemonLog)")
        }

        private static func dropped(_ tester: Tester) throws -> Int {
            let page = try #require(tester.get("/retention-status?json")).body
            return try #require(page.firstMatch(of: /"decisions_dropped": ?([0-9]+)/).flatMap { Int($0.1) })
        }

        @Test("are one whole line for each answer, also while the file is rotated and workers change")
        func rotation() throws {
            try Self.run { tester, folder in
                let path = folder.path(of: Self.name)
                let report = try tester.underLoad { client in
                    for round in 1...5 {
                        let seen = client.answered
                        #expect(Patience.wait(seconds: 60) { client.answered > seen + 200 })
                        try Directory.rename(path, to: "\(path).\(round)")
                        try tester.daemon.send(.user1)
                        #expect(Patience.wait(seconds: 60) { (try? FileStatus(path: path)) != nil })
                        if round == 3 {
                            try TestRules.new.push(to: tester)
                            try tester.daemon.send(.hangup)
                            #expect(try tester.daemon.waitForLog("reload accepted"))
                        }
                    }
                }
                #expect(report.failures == 0, "\(report)")
                // The workers write the last records some milliseconds after the answers.
                let names = [Self.name] + (1...5).map { "\(Self.name).\($0)" }
                let lines = { try DecisionLines(names.map { try folder.read($0) }) }
                let answers = report.answers.values.reduce(0, +)
                let isComplete = Patience.wait(seconds: 60) { (try? lines().records.count) == answers }
                let found = try lines()
                #expect(isComplete, "\(found.records.count) of \(answers)")
                #expect(found.records.allSatisfy { $0.member("subscriber")?.string?.utf8.count == 32 })
                let served = found.records.compactMap {
                    $0.member("served")?.member("messageIdentifier")?.string
                }
                #expect(Set(served) == Set(TestRules.allCases.map(\.rawValue)))
            }
        }

        @Test("are numbered without a gap by each worker, and a worker that ends says its last number")
        func sequence() throws {
            try Self.run { tester, folder in
                for round in 1...3 {
                    try Self.send(100, to: tester)
                    let isWritten = Patience.wait(seconds: 60) {
                        let lines = try? DecisionLines(Self.name, in: folder)
                        return lines?.records.count == round * 100 && lines?.rules.count == round * 2
                    }
                    #expect(isWritten)
                    let workers = try tester.workers
                    switch round {
                    case 1: for worker in workers { try Processes.send(.kill, to: worker) }
                    case 2:
                        try TestRules.new.push(to: tester)
                        try tester.daemon.send(.hangup)
                    default: continue
                    }
                    try Self.awaitOthers(than: workers, tester)
                }
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                let lines = try DecisionLines(Self.name, in: folder)
                for (instance, numbers) in lines.sequences {
                    #expect(numbers == (1...Int64(numbers.count)).map { $0 }, "\(instance)")
                    let last = lines.lastNumbers[instance]
                    #expect(last == nil || last == Int64(numbers.count), "\(instance)")
                }
                // Two workers were killed, and so were the lines about their ends.
                let instances = lines.rules.compactMap { $0.member("instance")?.string }
                #expect(instances.count == 6 && Set(instances).count == 6, "\(instances)")
                #expect(Set(lines.lastNumbers.keys) == Set(instances.dropFirst(2)))
                // The workers of the last generation serve other rules.
                let digests = lines.rules.compactMap { $0.member("rules")?.string }
                #expect(Set(digests[..<4]).count == 1 && Set(digests[4...]).count == 1)
                #expect(digests[0] != digests[4] && digests[0].utf8.count == 64)
                #expect(lines.rules.allSatisfy { $0.member("app")?.int64 == TestPayload.appAppleId })
            }
        }

        @Test("that nobody reads from a FIFO hold up no answer and no end, and a later reader sees the gap")
        func unread() throws {
            try Self.run(workers: 1, startsDaemon: false) { tester, folder in
                let path = folder.path(of: Self.name)
                #expect(try Programs.run("mkfifo", ["-m", "0666", path]).status == 0)
                try TestRules.old.push(to: tester)
                try tester.startDaemon()
                try Self.send(200, to: tester)
                let isCounted = Patience.wait(seconds: 60) { (try? Self.dropped(tester)) == 200 }
                #expect(try isCounted && tester.daemon.waitForLog("code=decisions-dropped"))
                #expect(try Self.millisecondsToEnd(tester) < 3000)

                try tester.startDaemon()
                // The start serves what it served before; the worker of the pushed files takes its place.
                try #require(try tester.daemon.waitForLog("reload accepted"))
                try Self.send(100, to: tester)
                #expect(Patience.wait(seconds: 60) { (try? Self.dropped(tester)) == 100 })
                let reader = try RunningProcess(["/bin/cat", path], logPath: folder.path(of: "read.log"))
                let isRead = Patience.wait(seconds: 60) {
                    try? Self.send(1, to: tester)
                    return reader.log.contains("requestIdentifier")
                }
                #expect(isRead)
                #expect(try Self.millisecondsToEnd(tester) < 3000)
                #expect(reader.waitForExit() == .exited(0))
                let lines = try DecisionLines([Array(reader.log.utf8)])
                let (instance, numbers) = try #require(lines.sequences.first)
                let first = try #require(numbers.first)
                #expect(first > 100 && numbers == (first..<first + Int64(numbers.count)).map { $0 })
                #expect(lines.lastNumbers[instance] == numbers.last)
            }
        }

        /// Ends the pool.
        private static func millisecondsToEnd(_ tester: Tester) throws -> UInt64 {
            let start = Clock.monotonicNanoseconds()
            try tester.daemon.send(.quit)
            #expect(try tester.daemon.waitForExit() == .exited(0))
            return (Clock.monotonicNanoseconds() - start) / 1_000_000
        }

        @Test(
            "hold up no answer, no reload and no end while the disk hangs: what has no room is dropped and counted",
            arguments: PreloadedLibrary.DiskCall.allCases
        )
        func diskHangs(call: PreloadedLibrary.DiskCall) throws {
            let library = try PreloadedLibrary.hanging(
                call, ofProcess: "retentiond-log", to: ".ndjson", until: "/nowhere/at/all")
            try Self.run(workers: 1, startsDaemon: false) { tester, folder in
                try TestRules.old.push(to: tester)
                try tester.startDaemon(environment: [library.environment])
                // Some thousands have room.
                try Self.send(6000, to: tester)
                let dropped = try Self.dropped(tester)
                #expect((1...5000).contains(dropped), "\(dropped)")
                #expect(try tester.daemon.waitForLog("code=decisions-dropped"))
                let former = try tester.workers
                try tester.daemon.send(.hangup)
                try Self.awaitOthers(than: former, tester)
                try Self.send(20, to: tester)
                #expect(try Self.millisecondsToEnd(tester) < 5000)
                #expect(tester.daemonLog.contains("left before all decision records were written"))
                // Nobody could make the file when it is its opening that hangs.
                #expect(try call == .open || DecisionLines(Self.name, in: folder).count == 0)
            }
        }

        @Test("are lost when the disk is full, but no answer is lost")
        func full() throws {
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "/dev/full"}"#)]
            }
            try Tester.run(options) { tester in
                try Self.send(500, to: tester)
                // A record counts when it could not be written, which is after the answer.
                #expect(Patience.wait(seconds: 60) { (try? Self.dropped(tester)) == 500 })
            }
        }
    }
}
