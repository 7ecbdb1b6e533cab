import HTTPLoad
import JSON
import Support
import System
import Testing

extension EndToEnd {
    /// The process that writes the decision records of a worker.
    @Suite("The companion of a worker")
    struct RecordCompanionTests {
        /// A pool with one worker whose decision records are in a file.
        private struct Scene {
            let tester: Tester
            let folder: TemporaryDirectory

            /// The companion of the worker that runs now.
            func companion() throws -> Int32 {
                var found: [Int32] = []
                let isThere = Patience.wait(seconds: 60) {
                    found = ((try? tester.workers) ?? []).flatMap {
                        ProcessTree.children(of: $0, with: "--records")
                    }
                    return found.count == 1
                }
                try #require(isThere, "\(found) \(tester.daemonLog)")
                return found[0]
            }

            func send(_ count: Int) throws {
                let plan = try tester.load(connections: 8).with { $0.requestLimit = count }
                let report = LoadClient(plan).run()
                #expect(report.failures == 0 && report.count(status: 200) == count, "\(report)")
            }

            /// Has the pool load its files again, and waits until only workers of the new generation are left.
            func reload() throws {
                let former = try tester.workers
                try tester.daemon.send(.hangup)
                let isReplaced = Patience.wait(seconds: 60) {
                    let workers = (try? tester.workers) ?? former
                    return !workers.isEmpty && Set(workers).isDisjoint(with: former)
                }
                try #require(isReplaced, "\(tester.daemonLog)")
            }

            /// The lines of the log, those of a rotated file first.
            func lines() -> [Substring] {
                ["rotated.ndjson", "decisions.ndjson"].flatMap { name in
                    let text = (try? folder.read(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                    return text.split(separator: "\n")
                }
            }

            /// The numbers of the records that are written, in ascending order.
            func numbers() throws -> [Int64] {
                try lines().compactMap { line in
                    let limits = JSONLimits(byteCount: 4096, depth: 8)
                    let root = try JSONDocument(parsing: Array(line.utf8).span, limits: limits).root
                    return root.member("mark") == nil ? root.member("sequence")?.int64 : nil
                }.sorted()
            }

            func isWritten(_ numbers: ClosedRange<Int64>) -> Bool {
                Patience.wait(seconds: 60) { (try? self.numbers()) == Array(numbers) }
            }
        }

        private static func run(startsDaemon: Bool = true, _ body: (Scene) throws -> Void) throws {
            let folder = try TemporaryDirectory()
            defer { LogAudit.check(folder) }
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let options = TesterOptions().with {
                $0.workers = 1
                $0.startsDaemon = startsDaemon
                $0.configuration = [("log", #"{"decisions": "\#(folder.path(of: "decisions.ndjson"))"}"#)]
            }
            try Tester.run(options) { tester in try body(Scene(tester: tester, folder: folder)) }
        }

        @Test("holds up no answer while it hangs: what it cannot take is dropped, counted and told")
        func hangs() throws {
            try Self.run { scene in
                let companion = try scene.companion()
                try Processes.send(.stop, to: companion)
                defer { try? Processes.send(.proceed, to: companion) }
                try scene.send(7000)
                let page = { scene.tester.get("/retention-status?json")?.body ?? "" }
                let dropped = try #require(page().firstMatch(of: /"decisions_dropped": ?([0-9]+)/)?.1)
                let count = try #require(Int64(dropped))
                // 1 MiB has room for some thousands.
                #expect((1...4000).contains(count), "\(count)")
                #expect(try scene.numbers().isEmpty)
                #expect(try scene.tester.daemon.waitForLog("code=decisions-dropped"))
                try Processes.send(.proceed, to: companion)
                #expect(scene.isWritten(1...7000 - count))
                try scene.send(1)
                #expect(Patience.wait(seconds: 60) { (try? scene.numbers().last) == 7001 })
            }
        }

        @Test("is replaced when it was killed, and what it had not taken is written", .timeLimit(.minutes(2)))
        func killed() throws {
            try Self.run { scene in
                let first = try scene.companion()
                try Processes.send(.stop, to: first)
                try scene.send(300)
                try Processes.send(.kill, to: first)
                #expect(scene.isWritten(1...300), "\(scene.tester.daemonLog)")
                let second = try scene.companion()
                #expect(second != first)
                // Killed while it has nothing to do.
                try Processes.send(.kill, to: second)
                try scene.send(100)
                #expect(scene.isWritten(1...400))
            }
        }

        @Test("writes what its worker has noted also when the worker is killed, and then ends")
        func workerKilled() throws {
            try Self.run { scene in
                let companion = try scene.companion()
                try Processes.send(.stop, to: companion)
                defer { try? Processes.send(.proceed, to: companion) }
                try scene.send(500)
                let victim = try #require(try scene.tester.workers.first)
                try Processes.send(.kill, to: victim)
                #expect(Patience.wait(seconds: 60) { ((try? scene.tester.workers) ?? [victim]) != [victim] })
                #expect(try scene.numbers().isEmpty)
                try Processes.send(.proceed, to: companion)
                #expect(scene.isWritten(1...500))
                #expect(Patience.wait(seconds: 60) { !ProcessTree.isAlive(companion) })
                try scene.send(10)
                #expect(scene.isWritten(1...510))
            }
        }

        @Test("does not keep the pool from ending while it hangs, and no signal but KILL ends it")
        func leavesHung() throws {
            try Self.run { scene in
                let companion = try scene.companion()
                for signal in [Signal.terminate, .quit, .interrupt, .hangup, .user1, .user2] {
                    try Processes.send(signal, to: companion)
                }
                try scene.send(5)
                #expect(scene.isWritten(1...5))
                try Processes.send(.stop, to: companion)
                defer { try? Processes.send(.proceed, to: companion) }
                try scene.send(5)
                try scene.tester.daemon.send(.quit)
                #expect(try scene.tester.daemon.waitForExit() == .exited(0))
                #expect(scene.tester.daemonLog.contains("left before all decision records were written"))
                try Processes.send(.proceed, to: companion)
                #expect(scene.isWritten(1...10))
                #expect(Patience.wait(seconds: 60) { !ProcessTree.isAlive(companion) })
            }
        }

        @Test(
            "ends some seconds after its worker when its disk hangs, and holds up no answer meanwhile",
            arguments: PreloadedLibrary.DiskCall.allCases
        )
        func diskHangs(call: PreloadedLibrary.DiskCall) throws {
            let library = try PreloadedLibrary.hanging(
                call,
                ofProcess: "retentiond-recs",
                to: ".ndjson",
                until: "/nowhere/at/all"
            )
            try Self.run(startsDaemon: false) { scene in
                try TestRules.old.push(to: scene.tester)
                try scene.tester.startDaemon(environment: [library.environment])
                let companion = try scene.companion()
                try scene.send(20)
                try scene.reload()
                #expect(Patience.wait(seconds: 60) { !ProcessTree.isAlive(companion) })
                // What it has not taken is counted: all where it hung in open, and not all where it hung in write.
                let page = scene.tester.get("/retention-status?json")?.body ?? ""
                let dropped = try #require(page.firstMatch(of: /"decisions_dropped": ?([0-9]+)/)?.1)
                #expect(call == .open ? dropped == "20" : (0..<20).contains(Int(dropped) ?? -1), "\(dropped)")
                let last = try scene.companion()
                try scene.send(20)
                try scene.tester.daemon.send(.quit)
                #expect(try scene.tester.daemon.waitForExit() == .exited(0))
                #expect(scene.tester.daemonLog.contains("left before all decision records were written"))
                #expect(Patience.wait(seconds: 60) { !ProcessTree.isAlive(last) })
                #expect(try scene.numbers().isEmpty)
            }
        }

        @Test("has the rules, but no signing key, no socket of the pool and no connection")
        func descriptors() throws {
            try Self.run { scene in
                try scene.send(5)
                // It has written a record, so it has opened all that it opens.
                #expect(scene.isWritten(1...5))
                let companion = try scene.companion()
                let links = try Self.links(of: companion)
                let memories = links.filter { $0.hasPrefix("/memfd:") }.map { $0.split(separator: " ")[0] }
                #expect(memories.sorted() == ["/memfd:retentiond-counters", "/memfd:retentiond-records"])
                // Its own end of the socket to the worker.
                #expect(links.count { $0.hasPrefix("socket:") } == 1, "\(links)")
                let maps = try Self.maps(of: companion)
                #expect(maps.contains("app.rules") && !maps.contains("signing-keys"), "\(maps)")
                // The worker has read the signing keys and has closed their memory.
                let worker = try #require(try scene.tester.workers.first)
                let workerLinks = try Self.links(of: worker)
                #expect(workerLinks.contains { $0.contains("app.rules") }, "for the next companion")
                #expect(!workerLinks.contains { $0.contains("signing-keys") }, "\(workerLinks)")
                #expect(try !Self.maps(of: worker).contains("signing-keys"))
            }
        }

        private static func maps(of process: Int32) throws -> String {
            try Programs.run("cat", ["/proc/\(process)/maps"]).output
        }

        private static func links(of process: Int32) throws -> [Substring] {
            try Programs.run("ls", ["-l", "/proc/\(process)/fd"]).output.split(separator: "\n").compactMap {
                $0.split(separator: " -> ").dropFirst().first
            }
        }

        @Test("that hangs while the log is rotated or a new generation comes writes later what waits")
        func hangsMeanwhile() throws {
            try Self.run { scene in
                let companion = try scene.companion()
                try Processes.send(.stop, to: companion)
                defer { try? Processes.send(.proceed, to: companion) }
                try scene.send(400)
                let path = scene.folder.path(of: "decisions.ndjson")
                try Directory.rename(path, to: scene.folder.path(of: "rotated.ndjson"))
                try scene.tester.daemon.send(.user1)
                // The supervisor has opened the new file.
                let isOpened = Patience.wait(seconds: 60) {
                    (try? scene.folder.read("decisions.ndjson"))?.isEmpty == false
                }
                #expect(try isOpened && scene.numbers().isEmpty)
                try Processes.send(.proceed, to: companion)
                #expect(scene.isWritten(1...400))
                let hasNewFile = Patience.wait(seconds: 60) {
                    (try? Self.links(of: companion))?.contains { $0 == path } == true
                }
                #expect(hasNewFile)
                try scene.send(5)
                #expect(scene.isWritten(1...405))
                let text = String(decoding: try scene.folder.read("decisions.ndjson"), as: UTF8.self)
                #expect(text.contains(#""sequence":405,"requestIdentifier""#))

                try Processes.send(.stop, to: companion)
                try scene.send(300)
                try scene.reload()
                try scene.send(10)
                try Processes.send(.proceed, to: companion)
                #expect(scene.isWritten(1...715))
                #expect(Patience.wait(seconds: 60) { !ProcessTree.isAlive(companion) })
                #expect(try scene.companion() != companion)
            }
        }
    }
}
