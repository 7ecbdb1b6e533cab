import Support
import System
import Testing

extension EndToEnd {
    @Suite("The pushed file")
    struct PushedFileTests {
        @Test("can be damaged in every way at any moment, with and without HUP: no answer changes")
        func mischief() throws {
            try Tester.run(ReloadTests.atOnce) { tester in
                try Mischief.run(
                    Mischief.allCases, rounds: Programs.runsLong ? 400 : 80, path: tester.rulesPath, tester)
                // After all that, a good file is accepted.
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.new.answer })
            }
        }

        @Test(
            "is not needed for a restart: the daemon serves what it served before",
            arguments: ["garbage", ""]
        )
        func lastGood(content: String) throws {
            try Tester.run { tester in
                #expect(try tester.ask() == TestRules.old.answer)
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                try tester.folder.write(content, to: "data/app.rules.json")
                try tester.startDaemon()
                #expect(tester.daemonLog.contains("source=unchanged"))
                #expect(try tester.ask() == TestRules.old.answer)
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                #expect(try tester.daemon.waitForLog("reload accepted"))
                #expect(try tester.hasSwitched(to: .new))
            }
        }
    }
}
