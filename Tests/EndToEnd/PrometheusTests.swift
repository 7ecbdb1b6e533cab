import HTTPLoad
import Support
import Testing

extension EndToEnd {
    @Suite("Prometheus")
    struct PrometheusTests {
        private static let paths = ["/retention-metrics", "/notifications-metrics"]

        @Test("finds nothing to complain of in the metrics of pool and recorder, and reads every one of them")
        func scrape() throws {
            try RecorderTester.run { recorder in
                let tester = recorder.tester
                try TestRules.new.push(to: tester)
                try tester.startDaemon()
                for _ in 0..<3 { #expect(try tester.ask() != nil) }
                #expect(tester.post([])?.status == 400)
                for number in 1...2 as ClosedRange<UInt64> {
                    #expect(recorder.post(try recorder.body(number))?.status == 200)
                }
                var names: Set<String> = []
                for path in Self.paths {
                    let text = try #require(tester.get(path)).body
                    let check = try ProgramRun.run("promtool", ["check", "metrics"], input: Array(text.utf8))
                    #expect(
                        check.status == 0 && check.output == "" && check.errors == "",
                        "\(path): \(check)"
                    )
                    let families = ExpositionCheck(text, isOpenMetrics: false).families
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
                // Only OpenMetrics has units: Prometheus asks for it, and nginx passes its wish on.
                let metadata = try prometheus.get(
                    "/api/v1/metadata?metric=retentiond_request_duration_seconds"
                ).body
                #expect(metadata.contains(#""unit":"seconds""#), "\(metadata)")
            }
        }

        private static func expectValues(_ prometheus: PrometheusServer) throws {
            let rows = [
                (#"retentiond_requests_total{outcome="decided"}"#, "3"),
                (#"sum(retentiond_requests_total)"#, "4"),
                (#"sum(retentiond_decisions_total)"#, "3"),
                (#"retentiond_request_duration_seconds_count"#, "4"),
                (#"retentiond_phase_duration_seconds_count{phase="decide"}"#, "3"),
                (#"count(retentiond_request_duration_seconds_bucket)"#, "15"),
                (#"retentiond_last_reload_successful"#, "1"),
                (#"count(retentiond_build_info)"#, "1"),
                (#"sum(retentiond_recorder_notifications_total{type="SUBSCRIBED",outcome="stored"})"#, "2"),
                (#"retentiond_recorder_batch_size_sum"#, "2"),
                (#"retentiond_recorder_store_up"#, "1"),
            ]
            for (query, value) in rows { try prometheus.expect(query, value) }
        }
    }
}
