import Support
import Telemetry
import Testing

@testable import Recorder

@Suite("The metrics of the recorder")
struct RecorderMetricTests {
    @Test("have every name of the table, with its type, its help and its labels")
    func table() throws {
        let bench = try RecorderBench(#""forward": [{"url": "https://receiver.example/in"}]"#)
        #expect(try bench.reply(bench.body(1)).status == 200)
        let reply = try bench.reply([], to: "metrics", method: "GET")
        #expect(reply.header.contains("Content-Type: \(MetricText.contentType)"), "\(reply.header)")
        let check = ExpositionCheck(String(decoding: reply.body, as: UTF8.self))
        #expect(check.problems.isEmpty, "\(check.problems)")
        let families = RecorderMetric.allCases.map(\.family)
        for found in check.families {
            let family = try #require(families.first { $0.name == found.name })
            #expect(found.help == family.help && found.type == family.kind.rawValue)
            for sample in found.samples {
                #expect(Set(sample.labels.keys).subtracting(["le"]) == Set(family.labels), "\(sample)")
            }
        }
        // The bench has no file and no problems, perhaps no receiver has been measured yet, and one notification is too
        // few for a median.
        let absent: Set = [
            "retentiond_recorder_forward_lag_seconds", "retentiond_recorder_signed_date_offset_seconds",
        ]
        let names = Set(check.families.map(\.name))
        for family in families where !absent.contains(family.name) && !family.name.hasSuffix("_bytes") {
            #expect(names.contains(family.name), "\(family.name)")
        }
        #expect(check.value("retentiond_recorder_batch_size_count") == 1)
    }

    @Test("begin at 0 for every label that is known beforehand")
    func zeros() throws {
        let bench = try RecorderBench()
        let reply = try bench.reply([], to: "metrics", method: "GET")
        let check = ExpositionCheck(String(decoding: reply.body, as: UTF8.self))
        for (name, labels) in [
            ("notifications_total", ["type": "SUBSCRIBED", "outcome": "stored"]),
            ("notifications_total", ["type": "other", "outcome": "tombstoned"]),
            ("problems_total", ["code": "store-unavailable"]),
            ("problems_total", ["code": "signature-invalid"]),
            ("failed_parts_total", ["code": "certificate-expired"]),
        ] {
            #expect(check.value("retentiond_recorder_" + name, labels) == 0, "\(name) \(labels)")
        }
        #expect(
            check.samples("retentiond_recorder_problems_total").allSatisfy {
                $0.labels["code"] != "no-answer"
            }
        )
    }

    @Test("are all in the manual")
    func manual() throws {
        let entries = RecorderMetric.allCases.map(\.family).map { family in
            let labels = family.labels.isEmpty ? "" : " {\(family.labels.joined(separator: ", "))}"
            return ("`\(family.name)`\(labels)", "\(family.help) (\(family.kind.rawValue))")
        }
        try ManualPage.check(
            ManualPage.list(entries), in: "retention-operations.7.md", part: "recorder metrics")
    }
}
