import DataFiles
import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Pushed facts")
    struct FactsTests {
        /// Runs `body` with a pool whose rules test the plan of a subscriber. In the facts, all subscribers have this
        /// plan.
        private static func run(plan: TestRules, _ body: (Tester) throws -> Void) throws {
            try Tester.run(ReloadTests.atOnce) { tester in
                try TestFacts.pushRules(to: tester)
                try TestFacts.push(plan, to: tester)
                try tester.daemon.send(.hangup)
                try #require(
                    try tester.daemon.waitForLog("reload accepted"), "\(tester.daemonLog.suffix(2000))")
                #expect(try tester.hasSwitched(to: plan))
                try body(tester)
            }
        }

        @Test("change decisions when they are loaded; missing facts are logged once, as a warning")
        func decisions() throws {
            try Tester.run { tester in
                try TestFacts.pushRules(to: tester)
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload accepted"))
                #expect(try tester.hasSwitched(to: .new), "no subscriber has facts")
                #expect(try tester.daemon.logCount("facts-file-missing") == 1)
                try TestFacts.push(.old, to: tester)
                #expect(try tester.ask() == TestRules.new.answer, "pushing a file alone does not load it")
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload accepted", count: 2))
                #expect(try tester.hasSwitched(to: .old))
                #expect(try tester.daemon.logCount("facts-file-missing") == 1)
            }
        }

        @Test("can be older than those that serve: pushing yesterday's file goes back to it")
        func older() throws {
            let older = try TestFacts.compiled(plan: .old)
            try Self.run(plan: .new) { tester in
                try AtomicFile.write(older.span, to: TestFacts.path(tester))
                try tester.daemon.send(.hangup)
                try #require(
                    try tester.daemon.waitForLog("reload accepted", count: 2),
                    "\(tester.daemonLog.suffix(2000))")
                #expect(try tester.hasSwitched(to: .old))
            }
        }

        @Test("lose no request in many HUPs, and each answer is from one of two files")
        func hangups() throws {
            let hangupCount = Programs.runsLong ? 60 : 20
            try Self.run(plan: .old) { tester in
                let report = try tester.underLoad { _ in
                    var plan = TestRules.old
                    for count in 1...hangupCount {
                        plan = plan.other
                        try TestFacts.push(plan, to: tester)
                        try tester.daemon.send(.hangup)
                        try #require(try tester.daemon.waitForLog("reload accepted", count: count + 1))
                        if count % 20 == 0 { #expect(try tester.hasSwitched(to: plan)) }
                    }
                }
                print("figures: \(hangupCount) HUPs with facts: \(report)")
                #expect(report.failures == 0, "\(report)")
                let expected = Set(TestRules.allCases.map { LoadAnswer(status: 200, body: $0.answer) })
                #expect(Set(report.answers.keys) == expected, "\(report)")
            }
        }

        @Test("can be cut, emptied or overwritten at any moment: no answer changes")
        func mischief() throws {
            try Self.run(plan: .old) { tester in
                // Deleted facts are not in this list: the reload is accepted, and no subscriber has facts then.
                try Mischief.run(
                    [.truncated, .cut, .overwritten, .replacedByGarbage, .emptied],
                    rounds: Programs.runsLong ? 200 : 40, path: TestFacts.path(tester), tester)
                try TestFacts.push(.new, to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.new.answer })
            }
        }

        @Test("that do not fit the rules are refused, and the old facts are used, also after a restart")
        func refusal() throws {
            try Self.run(plan: .old) { tester in
                let unfit = try TestFacts.compiled(plan: .new, columns: Array(TestFacts.columns.prefix(1)))
                try AtomicFile.write(unfit.span, to: TestFacts.path(tester))
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload refused"))
                #expect(try tester.daemon.logCount("data-file.fact-missing") == 1)
                #expect(try tester.ask() == TestRules.old.answer)
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                try tester.startDaemon()
                #expect(tester.daemonLog.contains("source=unchanged"))
                #expect(try tester.ask() == TestRules.old.answer)
            }
        }
    }
}
