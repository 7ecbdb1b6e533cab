import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Reloading under load")
    struct ReloadTests {
        /// With these options the daemon does not wait between two reloads.
        static let atOnce = TesterOptions().with { $0.configuration = [("reloadIntervalMilliseconds", "0")] }

        @Test("loses no request in many HUPs, and every answer is from one of the two generations")
        func hangups() throws {
            let hangupCount = Programs.runsLong ? 200 : 60
            try Tester.run(Self.atOnce) { tester in
                let report = try tester.underLoad { _ in
                    var rules = TestRules.old
                    for count in 1...hangupCount {
                        rules = rules.other
                        try rules.push(to: tester)
                        try tester.daemon.send(.hangup)
                        try #require(try tester.daemon.waitForLog("reload accepted", count: count))
                        // Soon after a reload was accepted, only the new rules are served.
                        if count % 20 == 0 { #expect(try tester.hasSwitched(to: rules)) }
                    }
                }
                print("figures: \(hangupCount) HUPs: \(report)")
                #expect(report.failures == 0, "\(report)")
                let expected = Set(TestRules.allCases.map { LoadAnswer(status: 200, body: $0.answer) })
                #expect(Set(report.answers.keys) == expected, "\(report)")
                #expect(try tester.workers.count == 2)
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

        @Test("has its verdict in the exit status of retentiond --reload")
        func verdict() throws {
            try Tester.run { tester in
                try TestRules.new.push(to: tester)
                var reload = try Self.reload(tester)
                #expect(reload.exit == .exited(0), "\(reload.output)")
                #expect(try tester.hasSwitched(to: .new))
                try tester.folder.write("garbage", to: "data/app.rules.json")
                reload = try Self.reload(tester)
                #expect(reload.exit == .exited(1), "\(reload.output)")
                #expect(reload.output.contains("json.syntax"), "\(reload.output)")
                try Directory.removeFile(path: tester.rulesPath)
                reload = try Self.reload(tester)
                #expect(reload.exit == .exited(1), "\(reload.output)")
                #expect(reload.output.contains("rules-file-missing"), "\(reload.output)")
                #expect(try tester.ask() == TestRules.new.answer)
            }
        }

        @Test("is not needed to replace workers after maxRequests, and no request is lost")
        func recycling() throws {
            let options = TesterOptions().with { $0.configuration = [("maxRequests", "300")] }
            try Tester.run(options) { tester in
                let before = try tester.workers
                let plan = try tester.load(connections: 8).with { $0.requestLimit = 6000 }
                let report = LoadClient(plan).run()
                #expect(report.failures == 0, "\(report)")
                #expect(Patience.wait(seconds: 60) { (try? tester.workers.count) == 2 })
                #expect(try Set(tester.workers).isDisjoint(with: before))
                #expect(try tester.daemon.logCount("worker lost") == 0)
            }
        }

        private static func reload(_ tester: Tester) throws -> (exit: ChildExit?, output: String) {
            let process = try RunningProcess(
                [Programs.daemon(), "--config", tester.configurationPath, "--reload"],
                logPath: tester.folder.path(of: "reload.log"))
            let exit = process.waitForExit(seconds: 30)
            return (exit, process.log)
        }
    }
}
