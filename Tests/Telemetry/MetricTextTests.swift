import Support
import Telemetry
import Testing

@Suite("The text of a scrape")
struct MetricTextTests {
    @Test("writes milliseconds as seconds, also negative ones")
    func seconds() {
        let rows: [(Int64, String)] = [
            (0, "0"), (1, "0.001"), (-1, "-0.001"), (-12_340, "-12.34"), (.min, "-9223372036854775.808"),
        ]
        for (milliseconds, text) in rows { #expect(MetricText.seconds(milliseconds) == text) }
    }

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
        var labels = EscapedLabels()
        labels.add("removed", "")
        labels.removeAll()
        labels.add("kind", "plain\\\"")
        text.sample(labels: labels, last: "good", 18_446_744_073_709_551_615)
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

    @Test(
        "is refused by the check of the tests when it breaks a rule",
        arguments: [
            "a_total 1", "# TYPE a_total counter\na_total 1\n", "# HELP a b\n# TYPE a counter\na 1\n",
            "# HELP a b\n# TYPE a gauge\na{x=\"1\",x=\"2\"} 1\n", "# HELP a b\n# TYPE a gauge\na 1\na 1\n",
            "# HELP a b\n# TYPE a gauge\na{x=\"1} 1\n", "# HELP a b\n# TYPE a gauge\na{x=\"\\q\"} 1\n",
            "# HELP a b\n# TYPE a gauge\na 1\n# HELP a b\n",
            "# HELP a b\n# TYPE a gauge\na{x=\"1\"} 1\na 2\n",
            "# HELP a b\n# TYPE a gauge\na 1\n# HELP b b\n# TYPE b gauge\n# HELP a b\n# TYPE a gauge\n",
            "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
            "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_sum 1\na_count 2\n",
            "# HELP a b\n# TYPE a gauge\na NaN\n", "# HELP a b\n# TYPE a gauge\n\na 1\n",
        ]
    )
    func broken(text: String) {
        #expect(!ExpositionCheck(text).problems.isEmpty, "\(text)")
    }

    @Test("writes fractions without an exponent and without needless zeros")
    func decimals() {
        let rows: [(UInt64, UInt64, String)] = [
            (0, 1000, "0"), (1, 1000, "0.001"), (100, 1_000_000, "0.0001"), (350_000, 1_000_000, "0.35"),
            (1_250_000_000, 1_000_000_000, "1.25"), (7, 1, "7"), (12_000, 1000, "12"), (1_001, 1000, "1.001"),
            (.max, 1_000_000_000, "18446744073.709551615"),
        ]
        for (number, unit, text) in rows { #expect(MetricText.decimal(number, unitsPerOne: unit) == text) }
    }
}
