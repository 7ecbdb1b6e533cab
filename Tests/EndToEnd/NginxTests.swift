import HTTPLoad
import Support
import Testing

extension EndToEnd {
    @Suite("nginx in front of the pool")
    struct NginxTests {
        @Test("does not pass headers of the client by itself: 600 small headers change nothing")
        func manyHeaders() throws {
            try Tester.run { tester in
                let body = try tester.forge.body(tester.forge.payload)
                let headers = (0..<600).map { "x\($0): 1" }
                let request = RequestText.post(TestTraffic.path, body, headers: headers)
                let answer = PlainAnswer.exchange(request, port: tester.plainPort)
                #expect(answer?.status == 200, "\(tester.nginxLog.suffix(500))")
                #expect(answer?.body == TestRules.old.answer)
            }
        }

        @Test("passes the headers that the endpoint reads")
        func readHeaders() throws {
            try Tester.run { tester in
                let body = try tester.forge.body(tester.forge.payload)
                func answer(_ path: String, _ headers: [String]) -> PlainAnswer? {
                    PlainAnswer.exchange(
                        RequestText.post(path, body, headers: headers), port: tester.plainPort)
                }
                let encoded = answer(TestTraffic.path, ["Content-Encoding: gzip"])
                #expect(encoded?.status == 415)
                #expect(encoded?.code == "media-type-unsupported")
                var text = RequestText.post(TestTraffic.path, body)
                let type = Array("application/json".utf8)
                let start = try #require(text.firstRange(of: type))
                text.replaceSubrange(start, with: Array("text/plain".utf8))
                #expect(PlainAnswer.exchange(text, port: tester.plainPort)?.status == 415)
                // A client cannot set a parameter: a header with the name of a parameter is not passed on.
                let own = answer(TestTraffic.path, ["Retention-Endpoint: ping", "Request-Id: x"])
                #expect(own?.status == 200)
            }
        }

        /// Turns on the request limit that is a comment in the shipped files.
        private static let limit: [(file: String, old: String, new: String)] = [
            ("retentiond-upstream.conf", "#limit_req_zone", "limit_req_zone"),
            ("retentiond.conf", "#limit_req ", "limit_req "),
        ]

        @Test("passes every request below the limit for one address")
        func limitAsShipped() throws {
            try Tester.run(TesterOptions().with { $0.nginxChanges = Self.limit }) { tester in
                for _ in 0..<20 {
                    let answer = try tester.ask()
                    #expect(answer == TestRules.old.answer)
                }
            }
        }

        @Test("passes no request above the limit for one address")
        func limit() throws {
            let small = [
                ("retentiond-upstream.conf", "rate=500r/s", "rate=1r/m"),
                ("retentiond.conf", "burst=1000", "burst=2"),
            ].map { (file: $0.0, old: $0.1, new: $0.2) }
            try Tester.run(TesterOptions().with { $0.nginxChanges = Self.limit + small }) { tester in
                let body = try tester.forge.body(tester.forge.payload)
                let statuses = (0..<5).map { _ in tester.post(body)?.status }
                #expect(statuses == [200, 200, 200, 503, 503])
                #expect(tester.get("/retention-ping")?.status == 200)
            }
        }
    }
}
