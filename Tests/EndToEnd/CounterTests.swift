import HTTPLoad
import JSON
import Support
import System
import Testing

extension EndToEnd {
    /// The counters of the status page, while many workers start and end.
    @Suite("Counters over time")
    struct CounterTests {
        @Test("count each request once, also after workers were killed and after a reload")
        func survival() throws {
            try Tester.run { tester in
                for round in Int64(1)...3 {
                    try Self.ask(tester)
                    try Self.check(tester, rounds: round)
                    let old = Set(try tester.workers)
                    switch round {
                    case 1: for worker in old { try Processes.send(.kill, to: worker) }
                    case 2: try tester.daemon.send(.hangup)
                    default: return
                    }
                    let isReplaced = Patience.wait(seconds: 60) {
                        let now = (try? tester.workers) ?? []
                        return now.count == 2 && old.isDisjoint(with: now)
                    }
                    try #require(isReplaced, "\(tester.daemonLog)")
                    // No request came in between, so the counters are as before.
                    try Self.check(tester, rounds: round)
                }
            }
        }

        /// Sends 60 requests that are answered with a message, 20 that are answered without a message, and 10 that are
        /// refused.
        private static func ask(_ tester: Tester) throws {
            let silent = try tester.forge.body(
                tester.forge.payload.setting("productId", "\"\(TestPayload.silentProduct)\"")
            )
            let plans: [(requests: [[UInt8]], count: Int, status: Int)] = [
                (try TestTraffic.valid(tester.forge), 60, 200),
                ([RequestText.post(TestTraffic.path, silent)], 20, 503),
                ([try TestTraffic.badBase64(tester.forge).request], 10, 400),
            ]
            for plan in plans {
                let load = LoadPlan(port: tester.plainPort, connections: 4, requests: plan.requests).with {
                    $0.requestLimit = plan.count
                }
                let report = LoadClient(load).run()
                #expect(report.count(status: plan.status) == plan.count, "\(report)")
            }
        }

        private static func check(_ tester: Tester, rounds: Int64) throws {
            let expected: [(String, Int64)] = [
                ("requests", 90), ("answers_decided", 60), ("answers_none", 20), ("answers_refused", 10),
                ("answers_failed", 0), ("code no-answer", 20), ("received_times_ignored", 0),
            ]
            // A worker counts some things after it has sent the answer, and a worker that has ended is on the page
            // until the supervisor collects it.
            let isSettled = Patience.wait(seconds: 60) {
                guard let root = try? page(tester), root.member("total processes")?.int64 == 2 else {
                    return false
                }
                return root.member("request durations")?.member("requests")?.int64 == 90 * rounds
            }
            let root = try page(tester)
            #expect(isSettled, "\(root.member("request durations")?.member("requests")?.int64 ?? -1)")
            for (name, value) in expected {
                #expect(root.member(named: name)?.int64 == value * rounds, "\(name), round \(rounds)")
            }
            let codes = root.members.filter { $0.name.hasPrefix("code ") }.compactMap { $0.value.int64 }
            #expect(codes.reduce(0, +) == 30 * rounds)
        }

        private static func page(_ tester: Tester) throws -> JSONValue {
            let answer = try #require(tester.get("/retention-status?json"))
            let limits = JSONLimits(byteCount: 1 << 20, depth: 8)
            return try JSONDocument(parsing: Array(answer.body.utf8).span, limits: limits).root
        }
    }
}
