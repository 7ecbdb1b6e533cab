import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Stopping and restarting under load")
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

        /// So a new binary takes the place of the old one: the requests wait in the socket meanwhile.
        @Test("loses no request in restarts under a socket of systemd, and all are answered in time")
        func restart() throws {
            let restartCount = Programs.runsLong ? 20 : 4
            try Tester.run(TesterOptions().with { $0.listen = .systemd }) { tester in
                let report = try tester.underLoad(connections: 400, rate: 500) { client in
                    for _ in 1...restartCount {
                        let answered = client.answered
                        #expect(Patience.wait(seconds: 60) { client.answered > answered + 200 })
                        try tester.restartDaemon()
                    }
                    let answered = client.answered
                    #expect(Patience.wait(seconds: 60) { client.answered > answered + 200 })
                }
                print("figures: \(restartCount) restarts at 500/s: \(report)")
                #expect(report.failures == 0 && report.unsent == 0, "\(report)")
                #expect(report.latency(1) <= 600_000, "\(report)")
            }
        }
    }
}
