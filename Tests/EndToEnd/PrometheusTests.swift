import HTTPLoad
import Support
import Testing

extension EndToEnd {
    @Suite("Prometheus")
    struct PrometheusTests {
        private static let paths = ["/retention-metrics", "/notifications-metrics"]

        @Test(
            "accepts and reads every metric of pool and recorder, and has data for each panel of the dashboard"
        )
        func scrape() throws {
            let forward = #", "forward": [{"url": "https://127.0.0.1:1/"}]"#
            try RecorderTester.run(settings: forward, besidePool: true) { recorder in
                let tester = recorder.tester
                try TestFacts.pushRules(to: tester)
                try TestFacts.push(.old, to: tester)
                try tester.startDaemon()
                // The median of times of signing needs 16 payloads.
                for _ in 0..<20 { #expect(try tester.ask() != nil) }
                #expect(tester.post([])?.status == 400)
                for number in 1...20 as ClosedRange<UInt64> {
                    #expect(recorder.post(try recorder.freshBody(number))?.status == 200)
                }
                var names: Set<String> = []
                for path in Self.paths {
                    let text = try #require(tester.get(path)).body
                    let check = try Programs.run("promtool", ["check", "metrics"], input: Array(text.utf8))
                    #expect(
                        check.status == 0 && check.output == "" && check.errors == "", "\(path): \(check)")
                    let families = ExpositionCheck(text).families
                    names.formUnion(families.flatMap(\.samples).map(\.name))
                }
                let prometheus = try PrometheusServer(
                    in: tester.folder,
                    targets: Self.paths.map { (path: $0, port: tester.plainPort) }
                )
                defer { prometheus.stop() }
                for path in Self.paths { try prometheus.expect("up{job=\"\(path)\"}", "1") }
                try Self.expectValues(prometheus)
                let known = try prometheus.get("/api/v1/label/__name__/values").body
                for name in names { #expect(known.contains("\"\(name)\""), "\(name)") }
                #expect(names.count > 50, "\(names.count)")
                try Dashboard.expectData(in: prometheus, of: recorder)
            }
        }

        private static func expectValues(_ prometheus: PrometheusServer) throws {
            let rows = [
                (#"retentiond_requests_total{outcome="decided"}"#, "20"),
                (#"sum(retentiond_requests_total)"#, "21"),
                (#"sum(retentiond_decisions_total)"#, "20"),
                (#"retentiond_request_duration_seconds_count"#, "21"),
                (#"retentiond_phase_duration_seconds_count{phase="decide"}"#, "20"),
                (#"count(retentiond_request_duration_seconds_bucket)"#, "15"),
                (#"retentiond_last_reload_successful"#, "1"),
                (#"count(retentiond_build_info)"#, "1"),
                (#"sum(retentiond_recorder_notifications_total{type="SUBSCRIBED",outcome="stored"})"#, "20"),
                (#"retentiond_recorder_batch_size_sum"#, "20"),
                (#"retentiond_recorder_store_up"#, "1"),
            ]
            for (query, value) in rows { try prometheus.expect(query, value) }
        }
    }
}
