import DataFiles
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Pushed facts")
    struct FactsTests {
        /// Copies in memory, and in files without a name.
        static let limits = [#"{"sealCopyBytes": 4096}"#, #"{"sealCopyBytes": 1073741824}"#]

        /// A pool that serves by facts, with facts that say `plan`.
        private static func run(
            _ limits: String,
            plan: TestRules,
            _ body: (Tester) throws -> Void
        ) throws {
            let options = ReloadTests.atOnce.with { $0.configuration.append(("limits", limits)) }
            try Tester.run(options) { tester in
                try TestFacts.pushRules(to: tester)
                try TestFacts.push(plan, to: tester)
                try tester.daemon.send(.hangup)
                try #require(
                    try tester.daemon.waitForLog("reload accepted"),
                    "\(tester.daemonLog.suffix(2000))"
                )
                #expect(try tester.hasSwitched(to: plan))
                try body(tester)
            }
        }

        @Test("change decisions when they are loaded, and their lack is one warning")
        func decisions() throws {
            try Tester.run { tester in
                try TestFacts.pushRules(to: tester)
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload accepted"))
                #expect(try tester.hasSwitched(to: .new), "nobody is found")
                #expect(try tester.daemon.logCount("facts-file-missing") == 1)
                try TestFacts.push(.old, to: tester)
                #expect(try tester.ask() == TestRules.new.answer, "nothing is loaded by pushing alone")
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload accepted", count: 2))
                #expect(try tester.hasSwitched(to: .old))
                #expect(try tester.daemon.logCount("facts-file-missing") == 1)
            }
        }

        @Test("under load lose nothing in 60 HUPs, each answer is by one of the two", arguments: limits)
        func hangups(limits: String) throws {
            try Self.run(limits, plan: .old) { tester in
                let report = try tester.underLoad { _ in
                    var plan = TestRules.old
                    for count in 1...60 {
                        plan = plan.other
                        try TestFacts.push(plan, to: tester)
                        try tester.daemon.send(.hangup)
                        try #require(try tester.daemon.waitForLog("reload accepted", count: count + 1))
                        if count % 20 == 0 { #expect(try tester.hasSwitched(to: plan)) }
                    }
                }
                print("figures: 60 HUPs with facts: \(report)")
                #expect(report.failures == 0, "\(report)")
                let expected = Set(TestRules.allCases.map { LoadAnswer(status: 200, body: $0.answer) })
                #expect(Set(report.answers.keys) == expected, "\(report)")
            }
        }

        @Test("may be cut, emptied and written over at any moment: no answer changes", arguments: limits)
        func mischief(limits: String) throws {
            try Self.run(limits, plan: .old) { tester in
                // Facts that are gone are no reason to refuse: nobody is known then.
                try Mischief.run(
                    [.truncated, .cut, .overwritten, .replacedByGarbage, .emptied],
                    rounds: Programs.runsLong ? 200 : 40,
                    path: TestFacts.path(tester),
                    tester
                )
                try TestFacts.push(.new, to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.new.answer })
            }
        }

        @Test("that do not fit the rules are refused, and the old ones go on; also over a restart")
        func refusal() throws {
            try Self.run(Self.limits[0], plan: .old) { tester in
                let unfit = try TestFacts.compiled(plan: .new, columns: Array(TestFacts.columns.prefix(1)))
                try AtomicFile.write(unfit.span, to: TestFacts.path(tester))
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload refused"))
                #expect(try tester.daemon.logCount("data-file.fact-missing") == 1)
                #expect(try tester.ask() == TestRules.old.answer)
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                try tester.startDaemon()
                #expect(try tester.daemon.logCount("serving the last good generation") == 1)
                #expect(try tester.ask() == TestRules.old.answer)
            }
        }
    }
}
