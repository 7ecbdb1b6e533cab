import HTTPLoad
import Support
import Testing

extension EndToEnd {
    @Suite("Metrics")
    struct MetricsTests {
        @Test("of pool and recorder are accepted by Prometheus, and count each request once")
        func scrape() throws {
            let forward = #", "forward": [{"url": "https://127.0.0.1:1/"}]"#
            try RecorderTester.run(settings: forward, besidePool: true) { recorder in
                let tester = recorder.tester
                try TestFacts.pushRules(to: tester)
                try Pushed.facts.push(.old, to: tester)
                try tester.startDaemon()
                for _ in 0..<20 { #expect(try tester.ask() != nil) }
                #expect(tester.post([])?.status == 400)
                try recorder.expectStored(1...20)
                let rows = [
                    "/retention-metrics": [
                        #"retentiond_requests_total{outcome="decided",code="decided"} 20"#,
                        "retentiond_request_duration_seconds_count 21", "retentiond_last_reload_successful 1",
                    ],
                    "/notifications-metrics": [
                        #"retentiond_recorder_notifications_total{type="SUBSCRIBED",outcome="stored"} 20"#,
                        "retentiond_recorder_store_up 1",
                    ],
                ]
                for (path, lines) in rows {
                    var text = ""
                    // A worker counts some things after it has sent the answer.
                    let isThere = Patience.wait(seconds: 60) {
                        text = tester.get(path)?.body ?? ""
                        return lines.allSatisfy { text.contains($0 + "\n") }
                    }
                    #expect(isThere, "\(text)")
                    let check = try Programs.run("promtool", ["check", "metrics"], input: Array(text.utf8))
                    #expect(
                        check.status == 0 && check.output == "" && check.errors == "", "\(path): \(check)")
                }
            }
        }
    }
}
