import Support
import System
import Testing

extension EndToEnd {
    @Suite("The pushed file")
    struct PushedFileTests {
        /// What can happen to a file on its way, at any moment.
        enum Mischief: CaseIterable {
            case truncated, cut, overwritten, replacedByGarbage, deleted, emptied, madeDirectory
        }

        @Test("may be spoilt in every way at any moment, with and without HUP: no answer changes")
        func mischief() throws {
            let seed =
                ProcessEnvironment.value(of: "TEST_SEED").flatMap { UInt64($0) }
                ?? .random(in: 0...UInt64.max)
            var random = SeededGenerator(seed: seed)
            print("figures: the seed of the spoilt files is \(seed)")
            try Tester.run(ReloadTests.atOnce) { tester in
                let sound = try tester.folder.read("data/app.rules")
                let client = LoadClient(try tester.load(connections: 8))
                let running = try client.start()
                for round in 0..<(Programs.runsLong ? 400 : 80) {
                    let kind = Mischief.allCases[round % Mischief.allCases.count]
                    try Self.spoil(kind, tester, sound, &random)
                    if Bool.random(using: &random) {
                        let verdicts = try tester.daemon.logCount("reload ")
                        try tester.daemon.send(.hangup)
                        // Now and then the next thing happens while the loader is reading.
                        if Bool.random(using: &random) {
                            try #require(try tester.daemon.waitForLog("reload ", count: verdicts + 1))
                        } else {
                            Patience.pause(milliseconds: Int32.random(in: 0...8, using: &random))
                        }
                    }
                    try? Directory.removeEmpty(path: tester.rulesPath)
                    try AtomicFile.write(sound.span, to: tester.rulesPath)
                }
                client.stop()
                let report = try #require(running.join())
                #expect(report.failures == 0, "seed \(seed): \(report)")
                #expect(
                    Array(report.answers.keys) == [LoadAnswer(status: 200, body: TestRules.old.answer)],
                    "seed \(seed): \(report)"
                )
                #expect(try tester.daemon.logCount("worker lost") == 0, "\(tester.daemonLog.suffix(2000))")
                #expect(try tester.daemon.logCount("reload refused") > 0)
                // And a good file is taken after all that.
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 15) { (try? tester.ask()) == TestRules.new.answer })
            }
        }

        @Test(
            "is not needed to start again: the last good generation is served, and said to be",
            arguments: [
                "garbage", "",
            ]
        )
        func lastGood(content: String) throws {
            try Tester.run { tester in
                #expect(try tester.ask() == TestRules.old.answer)
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                try tester.folder.write(content, to: "data/app.rules")
                try tester.startDaemon()
                #expect(try tester.daemon.logCount("serving the last good generation") == 1)
                #expect(try tester.ask() == TestRules.old.answer)
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                #expect(try tester.daemon.waitForLog("reload accepted"))
                #expect(try tester.hasSwitched(to: .new))
            }
        }

        private static func spoil(
            _ kind: Mischief,
            _ tester: Tester,
            _ sound: [UInt8],
            _ random: inout SeededGenerator
        ) throws {
            let path = tester.rulesPath
            let cut = Int.random(in: 0..<sound.count, using: &random)
            switch kind {
            case .truncated: try InPlace.truncate(path: path, to: cut)
            case .emptied: try InPlace.truncate(path: path, to: 0)
            case .cut: try AtomicFile.write(Array(sound[..<cut]).span, to: path)
            case .overwritten:
                let length = Int.random(in: 1...64, using: &random)
                let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                // At the end it would grow, which is spoilt too.
                try InPlace.overwrite(path: path, at: cut, with: noise)
            case .replacedByGarbage:
                let noise = (0..<sound.count).map { _ in UInt8.random(in: 0...255, using: &random) }
                try AtomicFile.write(noise.span, to: path)
            case .deleted: try Directory.removeFile(path: path)
            case .madeDirectory:
                try Directory.removeFile(path: path)
                try Directory.make(path: path, permissions: 0o755)
            }
        }
    }
}
