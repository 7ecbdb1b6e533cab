import HTTPLoad
import JSON
import Support
import Testing

/// The dashboard of `examples/monitoring`.
enum Dashboard {
    /// The title and the expression of each query of the dashboard, as Grafana sends it for all hosts.
    private static func queries() throws -> [(title: String, expression: String)] {
        let source = try SourceFile.read(SourceFile.root + "/examples/monitoring/retentiond-dashboard.json")
        let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
        let root = try JSONDocument(parsing: source.span, limits: limits).root
        return (root.member("panels")?.elements ?? []).flatMap { panel in
            (panel.member("targets")?.elements ?? []).map { target in
                let text = target.member("expr")?.string ?? ""
                return (
                    title: panel.member("title")?.string ?? "",
                    expression: text.replacing("$instance", with: ".*")
                        .replacing("$__rate_interval", with: "10s")
                )
            }
        }
    }

    /// Sends requests and notifications of every kind that a panel shows.
    private static func send(_ recorder: RecorderTester, _ round: UInt64) throws {
        let tester = recorder.tester
        #expect(try tester.ask() != nil)
        #expect(tester.post([])?.status == 400)
        #expect(recorder.post(try recorder.freshBody(round))?.status == 200)
        #expect(recorder.post([])?.status == 400)
        let part = try #require(NotificationZoo.rows.first { !$0.failedParts.isEmpty })
        #expect(recorder.post(try part.body(tester.forge))?.status == 200)
    }

    /// Lets the pool and the recorder work until a query of every panel has had data.
    static func expectData(in prometheus: PrometheusServer, of recorder: RecorderTester) throws {
        var empty = try queries()
        #expect(empty.count > 50)
        // The test has sent notifications with the first numbers.
        var round: UInt64 = 100
        _ = Patience.wait(seconds: 60) {
            round += 1
            guard (try? send(recorder, round)) != nil else { return true }
            empty.removeAll { (try? prometheus.hasData($0.expression)) == true }
            return empty.isEmpty
        }
        #expect(empty.isEmpty, "\(empty)")
    }
}

extension PrometheusServer {
    /// Returns true when a query has a sample that is a number. A quantile of nothing is none: no offer is signed here.
    fileprivate func hasData(_ query: String) throws -> Bool {
        let digits = query.utf8.map { byte in
            "%" + String(byte >> 4, radix: 16, uppercase: true)
                + String(byte & 15, radix: 16, uppercase: true)
        }
        let body = try get("/api/v1/query?query=" + digits.joined()).body
        guard body.contains(#""status":"success""#) else { return false }
        return body.ranges(of: #""value":["#).count > body.ranges(of: #""NaN""#).count
    }
}
