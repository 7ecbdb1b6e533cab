import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Processes that are killed or stopped under load")
    struct KillTests {
        @Test("kill -9 of a worker each second makes no request fail", arguments: [8, 128])
        func workers(connections: Int) throws {
            try Tester.run { tester in
                let seconds = Programs.runsLong ? 30 : 6
                let report = try tester.underLoad(connections: connections) { _ in
                    for count in 1...seconds {
                        let victims = try tester.workers
                        try #require(!victims.isEmpty)
                        let victim = victims[count % victims.count]
                        // The kill should come during the load, at no particular moment.
                        Patience.pause(milliseconds: 1000)
                        try Processes.send(.kill, to: victim)
                        try #require(try tester.daemon.waitForLog("worker lost", count: count))
                    }
                    #expect(Patience.wait(seconds: 60) { (try? tester.workers.count) == 2 })
                }
                print("figures: \(seconds) kills at \(connections) connections: \(report)")
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test("a supervisor that is killed leaves no worker behind")
        func supervisor() throws {
            try Tester.run { tester in
                let workers = try tester.workers
                #expect(workers.count == 2)
                try tester.daemon.send(.kill)
                for worker in workers {
                    #expect(Patience.wait(seconds: 60) { !ProcessTree.isAlive(worker) }, "\(worker)")
                }
                // Nobody listens on the old socket, so the next daemon may replace it.
                try tester.startDaemon()
                #expect(try tester.ask() == TestRules.old.answer)
            }
        }

        @Test("a reload whose loader is killed is refused")
        func loaderKilled() throws {
            try Tester.run { tester in
                let report = try tester.underLoad { _ in
                    // The loader runs for a few milliseconds, so it may have finished before the signal.
                    var serving = TestRules.old
                    var isRefused = false
                    for _ in 0..<50 where !isRefused {
                        let before = try Self.verdicts(tester)
                        try serving.other.push(to: tester)
                        if let loader = try Self.catchLoader(tester) { try Processes.send(.kill, to: loader) }
                        #expect(Patience.wait(seconds: 60) { (try? Self.verdicts(tester)) != before })
                        if try Self.verdicts(tester).accepted > before.accepted { serving = serving.other }
                        isRefused = try tester.daemon.logCount("load-crashed") > 0
                    }
                    #expect(isRefused, "\(tester.daemonLog)")
                    #expect(try tester.hasSwitched(to: serving))
                    let accepted = try Self.verdicts(tester).accepted
                    try tester.daemon.send(.hangup)
                    #expect(try tester.daemon.waitForLog("reload accepted", count: accepted + 1))
                    #expect(try tester.hasSwitched(to: serving.other))
                }
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test("while a loader is stopped, workers answer and a lost worker is replaced")
        func loaderStopped() throws {
            try Tester.run { tester in
                let report = try tester.underLoad { client in
                    var serving = TestRules.old
                    var caught: Int32?
                    for _ in 0..<50 where caught == nil {
                        try serving.other.push(to: tester)
                        caught = try Self.catchLoader(tester)
                        // The loader had finished before the test saw it.
                        if caught == nil {
                            serving = serving.other
                            #expect(try tester.hasSwitched(to: serving))
                        }
                    }
                    let loader = try #require(caught)
                    let accepted = try Self.verdicts(tester).accepted
                    try Processes.send(.stop, to: loader)
                    let answered = client.answered
                    #expect(Patience.wait(seconds: 60) { client.answered > answered + 1000 })
                    let victim = try #require(try tester.workers.first)
                    try Processes.send(.kill, to: victim)
                    #expect(try tester.daemon.waitForLog("worker lost"))
                    #expect(
                        Patience.wait(seconds: 60) {
                            let workers = (try? tester.workers) ?? []
                            return workers.count == 2 && !workers.contains(victim)
                        }
                    )
                    #expect(try tester.ask() == serving.answer)
                    if Programs.runsLong {
                        #expect(try tester.daemon.waitForLog("load-timeout", seconds: 75))
                        #expect(try tester.ask() == serving.answer)
                    } else {
                        try Processes.send(.proceed, to: loader)
                        #expect(try tester.daemon.waitForLog("reload accepted", count: accepted + 1))
                        #expect(try tester.hasSwitched(to: serving.other))
                    }
                }
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test("kill -9 of anything at random moments of loads leaves whole generations, and at most three")
        func generations() throws {
            try Tester.run(ReloadTests.atOnce) { tester in
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

        /// Sends HUP and returns the loader that starts then, or nil when it has finished before the test saw it.
        private static func catchLoader(_ tester: Tester) throws -> Int32? {
            let supervisor = try tester.daemon.processID
            let known = Set(ProcessTree.children(of: supervisor))
            let before = try verdicts(tester)
            try tester.daemon.send(.hangup)
            let deadline = Clock.monotonicNanoseconds() + 60_000_000_000
            while Clock.monotonicNanoseconds() < deadline {
                for _ in 0..<50 {
                    let children = ProcessTree.children(of: supervisor, with: "--load")
                    if let child = children.first(where: { !known.contains($0) }) { return child }
                }
                if try verdicts(tester) != before { return nil }
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
