import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Processes that are killed or stopped under load")
    struct KillTests {
        @Test("kill -9 of a worker again and again makes no request fail")
        func workers() throws {
            try Tester.run { tester in
                let kills = Programs.runsLong ? 30 : 6
                let report = try tester.underLoad(connections: 128) { _ in
                    for count in 1...kills {
                        let victims = try tester.workers
                        try #require(!victims.isEmpty)
                        let victim = victims[count % victims.count]
                        // The kill should come during the load, at no particular moment.
                        Patience.pause(milliseconds: Programs.runsLong ? 1000 : 300)
                        try Processes.send(.kill, to: victim)
                        try #require(try tester.daemon.waitForLog("worker lost", count: count))
                    }
                    #expect(Patience.wait(seconds: 60) { (try? tester.workers.count) == 2 })
                }
                print("figures: \(kills) kills: \(report)")
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test(
            "a loader that stands still holds up no answer and no new worker; when it is killed the reload is refused"
        )
        func loader() throws {
            try Tester.run { tester in
                let report = try tester.underLoad { client in
                    var serving = TestRules.old
                    var isRefused = false
                    // The loader runs for a few milliseconds, so it may have finished before the signal.
                    for _ in 0..<50 where !isRefused {
                        let before = try Self.verdicts(tester)
                        try serving.other.push(to: tester)
                        if let loader = try Self.stopLoader(tester) {
                            let answered = client.answered
                            #expect(Patience.wait(seconds: 60) { client.answered > answered + 500 })
                            let former = try tester.workers
                            for worker in former { try Processes.send(.kill, to: worker) }
                            try tester.awaitOthers(than: former)
                            #expect(try tester.ask() == serving.answer)
                            if !Programs.runsLong { try Processes.send(.kill, to: loader) }
                        }
                        #expect(Patience.wait(seconds: 90) { (try? Self.verdicts(tester)) != before })
                        if try Self.verdicts(tester).accepted > before.accepted { serving = serving.other }
                        let code = Programs.runsLong ? "load-timeout" : "load-crashed"
                        isRefused = try tester.daemon.logCount(code) > 0
                    }
                    #expect(isRefused, "\(tester.daemonLog)")
                    #expect(try tester.hasSwitched(to: serving))
                    try tester.reload()
                    #expect(try tester.hasSwitched(to: serving.other))
                }
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test("kill -9 of anything at random moments of loads leaves whole generations, and at most three")
        func generations() throws {
            try Pushed.rules.run { tester in
                var random = SeededGenerator(for: "kills at random moments of loads")
                var plan = TestRules.old
                func names() throws -> [String] {
                    let path = tester.folder.path(of: "state/generations")
                    return try Directory.names(in: FileDescriptor.openDirectory(path: path), limitCount: 100)
                }
                for _ in 0..<(Programs.runsLong ? 200 : 25) {
                    plan = plan.other
                    try plan.push(to: tester)
                    let supervisor = try tester.daemon.processID
                    try tester.daemon.send(.hangup)
                    Patience.pause(milliseconds: Int32(random.next() % 60))
                    let loaders = ProcessTree.children(of: supervisor, with: "--load")
                    let victims = try random.next() % 3 == 0 ? [supervisor] : loaders + tester.workers
                    if let victim = victims.randomElement(using: &random) {
                        // A stopped supervisor starts no child that the test does not see.
                        try? Processes.send(.stop, to: victim)
                        let children = ProcessTree.children(of: victim)
                        try? Processes.send(.kill, to: victim)
                        if victim == supervisor {
                            _ = try tester.daemon.waitForExit()
                            // Nobody listens on the old socket then.
                            #expect(
                                Patience.wait(seconds: 60) { !children.contains(where: ProcessTree.isAlive) })
                            try tester.startDaemon()
                        }
                    }
                    let isServing = Patience.wait(seconds: 60) {
                        let answer = try? tester.ask()
                        return answer == TestRules.old.answer || answer == TestRules.new.answer
                    }
                    #expect(isServing, "\(tester.daemonLog.suffix(2000))")
                    let kept = try names()
                    #expect(kept.count { !$0.hasPrefix(".") } <= 3, "\(kept)")
                }
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 60) { (try? tester.hasSwitched(to: .new)) == true })
                let kept = try names()
                #expect(kept.count <= 3, "\(kept)")
            }
        }

        /// Sends HUP and stops the loader that starts then. Returns nil when it had finished before.
        private static func stopLoader(_ tester: Tester) throws -> Int32? {
            let supervisor = try tester.daemon.processID
            let before = try verdicts(tester)
            try tester.daemon.send(.hangup)
            let deadline = Clock.monotonicNanoseconds() + 60_000_000_000
            while Clock.monotonicNanoseconds() < deadline, try verdicts(tester) == before {
                for _ in 0..<50 {
                    guard let loader = ProcessTree.children(of: supervisor, with: "--load").first else {
                        continue
                    }
                    try? Processes.send(.stop, to: loader)
                    if Patience.wait(seconds: 1, { ProcessTree.isStopped(loader) }) { return loader }
                }
            }
            return nil
        }

        /// How many reloads were accepted and how many were refused.
        private struct Verdicts: Equatable {
            let accepted: Int
            let refused: Int
        }

        private static func verdicts(_ tester: Tester) throws -> Verdicts {
            let daemon = try tester.daemon
            return Verdicts(
                accepted: daemon.logCount("reload accepted"), refused: daemon.logCount("reload refused"))
        }
    }
}
