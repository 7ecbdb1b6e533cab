import Pool
import Support
import Testing

@Suite("The text of a scrape")
struct MetricTextTests {
    private static let families = [
        MetricFamily(
            "jobs_total", .counter, labels: ["kind", "end"],
            help: "Jobs with \"quotes\", \\ and\na line feed."),
        MetricFamily("wait_seconds", .histogram, labels: ["phase"], help: "Waiting."),
        MetricFamily("batch_size", .histogram, help: "Batches."),
        MetricFamily("size_bytes", .gauge, help: "Bytes."),
        MetricFamily("build_info", .gauge, labels: ["version"], help: "Versions."),
    ]

    private static func text() -> String {
        var text = MetricText()
        text.begin(families[0])
        text.sample(["a\"b\\c\nd{é},=", ""], 7)
        text.sample(["plain\\\"", "good"], 18_446_744_073_709_551_615 as UInt64)
        text.begin(families[1])
        text.histogram(["read"], edges: ["0.0001", "0.5"], counts: [3, 0, 2], sum: "1.25")
        text.histogram(["send"], edges: ["0.0001", "0.5"], counts: [0, 0, 0], sum: "0")
        text.begin(families[2])
        text.histogram(edges: ["1", "2"], counts: [1, 1, 0], sum: "3")
        text.begin(families[3])
        text.sample(12)
        text.begin(families[4])
        text.sample(["1.0"], 1)
        return String(decoding: text.finished(), as: UTF8.self)
    }

    @Test("is as the specification of Prometheus says")
    func golden() throws {
        let text = Self.text()
        try GoldenFile.check(text, "Tests/Telemetry/Golden/metrics.txt")
        let check = ExpositionCheck(text)
        #expect(check.problems.isEmpty, "\(check.problems)")
        #expect(check.families.count == 5)
        #expect(check.value("jobs_total", ["kind": "a\"b\\c\nd{é},=", "end": ""]) == 7)
        #expect(check.value("wait_seconds_bucket", ["phase": "read", "le": "+Inf"]) == 5)
        #expect(check.families[0].help == "Jobs with \"quotes\", \\ and\na line feed.")
    }
}
