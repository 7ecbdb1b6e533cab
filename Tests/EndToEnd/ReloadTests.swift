import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Reloading under load")
    struct ReloadTests {
        @Test(
            "loses no request in many HUPs, and every answer is from one of two files",
            arguments: Pushed.allCases)
        func hangups(file: Pushed) throws {
            let hangupCount = Programs.runsLong ? 200 : 40
            try file.run { tester in
                let report = try tester.underLoad { _ in
                    var plan = TestRules.old
                    for count in 1...hangupCount {
                        plan = plan.other
                        try file.push(plan, to: tester)
                        try tester.reload()
                        // Soon after a reload was accepted, only the new file serves.
                        if count % 20 == 0 { #expect(try tester.hasSwitched(to: plan)) }
                    }
                }
                print("figures: \(hangupCount) HUPs with \(file): \(report)")
                #expect(report.failures == 0, "\(report)")
                let expected = Set(TestRules.allCases.map { LoadAnswer(status: 200, body: $0.answer) })
                #expect(Set(report.answers.keys) == expected, "\(report)")
            }
        }

        @Test("turns a burst of HUPs into three reloads at most, and ends with the rules pushed last")
        func burst() throws {
            try Tester.run { tester in
                let report = try tester.underLoad { _ in
                    try TestRules.new.push(to: tester)
                    for _ in 0..<50 { try tester.daemon.send(.hangup) }
                    #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.new.answer })
                }
                #expect(report.failures == 0, "\(report)")
                #expect(try tester.daemon.logCount("reload accepted") <= 3)
            }
        }

        @Test(
            "changes no answer while the pushed file is damaged in every way, with and without HUP",
            arguments: Pushed.allCases)
        func mischief(file: Pushed) throws {
            try file.run { tester in
                // Without its facts a reload is accepted, and no subscriber has facts then.
                let kinds = Mischief.allCases.filter { file == .rules || !$0.isGone }
                let rounds = Programs.runsLong ? 400 : 60
                try Mischief.run(kinds, rounds: rounds, path: file.path(tester), tester)
                try file.push(.new, to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.new.answer })
            }
        }

        @Test("does not need the pushed file: a refused one leaves what served before, also after a restart")
        func lastGood() throws {
            let unfit = try TestFacts.compiled(plan: .new, columns: Array(TestFacts.columns.prefix(1)))
            let bad: [(Pushed, [UInt8], String)] = [
                (.rules, Array("garbage".utf8), "json.syntax"), (.rules, [], "data-file.truncated"),
                (.facts, unfit, "data-file.fact-missing"),
            ]
            for (file, bytes, code) in bad {
                try file.run { tester in
                    try AtomicFile.write(bytes.span, to: file.path(tester))
                    let verdict = try tester.reloadCommand()
                    #expect(verdict.status == 1 && "\(verdict)".contains(code), "\(verdict)")
                    try tester.restartDaemon()
                    #expect(tester.daemonLog.contains("source=unchanged"))
                    #expect(try tester.ask() == TestRules.old.answer)
                    // Yesterday's file, or one that was never pushed: any good file is taken.
                    try file.push(.new, to: tester)
                    #expect(try tester.reloadCommand().status == 0)
                    #expect(try tester.hasSwitched(to: .new))
                }
            }
        }

        @Test("is not needed to replace workers after maxRequests, and no request is lost")
        func recycling() throws {
            let options = TesterOptions().with { $0.configuration = [("maxRequests", "300")] }
            try Tester.run(options) { tester in
                let before = try tester.workers
                try tester.send(6000)
                try tester.awaitOthers(than: before)
                #expect(try tester.daemon.logCount("worker lost") == 0)
            }
        }

        @Test(
            "finishes the requests in flight before a stop", arguments: [Signal.quit, .terminate, .interrupt])
        func stop(signal: Signal) throws {
            try Tester.run { tester in
                let workers = try tester.workers
                let report = try tester.underLoad(connections: 128) { client in
                    #expect(Patience.wait(seconds: 60) { client.answered > 2000 })
                    try tester.daemon.send(signal)
                    #expect(try tester.daemon.waitForExit(seconds: 10) == .exited(0), "\(tester.daemonLog)")
                }
                // No client is cut off. A request that comes too late gets a problem document from nginx.
                #expect(report.unanswered == 0, "\(report)")
                for answer in report.answers.keys where answer.body != TestRules.old.answer {
                    #expect(answer.status == 503 && answer.body.contains("pool-unavailable"), "\(answer)")
                }
                for worker in workers { #expect(!ProcessTree.isAlive(worker)) }
                #expect(try tester.daemon.logCount("worker forced") == 0, "\(tester.daemonLog)")
            }
        }

        /// So a new binary takes the place of the old one: the requests wait in the socket meanwhile.
        @Test("loses no request in restarts under a socket of systemd, and all are answered in time")
        func restart() throws {
            let restartCount = Programs.runsLong ? 20 : 4
            try Tester.run(TesterOptions().with { $0.listen = .systemd }) { tester in
                let report = try tester.underLoad(connections: 400, rate: 500) { client in
                    for number in 0...restartCount {
                        if number > 0 { try tester.restartDaemon() }
                        let answered = client.answered
                        #expect(Patience.wait(seconds: 60) { client.answered > answered + 200 })
                    }
                }
                print("figures: \(restartCount) restarts at 500/s: \(report)")
                #expect(report.failures == 0 && report.unsent == 0, "\(report)")
                #expect(report.latency(1) <= 600_000, "\(report)")
            }
        }
    }
}
