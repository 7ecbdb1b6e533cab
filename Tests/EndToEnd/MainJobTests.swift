import HTTPClient
import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Requests through nginx")
    struct MainJobTests {
        @Test("are answered over TLS 1.2 and over TLS 1.3", arguments: ["TLSv1.2", "TLSv1.3"])
        func transport(version: String) throws {
            try Tester.run(TesterOptions().with { $0.tlsProtocols = version }) { tester in
                var configuration = HTTPClientConfiguration()
                configuration.authoritiesFile = tester.folder.path(of: "nginx/server.pem")
                let client = try HTTPClient(configuration: configuration)
                let url = "https://localhost:\(tester.tlsPort)/retention-message"
                // The second request uses the kept connection.
                for isFirst in [true, false] {
                    let body = try tester.forge.body(tester.forge.payload)
                    let response = try client.perform(HTTPRequest.postJSON(body, to: url))
                    #expect(response.status == 200)
                    #expect(response.contentType == "application/json")
                    #expect(String(decoding: response.body, as: UTF8.self) == TestRules.old.answer)
                    #expect(response.timings.usedNewConnection == isFirst)
                }
            }
        }

        @Test(
            "are answered over kept and over new connections to the pool, over a unix socket and over TCP",
            arguments: [nil, 1, 64] as [Int?],
            [TesterOptions.Listen.unix, .internet]
        )
        func upstream(keepalive: Int?, listen: TesterOptions.Listen) throws {
            let options = TesterOptions().with {
                $0.keepalive = keepalive
                $0.listen = listen
            }
            try Tester.run(options) { tester in
                let plan = LoadPlan(
                    port: tester.plainPort, connections: 8, requests: try TestTraffic.valid(tester.forge)
                ).with { $0.requestLimit = 400 }
                let report = LoadClient(plan).run()
                #expect(report.failures == 0, "\(report)")
                #expect(report.answers.keys.map(\.body) == [TestRules.old.answer])
            }
        }

        @Test("are answered when they check the health, and get 404 for an unknown endpoint")
        func otherLocations() throws {
            try Tester.run { tester in
                let ping = tester.get("/retention-ping")
                #expect(ping?.status == 200)
                #expect(ping?.body.hasPrefix("pong") == true)
                #expect(tester.get("/retention-status")?.status == 200)
                for path in ["/unknown", "/nothing"] {
                    let answer = tester.get(path)
                    #expect(answer?.status == 404, "\(path)")
                    #expect(answer?.code == "endpoint-unknown", "\(path)")
                    #expect(answer?.header("Content-Type") == "application/problem+json", "\(path)")
                }
            }
        }

        @Test("are refused by nginx in the pool's format when the pool does not run")
        func deadPool() throws {
            let options = TesterOptions().with { $0.startsDaemon = false }
            try Tester.run(options) { tester in
                let request = RequestText.post(TestTraffic.path, try tester.forge.body(tester.forge.payload))
                let answer = PlainAnswer.exchange(request, port: tester.plainPort)
                #expect(answer?.status == 503)
                #expect(answer?.code == "pool-unavailable")
                #expect(answer?.header("Content-Type") == "application/problem+json")
            }
        }

        /// The test does not measure how soon nginx gives up. It checks that each time limit in nginx's file ends while
        /// Apple still waits. Without a limit nginx would wait a minute, and the client of this test would give up
        /// first.
        @Test("are refused by nginx while Apple still waits when every worker is stopped")
        func hangingPool() throws {
            try Tester.run(TesterOptions().with { $0.deadlines = .shipped }) { tester in
                let workers = try tester.workers
                for worker in workers { try Processes.send(.stop, to: worker) }
                defer { for worker in workers { try? Processes.send(.proceed, to: worker) } }
                let request = RequestText.post(TestTraffic.path, try tester.forge.body(tester.forge.payload))
                let start = Clock.monotonicNanoseconds()
                let answer = PlainAnswer.exchange(request, port: tester.plainPort)
                let milliseconds = (Clock.monotonicNanoseconds() - start) / 1_000_000
                #expect(answer?.status == 503)
                #expect(answer?.code == "pool-unavailable")
                #expect(milliseconds >= 600, "nginx waits for an answer until its limit")
                let bytes = try tester.folder.read("nginx/retentiond-pass.conf")
                let told = String(decoding: bytes, as: UTF8.self)
                let limits = told.matches(of: /(fastcgi_[a-z_]+_timeout) +([0-9]+)ms;/)
                let names = ["connect", "next_upstream", "read", "send"].map { "fastcgi_\($0)_timeout" }
                #expect(limits.map { String($0.1) }.sorted() == names)
                for limit in limits { #expect(try #require(Int(limit.2)) <= 650, "\(limit.0)") }
            }
        }
    }
}
