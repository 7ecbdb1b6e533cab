import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Stopping and upgrading under load")
    struct StoppingTests {
        @Test("finishes the requests in flight", arguments: [Signal.quit, .terminate, .interrupt], [8, 128])
        func stop(signal: Signal, connections: Int) throws {
            try Tester.run { tester in
                let workers = try tester.workers
                let report = try tester.underLoad(connections: connections) { client in
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
                #expect(try tester.daemon.logCount("stopped") > 0)
                #expect(try tester.daemon.logCount("worker forced") == 0, "\(tester.daemonLog)")
            }
        }

        @Test("replaces the running binary by the one on the disk without losing a request")
        func upgrade() throws {
            try Tester.run { tester in
                let workers = Set(try tester.workers)
                let report = try tester.underLoad { client in
                    #expect(Patience.wait(seconds: 60) { client.answered > 1000 })
                    try tester.daemon.send(.user2)
                    #expect(
                        Patience.wait(seconds: 60) {
                            let now = (try? tester.workers) ?? []
                            return now.count == 2 && workers.isDisjoint(with: now)
                        },
                        "\(tester.daemonLog)"
                    )
                    let answered = client.answered
                    #expect(Patience.wait(seconds: 60) { client.answered > answered + 1000 })
                }
                #expect(report.failures == 0, "\(report)")
                // The new binary has the same process id, and it reloads.
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.new.answer })
                #expect(!(try tester.daemon.hasEnded))
            }
        }
    }
}
