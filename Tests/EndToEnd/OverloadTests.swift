import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    /// What clients see through nginx when more requests wait than the pool can answer in time, and when a worker stands
    /// still.
    @Suite("Overload")
    struct OverloadTests {
        /// The requests of a burst. nginx keeps as many connections to the worker, so one look of the worker shows them all.
        private static let burstCount = 200
        private static let deadlineMilliseconds: Int64 = 100

        private static let overloaded = TesterOptions().with {
            $0.nginxWorkers = 1
            $0.workers = 1
            $0.keepalive = burstCount
            $0.deadlines = .patient
            // The supervisor lets the stopped worker be.
            $0.configuration = [
                ("deadlineMilliseconds", "\(deadlineMilliseconds)"), ("stuckMilliseconds", "0"),
            ]
            let ping = "location = /retention-ping {"
            $0.nginxChanges = [
                ("retentiond.conf", ping, "location = /nginx-status {\n    stub_status;\n}\n\n" + ping),
                ("retentiond-pass.conf", "10s;", "120s;"),
            ]
        }

        private static let probes = ["/retention-ping", "/retention-status?json&full", "/retention-metrics"]

        @Test("is answered with 503 when it is late, while ping, status and metrics are answered as always")
        func refusals() throws {
            try Tester.run(Self.overloaded) { tester in
                let (report, probes) = try Self.burst(tester)
                #expect(report.unanswered == 0 && report.answered == Self.burstCount, "\(report)")
                for (answer, _) in report.answers {
                    let isLate = answer.body.contains(#""code":"deadline-passed""#)
                    #expect(answer.status == 503 && isLate, "\(answer)")
                }
                #expect(probes.map { $0?.status } == [200, 200, 200], "\(probes)")
                #expect(probes[0]?.body == "pong")
                #expect(probes[1]?.body.contains(#""total processes":1"#) == true)
                #expect(probes[2]?.body.contains("retentiond_shed_total") == true)
                let metrics = try #require(tester.get("/retention-metrics")).body
                let shed = "retentiond_shed_total{why=\"deadline\"} \(Self.burstCount)\n"
                #expect(metrics.contains(shed), "\(metrics)")
                #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.old.answer })
            }
        }

        /// Stops the worker, sends a burst and the probes, and lets the worker go on when nginx has passed all on and the
        /// deadline is over.
        private static func burst(_ tester: Tester) throws -> (LoadReport, [PlainAnswer?]) {
            let worker = try #require(try tester.workers.first)
            try stop(worker)
            defer { try? Processes.send(.proceed, to: worker) }
            let plan = try tester.load(connections: burstCount).with {
                $0.requestLimit = burstCount
                $0.patienceSeconds = 120
            }
            let load = try LoadClient(plan).start()
            try waitUntilUnderWay(burstCount, tester)
            let threads = try probes.map { path in
                try JoinableThread {
                    PlainAnswer.exchange(RequestText.get(path), port: tester.plainPort, timeoutSeconds: 120)
                }
            }
            try waitUntilUnderWay(burstCount + probes.count, tester)
            Clock.sleep(milliseconds: deadlineMilliseconds)
            try Processes.send(.proceed, to: worker)
            let answers = threads.map { $0.join() ?? nil }
            return (try #require(load.join()), answers)
        }

        /// Waits until nginx has so many requests under way, besides the one with which it says so.
        private static func waitUntilUnderWay(_ count: Int, _ tester: Tester) throws {
            var last = ""
            let isThere = Patience.wait(seconds: 60) {
                last = tester.get("/nginx-status")?.body ?? ""
                return last.contains("Writing: \(count + 1) ")
            }
            try #require(isThere, "\(last)")
        }

        private static func stop(_ worker: Int32) throws {
            try Processes.send(.stop, to: worker)
            try #require(Patience.wait(seconds: 60) { ProcessTree.isStopped(worker) })
        }

        @Test("does not begin while one of two workers stands still: the other answers everything")
        func standstill() throws {
            let options = TesterOptions().with {
                // With kept connections, a request may come to the stopped worker.
                $0.keepalive = nil
                $0.deadlines = .patient
                $0.configuration = [("stuckMilliseconds", "0")]
            }
            try Tester.run(options) { tester in
                for worker in try tester.workers {
                    try Self.stop(worker)
                    defer { try? Processes.send(.proceed, to: worker) }
                    for path in Self.probes { #expect(tester.get(path)?.status == 200, "\(path)") }
                    #expect(try tester.ask() == TestRules.old.answer)
                }
                let metrics = try #require(tester.get("/retention-metrics")).body
                #expect(metrics.contains("retentiond_shed_total{why=\"deadline\"} 0\n"))
            }
        }
    }
}
